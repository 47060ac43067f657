"""Reading R104: whom names mean, and until when they are served, worked out from the records.

Each case was derived by hand from `snapshots/evaluators/`: a text, a day, and what the answer has.
"""

from dataclasses import replace
from datetime import date
from functools import cache

import pytest
from registry_support import ROOT, date_claim, day, generation_record, life_record

from epc.answers.resolve import resolve
from epc.answers.service import gate, service, states
from epc.answers.types import Place, Service
from epc.registry.reading import of_folder
from epc.registry.registry import Registry

A, B, C = "2026-11-28", "2026-12-15", "2027-03-15"
BEDROCK = "anthropic.claude-sonnet-4-5-20250929-v1:0"
ARN = "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-opus-20240229-v1:0"


@cache
def published() -> Registry:
    return of_folder(ROOT)


def told(place: Place) -> str:
    """Return a place as the cases write it: platform, status, its day, and who saw it when."""
    days = {"until": place.until, "at least": place.not_before}
    dated = " ".join(f"{word} {on}" for word, on in days.items() if on)
    if place.status == "unconfirmed":
        dated = f"since {place.state.since}"
    return f"{place.platform} {place.status} {dated}".rstrip()


@pytest.mark.parametrize(
    ("text", "on", "headline", "gravest", "beside"),
    [
        ("claude-haiku-4-5", A, "anthropic current", None,
         ["azure-foundry unconfirmed since 2026-11-15"]),
        # Seen on 20 November; with 121 days it is 21 March.
        ("claude-haiku-4-5", "2027-03-20", "anthropic current", None, []),
        ("claude-haiku-4-5", "2027-03-21", "anthropic unconfirmed since 2027-03-21", None, []),
        ("claude-3-5-sonnet", A, "anthropic expired until 2025-10-28", None,
         ["google-vertex expired until 2026-02-19", "aws-bedrock expired until 2026-07-30"]),
        ("gpt-4o", A, "openai expiring until 2027-01-14", None,
         ["azure-foundry current at least 2027-04-14"]),
        ("gpt-4o", C, "openai expired until 2027-01-14", None, []),
        ("azure/gpt-4o", A, "azure-foundry current at least 2027-04-14", None, []),
        ("azure/gpt-4o", C, "azure-foundry current at least 2027-04-14", None, []),
        ("azure/gpt-4o-2024-08-06", A, "azure-openai current until 2027-04-14", None, []),
        ("gemini-2.5-flash", A, "google-gemini-api expiring until 2026-12-01",
         "google-vertex expired until 2026-10-20", []),
        ("gemini-2.5-flash", B, "google-gemini-api expired until 2026-12-01", None, []),
        ("vertex_ai/gemini-2.5-flash", A, "google-vertex expired until 2026-10-20", None, []),
        (f"bedrock/{BEDROCK}", A, "aws-bedrock current until 2027-04-08", None, []),
        (f"bedrock/{BEDROCK}", C, "aws-bedrock expiring until 2027-04-08", None, []),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", A, "aws-bedrock expired until 2026-10-14",
         None, []),
        (ARN, A, "aws-bedrock unknown", None, ["anthropic expired until 2026-01-05"]),
        ("openrouter/anthropic/claude-sonnet-4.5", A, "anthropic expiring until 2026-11-30", None,
         []),
        ("claude-sonnet-4-5", B, "anthropic expired until 2026-11-30", None,
         ["azure-foundry unconfirmed since 2026-11-30"]),
        ("deepseek-v4-pro", A, "deepseek expired until 2026-09-14", None,
         ["together current", "azure-foundry current at least 2028-02-20"]),
        ("together_ai/deepseek-ai/DeepSeek-V4-Pro", A, "together current", None, []),
        ("wandb/DeepSeek-V4-Pro", A, "wandb expired until 2026-10-05", None, []),
        ("kimi-k2.6", A, "moonshot current", None, []),
        ("claude-opus-4-5", A, "anthropic unconfirmed since 2026-11-24", None, []),
        ("claude-opus-4-5-20251101", A, "anthropic unconfirmed since 2026-11-24", None,
         ["aws-bedrock current", "google-vertex current"]),
        # Seen on 31 July, 121 days before: a stated day that lies ahead holds.
        ("azure/gpt-5.4-mini", "2026-11-29", "azure-foundry current at least 2027-09-21", None, []),
        ("gpt-5.4-nano", C, "openai expiring until 2027-04-01", None, []),
        ("azure/gpt-4-32k", A, "azure-foundry expired until 2025-06-06", None, []),
        ("text-bison-001", A, "google-gemini-api expired until 2024-08-15", None,
         ["google-vertex expired until 2025-04-09"]),
    ],
)  # fmt: skip
def test_reading_r104_a_name_is_answered_by_its_home_and_what_is_graver_at_its_makers(
    text: str, on: str, headline: str, gravest: str | None, beside: list[str]
) -> None:
    found = service(published(), text, day(on))

    assert found.headline
    assert told(found.headline) == headline
    assert (told(found.gravest) if found.gravest else None) == gravest
    assert {*beside} <= {told(place) for place in found.other_places}


