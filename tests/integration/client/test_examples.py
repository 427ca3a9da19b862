"""The examples in the client's docstrings are true."""

from __future__ import annotations

from types import ModuleType

import pytest

import libs.client
from libs.client.client import SparrowClient
from libs.client.game import Game
from tests.support.examples import check_examples
from tests.support.pairs import pair_of


@pytest.mark.parametrize("documented", [libs.client, SparrowClient, Game])
async def test_the_examples_of_the_docstring_say_what_happens(
    documented: type | ModuleType, client: SparrowClient, target: str
) -> None:
    """Every example runs as written, against a live server, and prints what it shows."""
    names = {"client": client, "target": target, "pair_of": pair_of, "SparrowClient": SparrowClient}

    await check_examples(documented, names, target)
