"""`epc site build` over a registry that has everything."""

import json

from site_support import AS_OF, BuiltSite, epc


def test_every_snapshot_and_evaluator_has_its_page(site: BuiltSite) -> None:
    for tag in ("v1.0-Judge-1", "v1.1-Judge-1", "v1.0-CoinFlip"):
        assert (site.out / "snapshots" / tag / "index.html").is_file()
        assert f'data-tag="{tag}"' in site.text(f"snapshots/{tag}/index.html")
    for name in ("Judge-1", "Judge-2"):
        assert (site.out / "evaluators" / name / "index.html").is_file()
    assert not (site.out / "evaluators" / "CoinFlip").exists(), "a mock is no evaluator"


def test_home_shows_what_holds_and_expired_what_does_not(site: BuiltSite) -> None:
    current = site.text("index.html").split('id="calibration"')[0]
    expired = site.text("expired/index.html")

    assert 'data-tag="v1.1-Judge-1"' in current
    assert 'data-tag="v1.0-Judge-1"' not in current
    assert 'data-tag="v1.0-Judge-1"' in expired
    assert "a cache" in expired
    assert 'data-tag="v1.0-CoinFlip"' not in current


def test_a_snapshots_document_holds_what_the_command_line_prints(site: BuiltSite) -> None:
    for tag in ("v1.1-Judge-1", "v1.0-CoinFlip"):
        words = ("snapshot", "show", tag, "--as-of", AS_OF, "--format", "json")
        said = json.loads(epc(site.checkout.folder, *words).stdout)
        published = json.loads(site.text(f"api/v1/snapshots/{tag}.json"))

        assert {key: published[key] for key in said} == said
