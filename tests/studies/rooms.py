"""Draw which room of `epc/` imports from which: `site/docs/assets/rooms.svg`.

The picture is made from the imports themselves. `tests/test_architecture.py` fails while the
committed one says something else; this program writes it again:

    .venv/bin/python tests/studies/rooms.py
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from test_layers import ALLOWED, MODULES, ROOMS, imports, layer_of

PICTURE: Final = Path(__file__).parents[2] / "site" / "docs" / "assets" / "rooms.svg"
CELL, LEFT, TOP = 30, 100, 96
SIDE: Final = CELL * len(ROOMS)
WIDTH, HEIGHT = LEFT + SIDE + 16, TOP + SIDE + 48
# A picture in a page cannot see the page's colours, so it brings a background of its own.
STYLE: Final = """
svg { --ground: #ffffff; --ink: #1d1d1f; --soft: #59595e; --line: #d5d5da; --mark: #1f5fa8 }
@media (prefers-color-scheme: dark) {
  svg { --ground: #1b1d23; --ink: #f0f0f3; --soft: #b4b4bc; --line: #3d4049; --mark: #7db5f5 }
}
text { font: 14px system-ui, sans-serif; fill: var(--ink) }
.soft { font-size: 12px; fill: var(--soft) }
.ground { fill: var(--ground) }
.line { stroke: var(--line) }
.itself { fill: var(--line) }
.does { fill: var(--mark) }
.may { fill: none; stroke: var(--soft); stroke-width: 1.5 }
"""


def used() -> dict[str, set[str]]:
    """Return the rooms that each room imports from."""
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for path in MODULES:
        room = layer_of(path)
        names = [name.split(".") for name in imports(path) if name.startswith("epc.")]
        if room in found:
            found[room] |= {parts[1] for parts in names if parts[1] in found} - {room}
    return found


def in_words(rooms: Mapping[str, set[str]]) -> str:
    """Return what the picture shows, for whoever does not see it."""
    rows = (
        f"{room} imports from {', '.join(sorted(rooms[room], key=ROOMS.index)) or 'no other room'}"
        for room in ROOMS
    )
    return "; ".join(rows) + "."


def picture(rooms: Mapping[str, set[str]]) -> str:
    """Return the picture: a row a room, a column for each that it may import from."""
    return "\n".join(_lines(rooms)) + "\n"


def _lines(rooms: Mapping[str, set[str]]) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" aria-labelledby="title words">'
    )
    yield '<title id="title">Which room imports from which</title>'
    yield f'<desc id="words">{in_words(rooms)}</desc>'
    yield f"<style>{STYLE}</style>"
    yield f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>'
    for place, room in enumerate(ROOMS):
        middle = TOP + CELL * place + CELL // 2
        across = LEFT + CELL * place + CELL // 2
        yield f'<text x="{LEFT - 10}" y="{middle + 5}" text-anchor="end">{room}</text>'
        yield (
            f'<text x="{across}" y="{TOP - 8}" '
            f'transform="rotate(-55 {across} {TOP - 8})">{room}</text>'
        )
        yield (
            f'<line class="line" x1="{LEFT}" y1="{middle}" x2="{across}" y2="{middle}"/>'
            f'<line class="line" x1="{across}" y1="{middle}" x2="{across}" y2="{TOP + SIDE}"/>'
        )
        corner = f'x="{across - 9}" y="{middle - 9}"'
        yield f'<rect class="itself" {corner} width="18" height="18" rx="3"/>'
        for other in sorted(ALLOWED[room] | rooms[room], key=ROOMS.index):
            does = other in rooms[room]
            yield (
                f'<circle class="{"does" if does else "may"}" r="{7 if does else 4}" '
                f'cx="{LEFT + CELL * ROOMS.index(other) + CELL // 2}" cy="{middle}"/>'
            )
    bottom = TOP + SIDE + 28
    yield f'<circle class="does" cx="{LEFT}" cy="{bottom - 4}" r="7"/>'
    yield f'<text class="soft" x="{LEFT + 14}" y="{bottom}">row imports from column</text>'
    yield f'<circle class="may" cx="{LEFT + 190}" cy="{bottom - 4}" r="4"/>'
    yield f'<text class="soft" x="{LEFT + 204}" y="{bottom}">may, and does not</text>'
    yield "</svg>"


if __name__ == "__main__":
    PICTURE.write_text(picture(used()), "utf-8")
    print(PICTURE)
