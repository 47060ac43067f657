"""What of the folder of snapshots is published: nothing that is only being made."""

from pathlib import Path

from registry_support import Checkout

from epc.site.machines import remote


def test_what_is_being_written_or_was_left_by_a_killed_process_is_not_published(
    tmp_path: Path,
) -> None:
    made = Checkout(tmp_path / "registry")
    made.publish()
    stored = made.home / ".store" / "files" / "md5" / "0a"
    stored.mkdir(parents=True)
    (stored / "1b").write_text("x")
    before = dict(remote(made.folder))
    assert "snapshots/.store/files/md5/0a/1b" in before

    (stored / ".1b.partial").write_text("x")
    (made.home / ".lock").write_text("1\n")
    (made.home / ".events.jsonl.abc").write_text("{")
    building = made.home / ".publishing-abc" / "v1.1-Judge-1"
    building.mkdir(parents=True)
    (building / "manifest.json").write_text("{")

    assert dict(remote(made.folder)) == before
