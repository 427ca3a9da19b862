"""Keys, signed tokens and opaque tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.runtime.caller import CALLER, Anybody, Caller, Operator, Player, ServiceCaller
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.errors import Refused
from libs.runtime.tokens import (
    ACCESS_VALID,
    Keys,
    KeysMissingError,
    OpaqueTokens,
    TokenVerifier,
    access_token,
    mint_operator_token,
    service_token,
)

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
ANA = Player(UUID(int=1), UUID(int=2))
BOB = Player(UUID(int=3), UUID(int=4))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of keys."""
    folder = tmp_path_factory.mktemp("keys")
    ensure_keys(folder)
    return folder


@pytest.fixture
def calling() -> Iterator[None]:
    """Ana calls; tests may change who does."""
    token = CALLER.set(ANA)
    yield
    CALLER.reset(token)


def reason(call: object) -> str:
    """Return why a call is refused."""
    assert callable(call)
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.reason


def test_each_kind_of_token_speaks_for_its_kind_of_caller(folder: Path) -> None:
    """A player's, a service's and an operator's token come back as what they are."""
    keys = Keys.load(folder)
    callers: list[tuple[str, Caller]] = [
        (access_token(keys, ANA.account_id, ANA.session_id, NOW)[0], ANA),
        (service_token(keys, "match", NOW), ServiceCaller("match")),
        (mint_operator_token(folder / "operator.key", "ana", timedelta(hours=1), NOW), Operator("ana")),
    ]
    for token, caller in callers:
        assert keys.verify(token, NOW)[0] == caller


def test_an_access_token_lives_fifteen_minutes(folder: Path) -> None:
    """It is accepted until the instant it names, and refused from there on."""
    keys = Keys.load(folder)
    token, expires = access_token(keys, uuid4(), uuid4(), NOW)
    verifier = TokenVerifier(keys)

    assert expires == NOW + ACCESS_VALID
    verifier.caller(token, expires - timedelta(microseconds=1))
    assert reason(lambda: verifier.caller(token, expires)) == "TOKEN_EXPIRED"


def test_a_token_from_the_future_is_refused(folder: Path) -> None:
    """A signer's clock may be some seconds ahead, not minutes."""
    keys = Keys.load(folder)
    token = service_token(keys, "match", NOW)

    keys.verify(token, NOW - timedelta(seconds=5))
    assert reason(lambda: keys.verify(token, NOW - timedelta(minutes=5))) == "TOKEN_INVALID"


def test_a_process_without_a_private_key_verifies_and_cannot_sign(folder: Path, tmp_path: Path) -> None:
    """Public keys alone are enough to verify; signing then says what is missing."""
    for name in ("account.pub", "service.pub", "operator.pub", "page.secret"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    public_only = Keys.load(tmp_path)

    public_only.verify(service_token(Keys.load(folder), "match", NOW), NOW)
    with pytest.raises(KeysMissingError, match=r"account\.key"):
        access_token(public_only, uuid4(), uuid4(), NOW)


def test_missing_and_damaged_keys_say_where(folder: Path, tmp_path: Path) -> None:
    """The sentence names the folder, and the operator's key its file."""
    with pytest.raises(KeysMissingError, match=str(tmp_path)):
        Keys.load(tmp_path)
    (tmp_path / "operator.key").write_text("no key")
    with pytest.raises(KeysMissingError, match=r"operator\.key"):
        mint_operator_token(tmp_path / "operator.key", "ana", timedelta(hours=1), NOW)


@given(st.text(max_size=200))
def test_no_text_is_taken_for_a_token(text: str) -> None:
    """Whatever text comes in place of a token is refused, never an error."""
    keys = Keys({}, {}, b"s" * 32)

    assert reason(lambda: TokenVerifier(keys).caller(text, NOW)) == "TOKEN_INVALID"


def test_an_opaque_token_gives_its_payload_back(calling: None) -> None:
    """What was sealed is opened by the same caller for the same list."""
    tokens = OpaqueTokens(b"s" * 32)
    token = tokens.seal("page.x", {"after": "é", "n": 2**62}, NOW, 900, bound_to=b"list")

    assert tokens.open("page.x", token, NOW, bound_to=b"list") == {"after": "é", "n": 2**62}


def test_an_opaque_token_is_bound_to_caller_list_kind_and_secret(calling: None) -> None:
    """Another's token, another list's, another kind's and another site's are all invalid."""
    tokens = OpaqueTokens(b"s" * 32)
    token = tokens.seal("page.x", {}, NOW, 900, bound_to=b"list")

    assert reason(lambda: tokens.open("page.x", token, NOW, bound_to=b"other")) == "PAGE_TOKEN_INVALID"
    assert reason(lambda: tokens.open("page.y", token, NOW, bound_to=b"list")) == "PAGE_TOKEN_INVALID"
    assert reason(lambda: tokens.open("resume", token, NOW, bound_to=b"list")) == "RESUME_TOKEN_INVALID"
    other_site = OpaqueTokens(b"t" * 32)
    assert reason(lambda: other_site.open("page.x", token, NOW, bound_to=b"list")) == "PAGE_TOKEN_INVALID"
    for caller in (BOB, Anybody()):
        CALLER.set(caller)
        assert reason(lambda: tokens.open("page.x", token, NOW, bound_to=b"list")) == "PAGE_TOKEN_INVALID"


@pytest.mark.parametrize(("kind", "expired"), [("page.x", "PAGE_EXPIRED"), ("resume", "RESUME_EXPIRED")])
def test_an_opaque_token_expires(calling: None, kind: str, expired: str) -> None:
    """After its time it is told apart from a token that never was one."""
    tokens = OpaqueTokens(b"s" * 32)
    token = tokens.seal(kind, {}, NOW, 900)

    tokens.open(kind, token, NOW + timedelta(seconds=899))
    assert reason(lambda: tokens.open(kind, token, NOW + timedelta(seconds=900))) == expired


@given(position=st.integers(0, 10_000), flip=st.integers(1, 63))
def test_a_changed_opaque_token_is_invalid_or_the_same(position: int, flip: int) -> None:
    """No changed character opens as another payload."""
    tokens = OpaqueTokens(b"s" * 32)
    token = tokens.seal("page.x", {"after": 7}, NOW, 900)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    place = position % len(token)
    other = alphabet[(alphabet.index(token[place]) + flip) % 64]
    changed = token[:place] + other + token[place + 1 :]

    if place == len(token) - 1:  # some of its bits may be unused
        with suppress(Refused):
            assert tokens.open("page.x", changed, NOW) == {"after": 7}
    else:
        assert reason(lambda: tokens.open("page.x", changed, NOW)) == "PAGE_TOKEN_INVALID"


@given(st.text(max_size=100) | st.binary(max_size=100).map(lambda raw: raw.hex()))
def test_garbage_opens_nothing(text: str) -> None:
    """Any text in place of an opaque token is invalid, never an error."""
    assert reason(lambda: OpaqueTokens(b"s" * 32).open("page.x", text, NOW)) == "PAGE_TOKEN_INVALID"


def test_derived_secrets_differ_by_purpose(folder: Path) -> None:
    """One shared secret serves many purposes without their tokens being interchangeable."""
    keys = Keys.load(folder)

    assert keys.derive("a") == Keys.load(folder).derive("a") != keys.derive("b")
    assert len(keys.derive("a")) == 32
    assert (folder / "page.secret").stat().st_mode & 0o077 == 0
