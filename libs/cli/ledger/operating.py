"""A connection for an operator's work on the ledger, to the Sparrow that options lead to."""

from __future__ import annotations

from libs.cli.events.feeds import MintedTokens
from libs.cli.events.site import Site
from libs.cli.operator_keys import operator_token
from libs.client.ledger_operations import LedgerOperator

NAME = "ledger"
"""The name that the operator token carries."""


def ledger_operator(site: Site) -> LedgerOperator:
    """Return a connection that signs anew for as long as it lasts."""
    operator_token(site.key_file, site.settings, NAME)  # a missing key is said now
    return LedgerOperator(
        site.endpoint, MintedTokens(lambda: operator_token(site.key_file, site.settings, NAME))
    )
