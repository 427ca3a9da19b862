"""`python -m services.ledger`: the ledger alone."""

from libs.runtime.run import run
from services.ledger.servicer import bind

run("ledger", bind)
