"""Signed tokens that say who calls (Ed25519; a kind is told by its key); opaque page and resume tokens."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import jwt
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from libs.runtime.caller import CALLER, Anybody, Caller, Operator, Player, ServiceCaller, caller_id
from libs.runtime.errors import Refused

ALGORITHM: Final = "EdDSA"
AUDIENCE: Final = "sparrow"
ISSUERS: Final = ("account", "service", "operator")
ACCESS_VALID: Final = timedelta(minutes=15)
SERVICE_VALID: Final = timedelta(seconds=60)
TOKEN_CHARACTERS_MAX: Final = 2_000
CACHED_TOKENS_MAX: Final = 20_000
_encode: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
CLOCK_SKEW: Final = timedelta(seconds=30)
"""How far ahead of ours the clock of a signer may be; expiry has no leeway."""


class KeysMissingError(Exception):
    """The folder of keys does not hold what is needed; the text says which file."""


@dataclass(frozen=True)
class Keys:
    """The public keys that tokens are verified with, and the private ones this process holds."""

    public: Mapping[str, tuple[str, Ed25519PublicKey]]  # kid -> (issuer, key)
    private: Mapping[str, tuple[str, Ed25519PrivateKey]]  # issuer -> (kid, key)
    page_secret: bytes

    @classmethod
    def load(cls, folder: Path) -> Keys:
        """Read `<issuer>.pub`, where held `<issuer>.key`, and `page.secret`. Raises KeysMissingError."""
        public: dict[str, tuple[str, Ed25519PublicKey]] = {}
        private: dict[str, tuple[str, Ed25519PrivateKey]] = {}
        try:
            for issuer in ISSUERS:
                verifying = load_pem_public_key((folder / f"{issuer}.pub").read_bytes())
                assert isinstance(verifying, Ed25519PublicKey), f"{issuer}.pub is no Ed25519 key"
                public[_key_id(issuer, verifying)] = (issuer, verifying)
                if (folder / f"{issuer}.key").exists():
                    signing = _load_private(folder / f"{issuer}.key")
                    private[issuer] = (_key_id(issuer, signing.public_key()), signing)
            secret = bytes.fromhex((folder / "page.secret").read_text().strip())
        except (OSError, ValueError, AssertionError) as error:
            raise KeysMissingError(f"the signing keys in {folder} cannot be read: {error}") from error
        return cls(public, private, secret)

    def derive(self, purpose: str) -> bytes:
        """Return the 32-byte secret that all processes with these keys share for one purpose."""
        return hmac.digest(self.page_secret, f"sparrow:{purpose}".encode(), hashlib.sha256)

    def sign(self, issuer: str, claims: Mapping[str, Any], now: datetime, valid: timedelta) -> str:
        """Return a token of this issuer. Raises KeysMissingError when its private key is not held here."""
        if issuer not in self.private:
            raise KeysMissingError(f"this process does not hold {issuer}.key")
        kid, key = self.private[issuer]
        issued = int(now.timestamp())
        expires = issued + int(valid.total_seconds())
        body = {"iss": issuer, "aud": AUDIENCE, "iat": issued, "exp": expires, **claims}
        return jwt.encode(body, key, ALGORITHM, headers={"kid": kid})

    def verify(self, token: str, now: datetime) -> tuple[Caller, datetime]:
        """Return who the token speaks for and when it ends. Raises Refused TOKEN_INVALID, TOKEN_EXPIRED."""
        try:
            kid = jwt.get_unverified_header(token).get("kid")
            issuer, key = self.public[str(kid)]
            claims = jwt.decode(
                token,
                key,
                algorithms=[ALGORITHM],
                audience=AUDIENCE,
                issuer=issuer,
                options={
                    "require": ["exp", "iat", "iss", "aud", "sub"],
                    "verify_exp": False,  # judged below, by the injected clock
                    "verify_iat": False,
                    "verify_nbf": False,
                },
            )
            caller = _caller_of(issuer, claims)
            issued, expires = (datetime.fromtimestamp(int(claims[name]), UTC) for name in ("iat", "exp"))
        except (jwt.InvalidTokenError, KeyError, TypeError, ValueError, OverflowError, OSError) as error:
            raise Refused("TOKEN_INVALID", "the token is not one of ours") from error
        if issued > now + CLOCK_SKEW:
            raise Refused("TOKEN_INVALID", "the token was issued in the future")
        if expires <= now:
            raise Refused("TOKEN_EXPIRED", "the token has expired")
        return caller, expires


class TokenVerifier:
    """Verifies tokens; a token seen before is known by its digest until it expires."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._known: dict[bytes, tuple[Caller, datetime]] = {}

    def caller(self, token: str, now: datetime) -> Caller:
        """Return who calls. Raises Refused TOKEN_INVALID or TOKEN_EXPIRED."""
        if len(token) > TOKEN_CHARACTERS_MAX:
            raise Refused("TOKEN_INVALID", "the token is not one of ours")
        digest = hashlib.sha256(token.encode()).digest()
        known = self._known.get(digest)
        if known is None or known[1] <= now:
            known = self._keys.verify(token, now)
            if len(self._known) >= CACHED_TOKENS_MAX:
                self._known.clear()
            self._known[digest] = known
        return known[0]


