"""An environment that has the wheel of this tree and nothing but what the wheel asks for.

The wheel is built through the source archive, as a package index would get it, and installed with
what its own metadata asks for. Nothing leaves the machine: the dependencies' wheels are made again
of what is installed here, and there are no others to choose from.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from engine_support import PATIENCE_S
from registry_support import ROOT

CORE = ("click", "msgspec", "pyyaml")
UV = str(Path(sys.executable).with_name("uv"))


@dataclass(frozen=True, kw_only=True)
class Installed:
    """An environment with the wheel in it, and the wheels that it was made of."""

    wheel: Path
    wheels: Path
    python: Path

    def run(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return started((str(self.python.with_name("epc")), *arguments), self.wheels, code)


def started(
    arguments: tuple[str, ...], folder: Path, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a program as somebody does who has never heard of this repository."""
    kept = {key: value for key, value in os.environ.items() if key in {"PATH", "HOME", "LANG"}}
    env = {**kept, "UV_OFFLINE": "1", "UV_NO_CONFIG": "1", "UV_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return done


def sources(folder: Path) -> Path:
    """Return a copy of what a source archive is made of, so that nothing is built in this clone."""
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "params.yaml"):
        shutil.copy(ROOT / name, folder)
    for licence in ROOT.glob("LICENSE*"):
        shutil.copy(licence, folder)
    leave = shutil.ignore_patterns("__pycache__", ".*", "raw", "raw.dvc", "*.md")
    for name in ("epc", "snapshots"):
        shutil.copytree(ROOT / name, folder / name, ignore=leave, copy_function=os.link)
    return folder


def rebuild_wheel(package: Distribution, folder: Path) -> None:
    """Make a wheel of an installed package."""
    tag = next(
        line.removeprefix("Tag: ")
        for line in (package.read_text("WHEEL") or "").splitlines()
        if line.startswith("Tag: ")
    )
    name = package.metadata["Name"].replace("-", "_")
    new_path = folder / f"{name}-{package.version}-{tag}.whl"
    with zipfile.ZipFile(new_path, "w") as wheel:
        for path in package.files or ():
            if ".." not in path.parts and path.suffix != ".pyc":
                wheel.write(path.locate(), str(path))


def installed_in(folder: Path) -> Installed:
    wheels, source = folder / "wheels", folder / "source"
    wheels.mkdir()
    source.mkdir()
    build = (UV, "build", "--quiet", "--no-build-isolation", "--python", sys.executable)
    started((*build, "--out-dir", str(wheels), str(sources(source))), folder)
    for name in CORE:
        rebuild_wheel(distribution(name), wheels)
    return installed_from(wheels, folder, "epc-registry")


def installed_from(wheels: Path, folder: Path, *packages: str) -> Installed:
    started((UV, "venv", "--quiet", "--python", sys.executable, str(folder / "clean")), folder)
    python, (wheel,) = folder / "clean" / "bin" / "python", wheels.glob("epc_registry-*.whl")
    choose = ("--no-index", "--find-links", str(wheels), "--python", str(python))
    started((UV, "pip", "install", "--quiet", *choose, *packages), folder)
    started((str(python), "-m", "compileall", "-q", str(site_of(python))), folder)  # as pip does
    return Installed(wheel=wheel, wheels=wheels, python=python)


def site_of(python: Path) -> Path:
    (path,) = (python.parent.parent / "lib").glob("python3*/site-packages")
    return path


def further_environment(installed: Installed, folder: Path, *packages: str) -> Installed:
    """Return a further environment with the wheel and packages of this environment."""
    wheels = folder / "wheels"
    shutil.copytree(installed.wheels, wheels, ignore=shutil.ignore_patterns("cache"))
    for name in packages:
        rebuild_wheel(distribution(name), wheels)
    return installed_from(wheels, folder, "epc-registry", packages[0])
