"""Ships the registry as this checkout holds it, so that names are looked up outside of one.

The wheel is small: JSON in it is not indented, and the conformance vectors are compressed.
"""

import gzip
import json
import re
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).parent


class WithRegistry(build_py):
    """Writes the published document beside the module that reads it."""

    def run(self) -> None:
        """Build; an editable package stands in a checkout and needs no copy of it."""
        super().run()
        if self.editable_mode:
            return
        sys.path.insert(0, str(HERE))
        from epc.registry.reading import SHIPPED, document

        text = json.dumps(document(HERE), ensure_ascii=False, separators=(",", ":"))
        out = Path(self.build_lib) / "epc" / "registry" / SHIPPED.name
        out.write_bytes(gzip.compress(text.encode(), mtime=0))
        for path in (Path(self.build_lib) / "epc" / "spec").rglob("*.json"):
            content = re.sub(rb"\n *", b"", path.read_bytes())
            path.unlink()  # it may be a link to the checkout's own
            if "conformance" in path.parts:
                path.with_suffix(".json.gz").write_bytes(gzip.compress(content, mtime=0))
            else:
                path.write_bytes(content + b"\n")


setup(cmdclass={"build_py": WithRegistry})
