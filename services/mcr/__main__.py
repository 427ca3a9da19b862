"""Runs the MCR service alone."""

from libs.runtime.run import run
from services.mcr.servicer import bind

run("mcr", bind)
