"""Runs the account service alone."""

from libs.runtime.run import run
from services.account.servicer import bind

run("account", bind)
