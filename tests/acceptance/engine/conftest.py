"""A server on loopback that stands in for a provider."""

from collections.abc import Iterator

import pytest
from endpoint_support import Endpoint, serving


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as server:
        yield server
