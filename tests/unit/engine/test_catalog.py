"""What `epc models list` says that a provider needs."""

from types import SimpleNamespace
from typing import Any

import pytest

from epc.engine.catalog import _known_provider


def provider(**changed: Any) -> Any:
    fixed = {"name": "p", "base_variable": "P_BASE_URL", "key_variable": "P_API_KEY"}
    more = {"base_url": "https://p.example/v1", "needs_key": True, "gateway": False}
    return SimpleNamespace(**{**fixed, **more, **changed})


@pytest.mark.parametrize(
    ("of", "environment", "needs"),
    [
        (provider(), {}, "P_API_KEY"),
        (provider(), {"P_API_KEY": "k"}, None),
        (provider(needs_key=False), {}, None),
        (provider(base_url=None), {"P_API_KEY": "k"}, "P_BASE_URL"),
        (provider(base_url=None), {"P_BASE_URL": "http://h", "P_API_KEY": "k"}, None),
        (provider(base_url=None), {"P_BASE_URL": "http://h"}, "P_API_KEY"),
    ],
)
def test_a_provider_needs_an_address_and_then_a_key(
    of: Any, environment: dict[str, str], needs: str | None
) -> None:
    assert _known_provider(of, environment).needs == needs


def test_a_gateway_and_an_address_of_ones_own_are_said() -> None:
    gateway = _known_provider(provider(gateway=True), {})
    own = _known_provider(provider(base_url=None), {})

    assert gateway.what == "chat completions at https://p.example/v1 (a gateway)"
    assert (own.name, own.what) == ("p/MODEL", "chat completions at the address in P_BASE_URL")
