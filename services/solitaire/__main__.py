"""Runs the solitaire service alone."""

from libs.runtime.run import run
from services.solitaire.servicer import bind

run("solitaire", bind)
