"""`python -m services.match` runs this service alone."""

from __future__ import annotations

from libs.runtime.run import run
from services.match.servicer import bind

run("match", bind)
