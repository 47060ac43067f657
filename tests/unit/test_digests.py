"""SHA-256 of texts, bytes and files."""

from pathlib import Path

from epc.digests import file_sha256, sha256

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4, message abc


def test_a_text_its_bytes_and_its_file_have_one_digest(tmp_path: Path) -> None:
    (tmp_path / "abc").write_bytes(b"abc")

    assert {sha256("abc"), sha256(b"abc"), file_sha256(tmp_path / "abc")} == {ABC}
    assert sha256("\ud800") == sha256(b"\xed\xa0\x80")