def access_token(keys: Keys, account_id: UUID, session_id: UUID, now: datetime) -> tuple[str, datetime]:
    """Return a player's access token and the instant from which it is refused."""
    token = keys.sign("account", {"sub": str(account_id), "sid": str(session_id)}, now, ACCESS_VALID)
    return token, datetime.fromtimestamp(int(now.timestamp()), UTC) + ACCESS_VALID


def service_token(keys: Keys, name: str, now: datetime) -> str:
    """Return a token with which the service of this name calls others, for 60 s."""
    return keys.sign("service", {"sub": name}, now, SERVICE_VALID)


def mint_operator_token(key_path: Path, name: str, ttl: timedelta, now: datetime | None = None) -> str:
    """Return an operator's token signed with the key file. Raises KeysMissingError when it cannot be read."""
    try:
        key = _load_private(key_path)
    except (OSError, ValueError, AssertionError) as error:
        raise KeysMissingError(f"the operator key {key_path} cannot be read: {error}") from error
    keys = Keys({}, {"operator": (_key_id("operator", key.public_key()), key)}, b"")
    if now is None:
        from libs.runtime.systemclock import SystemClock

        now = SystemClock().now()
    return keys.sign("operator", {"sub": name}, now, ttl)


class OpaqueTokens:
    """Page and resume tokens: readable by us alone, and a changed or borrowed one is refused.

    Nobody learns from a token how far a stream has come, which can tell what happened out of sight.
    A token is bound to its kind, to the caller of the running call, and to `bound_to` (see `paging.listing`).
    """

    def __init__(self, secret: bytes) -> None:
        assert len(secret) >= 16, "the secret of opaque tokens has at least 128 bits"
        self._cipher = AESSIV(hashlib.sha512(secret).digest())

    def seal(
        self, kind: str, payload: Mapping[str, Any], now: datetime, valid_s: int, *, bound_to: bytes = b""
    ) -> str:
        """Return a token that holds `payload` (JSON values). Kinds begin with "page" or "resume"."""
        body = _encode([int(now.timestamp()) + valid_s, dict(payload)]).encode()
        sealed = self._cipher.encrypt(body, self._bound_to(kind, bound_to))
        return base64.urlsafe_b64encode(sealed).decode().rstrip("=")

    def open(self, kind: str, token: str, now: datetime, *, bound_to: bytes = b"") -> dict[str, Any]:
        """Return the payload. Raises Refused <PAGE|RESUME>_TOKEN_INVALID or <PAGE|RESUME>_EXPIRED."""
        family = "RESUME" if kind.startswith("resume") else "PAGE"
        try:
            raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError) as error:
            raise Refused(f"{family}_TOKEN_INVALID", "the token is not one of this list's") from error
        try:
            body = self._cipher.decrypt(raw, self._bound_to(kind, bound_to))
        except (InvalidTag, ValueError) as error:
            raise Refused(f"{family}_TOKEN_INVALID", "the token is not one of this list's") from error
        expires, payload = json.loads(body)
        if now.timestamp() >= expires:
            raise Refused(f"{family}_EXPIRED", "the token is too old: begin again")
        assert isinstance(payload, dict)
        return payload

    def _bound_to(self, kind: str, bound_to: bytes) -> list[bytes]:
        """What a token is worth nothing without."""
        return [kind.encode(), caller_id(CALLER.get(Anybody())).bytes, bound_to]


def _caller_of(issuer: str, claims: Mapping[str, Any]) -> Caller:
    if issuer == "account":
        return Player(UUID(claims["sub"]), UUID(claims["sid"]))
    return ServiceCaller(claims["sub"]) if issuer == "service" else Operator(claims["sub"])


def _key_id(issuer: str, key: Ed25519PublicKey) -> str:
    raw = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    return f"{issuer}-{hashlib.sha256(raw).hexdigest()[:16]}"


def _load_private(path: Path) -> Ed25519PrivateKey:
    key = load_pem_private_key(path.read_bytes(), password=None)
    assert isinstance(key, Ed25519PrivateKey), f"{path.name} is no Ed25519 key"
    return key
