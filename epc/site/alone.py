"""A snapshot's page by itself: all that it may look at, and so all that it follows from.

The page is made of these values and of nothing else, so that it may be kept under their digest.
"""

import pickle
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Self

from epc.site.pages import Site, SnapshotPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """A snapshot's page, and the site without all others; of names of evaluators its own at most.

    `beside` is the tag of the snapshot that it is compared with first.
    """

    site: Site
    page: SnapshotPage
    known: set[str]
    beside: str | None

    @classmethod
    def of(cls, site: Site, page: SnapshotPage, known: set[str], beside: str | None) -> Self:
        """Leave out of a site what is of others."""
        tag = page.row.tag
        own = {tag: site.evidence[tag]} if tag in site.evidence else {}
        bare = replace(site, snapshots=(), evaluators=(), changes=(), successions=(), evidence=own)
        own_name = {page.row.snapshot.tag.generation}
        return cls(site=bare, page=page, known=own_name & known, beside=beside)

    def follows_from(self) -> list[str]:
        """Return the digest of all of it; of the registry a page sees the expiry policy alone."""
        site = self.site
        about_site = (site.as_of, site.address, site.repository, site.policy, dict(site.evidence))
        given = (about_site, self.page, sorted(self.known), self.beside)
        return ["source", sha256(pickle.dumps(given)).hexdigest()]
