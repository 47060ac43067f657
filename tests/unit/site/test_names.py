"""The list of names holds the program's own answer on every later day, not on sampled ones only."""

from datetime import date, timedelta
from typing import Any

from registry_support import ROOT

from epc.answers.snapshot_status import status_on
from epc.registry.reading import of_folder
from epc.site.names import document

BUILT = date(2026, 4, 1)


def test_between_two_days_of_the_list_no_answer_changes() -> None:
    registry = of_folder(ROOT)
    new_document = document(registry, BUILT)
    days = [BUILT + timedelta(days=n) for n in (0, 1, 29, 61, 128, 205, 206, 236, 258, 288, 500)]
    days += [
        date.fromisoformat(d) for d in ("2026-10-22", "2026-10-23", "2027-01-13", "2027-01-14")
    ]

    def listed(states: list[list[Any]], day: date, life: Any = None) -> list[object]:
        *_, told = (s for s in states if str(s[0]) <= str(day))
        _, status, reason, until, note, source, revision, *not_before = told
        if life:
            parts = (life["names"][0], life["platform"], until, life["seen"])
            note = new_document["notes"][note].format(*parts)
        return [
            status,
            reason,
            until,
            note,
            new_document["sources"][source] if source is not None else None,
            revision,
            *not_before,
        ]

    alone = [g for g in registry.catalogue.values() if g.name not in registry.generations]
    known = [*registry.generations.values(), *alone]
    lives = [
        [*g.lives, *(x for x in further.lives if further is not g and not g.on(x.platform))]
        for g in known
        for further in [registry.catalogue.get(g.name, g)]
    ]
    assert [told["name"] for told in new_document["generations"] if told.get("listed")] == [
        g.name for g in alone
    ]
    for day in days:
        for told, generation, own_lives in zip(
            new_document["generations"], known, lives, strict=True
        ):
            for life, service_term in zip(told["lives"], own_lives, strict=True):
                state = registry.of_life("", service_term, day)
                until = state.until.isoformat() if state.until else None
                own = [state.status, state.reason, until, state.note, state.source, state.revision]
                own += [state.not_before.isoformat()] if state.not_before else []
                assert listed(life["states"], day, life) == own, (
                    generation.name,
                    service_term.platform,
                    day,
                )
        for entry in new_document["snapshots"]:
            state = status_on(registry, entry["tag"], day).state
            assert listed(entry["states"], day)[0] == state.status, (entry["tag"], day)
