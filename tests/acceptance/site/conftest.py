"""The site, served as `epc admin site serve` does."""

from collections.abc import Iterator

import pytest
from browser_support import served
from site_support import BuiltSite


@pytest.fixture(scope="session")
def address(site: BuiltSite) -> Iterator[str]:
    with served(site.out) as text:
        yield text
