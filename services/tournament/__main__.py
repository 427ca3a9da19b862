"""Runs the tournament service alone."""

from libs.runtime.run import run
from services.tournament.servicer import bind

run("tournament", bind)
