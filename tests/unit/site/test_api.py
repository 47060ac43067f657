"""What the description of the API says of each address."""

import pytest

from epc.site.api import _path


@pytest.mark.parametrize(
    ("path", "names"),
    [("index.json", []), ("evaluators/{name}.json", ["name"]), ("snapshots/{tag}.json", ["tag"])],
)
def test_what_stands_in_an_address_is_required_and_may_not_be_there(
    path: str, names: list[str]
) -> None:
    asked = _path(path, "api_thing", "A thing")["get"]

    assert asked["operationId"] == "thing"
    assert [(each["name"], each["in"], each["required"]) for each in asked["parameters"]] == [
        (name, "path", True) for name in names
    ]
    assert set(asked["responses"]) == ({"200", "404"} if names else {"200"})