def headline(text: str, on: str = A) -> Place:
    place = service(published(), text, day(on)).headline
    assert place
    return place


def test_reading_r104_a_place_says_what_is_meant_when_it_was_seen_and_what_follows() -> None:
    haiku, gpt = headline("claude-haiku-4-5"), headline("gpt-4o")
    gemini, sonnet = headline("gemini-2.5-flash"), headline("claude-3-5-sonnet")
    deepseek, nano = headline("deepseek-v4-pro"), headline("gpt-5.4-nano", C)

    assert (haiku.target.id, haiku.last_seen) == ("claude-haiku-4-5-20251001", day("2026-11-20"))
    assert (gpt.target.id, gpt.target.since, gpt.days) == (
        *("gpt-4o-2024-08-06", day("2024-10-02"), 47),
    )
    assert (gemini.days, gemini.answers_next) == (3, "gemini-3.5-flash-lite")
    assert gemini.state.note.endswith(
        "names gemini-3.5-flash-lite instead, which answers from that day"
    )
    together = headline("together_ai/deepseek-ai/DeepSeek-V4-Pro").state.note
    assert together == "no end is stated, as seen on 2026-10-25"
    assert (sonnet.target.how, sonnet.replacement) == ("family", "claude-sonnet-4-6")
    assert "all 2 versions ended" in sonnet.state.note
    assert (deepseek.replacement, deepseek.replacement_name) == (
        *("deepseek-flash (V4.1 Flash)", None),
    )
    assert (nano.days, nano.replacement) == (17, "gpt-6-luna")
    assert nano.replacement_name
    assert nano.replacement_name.is_known
    assert headline("azure/gpt-4o").last_seen == day("2026-11-20")
    assert headline("azure/gpt-4o").target.how == "list"
    assert (headline(f"bedrock/{BEDROCK}").days, headline(f"bedrock/{BEDROCK}", C).days) == (
        131,
        24,
    )
    assert headline("openrouter/anthropic/claude-sonnet-4.5").days == 2
    assert headline("together_ai/deepseek-ai/DeepSeek-V4-Pro").last_seen == day("2026-10-25")
    assert headline("wandb/DeepSeek-V4-Pro").sources == 1
    assert headline("kimi-k2.6").last_seen == day("2026-11-20")
    assert headline("claude-opus-4-5").target.id == "claude-opus-4-5-20251101"
    assert headline("azure/gpt-4-32k").target.how == "family"


def test_reading_r104_weights_that_anybody_has_are_no_place() -> None:
    for text in ("deepseek-v4-pro", "kimi-k2.6"):
        found = service(published(), text, day(A))

        assert found.weights == "public"
        assert "open-weights" not in {place.platform for place in found.places}
        assert found.headline
        assert states(published(), text, day(A))[0].note.endswith("; its weights are public")


def test_reading_r104_before_the_first_release_a_model_is_released_nowhere() -> None:
    """Anthropic states 15 October 2025, and the clouds state no day of theirs."""
    found = service(published(), "claude-haiku-4-5-20251001", day("2025-01-01"))

    assert len(found.places) > 1
    assert {(place.status, place.state.note) for place in found.places} == {
        ("unknown", "not released yet on this day")
    }
    assert found.next == day("2025-10-15")


def test_reading_r104_without_a_release_day_a_model_is_there_from_the_first_day_it_was_seen() -> (
    None
):
    """Its platforms state no release; its first verdicts were published on 30 April 2026."""
    before, after = (service(published(), "gpt-5.4-nano", day(on)) for on in ("2026-04-29", A))

    assert {place.status for place in before.places} == {"unknown"}
    assert before.next == day("2026-04-30")
    assert headline("gpt-5.4-nano", "2026-04-30").status == "current"
    assert after.is_served
    weights = (service(published(), "Con-J-Qwen2-7B", day(on)) for on in ("2022-01-01", A))
    assert [found.is_served for found in weights] == [False, True]


def test_reading_r104_a_replacement_is_not_named_before_it_was_released() -> None:
    """Judge-2, which replaces Judge-1, was released on 1 May 2026."""
    judges = registry(
        generation_record(
            "Judge-1", life_record(retires=date_claim("2026-06-01"), replacement="judge-2")
        ),
        generation_record(
            "Judge-2", life_record(model="judge-2", released=date_claim("2026-05-01"))
        ),
    )

    before, after = (
        service(judges, "judge-1", day(on)).headline for on in ("2026-04-30", "2026-05-01")
    )

    assert before
    assert after
    assert (before.replacement, after.replacement) == (None, "judge-2")
    assert "judge-2" not in before.state.note
    assert "names judge-2 instead" in after.state.note


def test_reading_r104_a_name_without_a_home_is_unknown_and_its_hints_mean_something() -> None:
    qwen, gemini = (service(published(), text, day(A)) for text in ("qwen3.7", "Gemini 3.1 Pro"))

    assert (qwen.headline, qwen.places, qwen.name.kind) == (None, (), "unknown")
    meant = [resolve(published(), hint, day(A)).plain for hint in qwen.name.hints]
    assert meant == ["qwen3.7-max", "qwen3.7-plus", "qwen3.7-flash"]
    assert gemini.headline is None
    assert "gemini-3.1-pro-preview" in gemini.name.hints
    assert "snowflake-cortex current" in {told(p) for p in gemini.other_places}
    for hint in (*qwen.name.hints, *gemini.name.hints):
        assert resolve(published(), hint, day(A)).is_known


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("claude-3-5-sonnet", ["expired"]),
        ("gemini-2.5-flash", ["expiring", "expired"]),
        ("google-gemini-api/gemini-2.5-flash", ["expiring"]),
        ("deepseek-v4-pro", ["expired"]),
        ("gpt-4o", ["expiring"]),
        ("qwen3.7", ["unknown"]),
    ],
)
def test_reading_r104_a_gate_takes_the_gravest_or_the_headline_and_a_platform_cures_it(
    text: str, status: list[str]
) -> None:
    assert [state.status for state in gate(published(), text, day(A))] == status


def lasting(found: Service) -> list[object]:
    """Return what is the same on each day until the answer changes."""
    return [
        (place.platform, place.target.id, replace(place.state, as_of=date.min))
        for place in found.places
    ]


@pytest.mark.parametrize("text", ["gpt-4o", "azure/gpt-4o", "gemini-2.5-flash", "gpt-4"])
def test_reading_r104_an_answer_changes_on_its_next_day_and_on_none_between(text: str) -> None:
    """Every day of two years, as far as anything is known of them."""
    found = service(published(), text, day("2026-06-01"))
    changes = 0
    for on in range(day("2026-06-02").toordinal(), day("2028-06-01").toordinal()):
        later = service(published(), text, date.fromordinal(on))
        is_turn = later.as_of == found.next
        assert (lasting(later) != lasting(found)) == is_turn, later.as_of
        changes += is_turn
        found = later if is_turn else found

    assert changes


def test_reading_r104_a_platform_in_a_name_is_the_headlines() -> None:
    for model in published().generations.values():
        for life in model.lives:
            text = f"{life.platform}/{life.model}"
            if published().names.is_alike(text):  # another platform's own spelling
                continue
            found = resolve(published(), text, day(A))
            assert found.home, (life.platform, life.model)
            assert found.home.platform == life.platform


def test_property_p9_the_name_that_is_printed_for_a_model_means_it_and_no_other() -> None:
    names = [published().plain_name(model) for model in published().generations]

    assert len(names) == len({*names})
    for model, name in zip(published().generations, names, strict=True):
        assert model in resolve(published(), name, day(A)).models, name


def registry(*records: dict[str, object]) -> Registry:
    policy = {"maximum_age_days": 180, "notice_days": 30, "confirmation_days": 120}
    return Registry.from_document(
        {"evaluators": [*records], "snapshots": [], "events": [], "policy": policy}
    )


def version(name: str, **fields: object) -> dict[str, object]:
    return generation_record(name, life_record(model=name, **fields))


def test_reading_r104_a_family_means_its_newest_version_that_has_not_ended() -> None:
    """-0301 came in March, -0613 in June; that one ends on 1 September, and -0301 is left."""
    found = registry(
        version("judge-0613", released=date_claim("2026-06-13"), retires=date_claim("2026-09-01")),
        version("judge-0301", released=date_claim("2026-03-01"), retires=date_claim("2026-10-01")),
        version("judge-mini-0702", released=date_claim("2026-07-02")),
    )

    def meant(on: str) -> str:
        home = resolve(found, "judge", day(on)).home
        assert home
        return home.id

    assert [meant(f"2026-{on}") for on in ("06-12", "06-13", "08-31", "09-01", "10-01")] == [
        *("judge-0301", "judge-0613", "judge-0613", "judge-0301", "judge-0301"),
    ]
    assert resolve(found, "judge", day("2026-08-01")).next == day("2026-09-01")
    (state,) = states(found, "judge", day("2026-10-01"))
    assert state.note.startswith("judge meant judge-0301 (all 2 versions ended); ")
    assert resolve(found, "judge-mini", day("2026-08-01")).kind == "family"
    assert resolve(found, "judge-mi", day("2026-08-01")).kind == "unknown"


@pytest.mark.parametrize(
    ("ids", "newest"),
    [
        (["judge-03-2024", "judge-08-2024", "judge-11-2023"], "judge-08-2024"),
        (["judge@20240620", "judge-v2@20241022"], "judge-v2@20241022"),
        (["judge-2024-05-13", "judge-2024-11-20", "judge-2024-08-06"], "judge-2024-11-20"),
        (["judge-001", "judge-002"], "judge-002"),
    ],
)
def test_reading_r104_without_a_release_the_digits_say_which_version_is_the_newest(
    ids: list[str], newest: str
) -> None:
    home = resolve(registry(*map(version, ids)), "judge", day(A)).home

    assert home
    assert home.id == newest


def test_reading_r104_a_record_of_the_name_goes_before_its_family() -> None:
    found = registry(version("judge"), version("judge-0613"))

    home = resolve(found, "judge", day(A)).home
    assert home
    assert (home.id, home.how) == ("judge", "own")
