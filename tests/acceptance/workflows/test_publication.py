"""From a contribution to a withdrawal on a GitHub that refuses what GitHub refuses."""

import json
import resource
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
import yaml
from engine_support import environment, epc
from github_support import ACTIONS_APP, BOT, Actor, LocalGitHub, Run, github
from registry_support import commit, git
from workflow_support import ROOT, Json, Runner, workflow

AT = "repos/owner/registry"


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a measurement by mock models, of seeds that nothing published has."""
    folder = tmp_path_factory.mktemp("run") / "run"
    models = ("--evaluator", "mock/coin-flip", "--executor", "mock/deterministic")
    done = epc("run", *models, "--seeds", "100-119", "--rounds", "12", "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


def day_of_the_last_event() -> str:
    """Return the day on which the registry stands: no event may come before it."""
    last = json.loads((ROOT / "snapshots" / "events.jsonl").read_text().splitlines()[-1])
    return str(int(datetime.fromisoformat(f"{last['date']}T00:00:00+00:00").timestamp()))


class People:
    """Users of a repository on GitHub, each with a token of their own."""

    def __init__(self, server: LocalGitHub, folder: Path) -> None:
        self.github, self.folder = server, folder
        named = {actor.login: name for name, actor in server.tokens.items()}
        self.maintainer = named["maintainer"]
        self.second = server.token("second", server.tokens[self.maintainer].may)
        self.stranger = server.fork("stranger")

    def ask(self, name: str, method: str, path: str, body: Json | None = None) -> tuple[int, Json]:
        request = urllib.request.Request(f"{self.github.address}/api/{AT}{path}", method=method)
        request.add_header("Authorization", f"Bearer {name}")
        request.data = json.dumps(body or {}).encode()
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def clone(self, owner: str) -> Path:
        folder = self.folder / f"clone-of-{owner}"
        git(self.folder, "clone", "--quiet", self.github.url(owner), str(folder))
        return folder

    def push(self, clone: Path, name: str, branch: str, *, owner: str = "owner") -> str:
        """Push HEAD as a branch, and return what was refused; empty if nothing."""
        url = self.github.url(owner).replace("http://", f"http://x:{name}@")
        before = len(self.github.refused)
        try:
            git(clone, "push", "--quiet", "--force", url, f"HEAD:refs/heads/{branch}")
        except Exception as error:  # noqa: BLE001  (git says why on stderr)
            refused = getattr(error, "stderr", b"").decode()
            return f"{refused}{self.github.refused[before:]}"
        return ""

    def offer(self, name: str, head: str) -> int:
        code, pull = self.ask(
            name, "POST", "/pulls", {"head": head, "base": "main", "title": "T", "body": ""}
        )
        assert code == 200, pull
        return int(pull["number"])

    def walk(self, started: Run, *arguments: str, edited: Json | None = None) -> Runner:
        """Run a workflow that an event started, and tell GitHub what came of it."""
        runner = Runner(
            home=self.folder / f"run-{started.id}",
            origin=self.github.at("owner"),
            event=started.payload,
            github=self.github,
            run=started,
            more={"SOURCE_DATE_EPOCH": day_of_the_last_event()},
        )
        runner.walk(started.workflow, *arguments, edited=edited)
        self.github.completed(started, ok=not runner.failed)
        return runner

    def started(self, *names: str) -> list[Run]:
        """Return the runs of these workflows that wait for a runner."""
        return [run for run in self.github.queued() if run.workflow in names]

    def let_run(self, number: int) -> None:
        """Approve the runs that a pull request's push would start."""
        for run in self.github.runs:
            if run.status == "action_required" and run.payload.get("number") == number:
                code, _ = self.ask(self.maintainer, "POST", f"/actions/runs/{run.id}/approve")
                assert code == 200

    def passed(self) -> None:
        """Have all checks that wait pass without a runner: other tests walk them."""
        while waiting := self.started("ci.yml", "submission.yml"):
            for run in waiting:
                self.github.completed(run, ok=True)

    def merge(self, number: int, *, approver: str, sha: str | None = None) -> tuple[int, Json]:
        self.ask(approver, "POST", f"/pulls/{number}/reviews", {"event": "APPROVE"})
        body = {"sha": sha} if sha else {}
        return self.ask(self.maintainer, "PUT", f"/pulls/{number}/merge", body)


@pytest.fixture
def people(origin: Path, tmp_path: Path) -> Iterator[People]:
    with github(origin, tmp_path) as server:
        yield People(server, tmp_path)


@pytest.fixture
def few(tmp_path: Path) -> Iterator[People]:
    """Yield the people of a repository that has little more than the workflows."""
    seed = tmp_path / "seed"
    for name in (".github/workflows", "requirements"):
        shutil.copytree(ROOT / name, seed / name)
    for name in ("Makefile", "params.yaml", ".gitattributes", ".gitignore"):
        shutil.copy(ROOT / name, seed)
    (seed / "snapshots" / "evaluators").mkdir(parents=True)
    (seed / "snapshots" / "evaluators" / "none").touch()
    (seed / "snapshots" / "events.jsonl").touch()
    git(tmp_path, "init", "--quiet", str(seed))
    commit(seed, "begin")
    with github(seed, tmp_path) as server:
        yield People(server, tmp_path)


def submit(clone: Path, run: Path) -> str:
    """Make a submission in the contributor's clone as the guide says, and return its slug."""
    options = ("--contributor", "A. Name", "--login", "stranger", "--licence", "CC-BY-4.0")
    arguments = ("submission", "new", run, *options, "--conflicts", "none", "--endpoint", "direct")
    done = epc(*arguments, cwd=clone)
    assert done.returncode == 0, done.stderr
    commit(clone, "Offer a measurement")
    return Path(done.stdout.strip()).name


def processor() -> float:
    """Return the seconds of processor that started programs took: other work changes none of it."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def contributed(people: People, run: Path) -> tuple[int, str]:
    """A stranger offers a measurement from a fork; it is checked, and its report is shown."""
    clone = people.clone("stranger")
    slug = submit(clone, run)
    assert "403 Permission to owner/registry.git denied to stranger." in people.push(
        clone, people.stranger, "mine"
    )
    assert people.push(clone, people.stranger, "mine", owner="stranger") == ""
    number = people.offer(people.stranger, "stranger:mine")

    assert people.github.queued() == [], "a first-time contributor's runs wait for approval"
    first = people.github.runs[0]
    code, document = people.ask(people.stranger, "POST", f"/actions/runs/{first.id}/approve")
    assert (code, document["message"]) == (403, "Resource not accessible by integration")
    people.let_run(number)

    begun = processor()
    checks = people.started("ci.yml", "submission.yml")
    assert len(checks) == 2
    text = ""
    for started in checks:
        runner = people.walk(started)
        assert runner.failed == [], runner.said
        assert "make test" not in runner.ran
        assert "make reproduce" not in runner.ran
        text += runner.summary
        assert all(actor.may == {"contents": "read"} for actor in _jobs(people.github))
    assert processor() - begun < 60, "of three minutes; installing takes its part"

    assert text.startswith("### This submission can be published.\n")
    assert f"**`{slug}`**: ready" in text
    assert people.github.queued() == [], "nothing with a token that writes follows on a check"
    return number, slug


def _jobs(server: LocalGitHub) -> list[Actor]:
    return [actor for actor in server.tokens.values() if actor.app == ACTIONS_APP]


def merged(people: People, number: int) -> None:
    """The stranger's pull request is merged when somebody with write access has approved it."""
    code, document = people.merge(number, approver=people.stranger)
    assert (code, "approving review" in document["message"]) == (405, True)
    code, document = people.merge(number, approver=people.maintainer)
    assert code == 200, document


@pytest.mark.slow
@pytest.mark.nightly("test_an_app_publishes_as_documented_and_its_checks_start_at_once")
def test_the_whole_way_with_what_github_refuses(people: People, run: Path) -> None:
    number, slug = contributed(people, run)
    merged(people, number)
    (first,) = people.started("publish.yml")

    # Main goes on before the run has a runner: with a submission that is no good.
    clone = people.clone("owner")
    (clone / "submissions" / "a-bad-one").mkdir()
    (clone / "submissions" / "a-bad-one" / "submission.json").write_text("{}\n")
    commit(clone, "A submission that is none")
    assert "GH013: Repository rule violations" in people.push(clone, people.maintainer, "main")
    assert people.push(clone, people.maintainer, "bad") == ""
    bad = people.offer(people.maintainer, "bad")
    people.passed()
    assert people.merge(bad, approver=people.second)[0] == 200
    (_, second) = people.started("publish.yml")

    # What was approved is what is published, whatever main holds by now.
    runner = people.walk(first, "registry")
    assert runner.failed == [], runner.said
    home = people.github.at("owner")
    assert git(home, "rev-parse", "publication~1").strip() == first.payload["after"]
    (proposal,) = (p for p in people.github.pulls.values() if p["head"]["ref"] == "publication")
    assert proposal["user"]["login"] == BOT
    stale = proposal["head"]["sha"]

    # One submission that is refused stops no other, and the run says which it was.
    runner = people.walk(second, "registry")
    assert runner.failed == ["make publish"], runner.said
    assert git(home, "rev-parse", "publication~1").strip() == second.payload["after"]
    assert f"publishes `v1.0-CoinFlip` from `{slug}`" in proposal["body"]
    assert "**refused** `a-bad-one`" in proposal["body"]

    # The bot's pull request starts nothing until a maintainer says so.
    number = proposal["number"]
    assert people.started("submission.yml") == []
    code, document = people.merge(number, approver=people.maintainer)
    assert (code, "Required status check" in document["message"]) == (405, True)
    people.let_run(number)
    for started in people.github.queued():
        if (started.workflow, started.sha) == ("submission.yml", proposal["head"]["sha"]):
            runner = people.walk(started)
            assert runner.failed == [], runner.said
    people.passed()
    code, document = people.merge(number, approver=people.maintainer, sha=stale)
    assert (code, "was modified" in document["message"]) == (409, True)
    code, document = people.merge(number, approver=people.maintainer, sha=proposal["head"]["sha"])
    assert code == 200, document
    (third,) = people.started("publish.yml")
    runner = people.walk(third, "registry")
    assert runner.failed == ["make publish"], runner.said
    assert "nothing to propose" in runner.said
    tagged = git(home, "rev-parse", "v1.0-CoinFlip^{commit}").strip()
    assert tagged == proposal["head"]["sha"], "the tag is of the commit that was approved"


@pytest.mark.slow
def test_a_withdrawal_needs_somebody_else_and_is_shown(people: People) -> None:
    clone = people.clone("owner")
    arguments = (
        "admin",
        "snapshot",
        "withdraw",
        "v1.0-AlwaysA",
        "--reason",
        "the answers came from a cache",
    )
    today = environment(SOURCE_DATE_EPOCH=day_of_the_last_event())
    assert epc(*arguments, cwd=clone, env=today).returncode == 0
    commit(clone, "Withdraw v1.0-AlwaysA")
    assert people.push(clone, people.maintainer, "withdrawal") == ""
    number = people.offer(people.maintainer, "withdrawal")
    people.passed()
    code, document = people.ask(people.maintainer, "POST", f"/pulls/{number}/reviews")
    assert (code, document["message"]) == (422, "Can not approve your own pull request")
    code, document = people.merge(number, approver=people.second)
    assert code == 200, document
    (last,) = people.started("publish.yml")
    runner = people.walk(last, "build", "deploy")
    assert runner.failed == [], runner.said
    sums = [f"snapshots/{path.name}/SHA256SUMS" for path in sorted(clone.glob("snapshots/v*"))]
    assert runner.attested == ["snapshots/events.jsonl", *sums]
    page = runner.home / "build" / "clone" / "public" / "snapshots" / "v1.0-AlwaysA" / "index.html"
    assert "the answers came from a cache" in page.read_text()


def proposed(few: People, token: str) -> tuple[int, str]:
    """Commit something and propose it with a token; return the exit code and what was said."""
    clone = few.clone("owner")
    (clone / "text.md").write_text("<!-- epc-test -->\nwords\n")
    commit(clone, "Anything")
    env = environment(**few.github.gh(few.folder / "gh", token))
    arguments = ("admin", "github", "propose", "text.md", "--branch", "publication", "--title", "T")
    done = epc(*arguments, cwd=clone, env=env)
    return done.returncode, done.stderr


WRITES = {"contents": "write", "pull-requests": "write"}


def test_the_bot_can_be_no_bypass_actor_and_an_app_can(few: People) -> None:
    def bypassed_by(app: int) -> tuple[int, Json]:
        actor = {"actor_id": app, "actor_type": "Integration", "bypass_mode": "always"}
        return few.ask(few.maintainer, "PUT", "/rulesets/1", {"bypass_actors": [actor]})

    code, document = bypassed_by(ACTIONS_APP)

    assert (code, "must be part of the ruleset source" in document["message"]) == (422, True)
    assert bypassed_by(4242)[0] == 200
    clone = few.clone("owner")
    git(clone, "commit", "--quiet", "--allow-empty", "--message", "by an App")
    bot = few.github.token(BOT, WRITES, app=ACTIONS_APP)
    app = few.github.token("registry[bot]", WRITES, app=4242)
    assert "GH013" in few.push(clone, bot, "main")
    assert few.push(clone, app, "main") == ""


def test_an_apps_pull_request_is_checked_at_once_and_the_bots_waits(few: People) -> None:
    app = few.github.token("registry[bot]", WRITES, app=4242)

    code, text = proposed(few, app)

    assert (code, "opened #7" in text) == (0, True), text
    assert len(few.started("ci.yml", "submission.yml")) == 2


def by_an_app() -> Json:
    """Return publish.yml as maintaining.md says that an App takes it."""
    guide = (ROOT / "site" / "docs" / "maintaining.md").read_text()
    _, _, after = guide.partition("```yaml\n")
    (step,) = yaml.safe_load(after.partition("```")[0])
    assert step["id"] == "app"
    edited = workflow("publish.yml")
    job = edited["jobs"]["registry"]
    job["environment"] = "registry"
    at = next(i for i, given in enumerate(job["steps"]) if "propose" in given.get("run", ""))
    job["steps"][at]["env"] |= {"GH_TOKEN": "${{ steps.app.outputs.token }}"}
    job["steps"].insert(at, step)
    return edited


def test_an_app_publishes_as_documented_and_its_checks_start_at_once(
    few: People, run: Path
) -> None:
    clone = few.clone("owner")
    slug = submit(clone, run)
    assert few.push(clone, few.maintainer, "offer") == ""
    offered = few.offer(few.maintainer, "offer")
    few.passed()
    assert few.merge(offered, approver=few.second)[0] == 200
    few.passed()
    (started,) = few.started("publish.yml")

    runner = few.walk(started, "registry", edited=by_an_app())

    assert runner.failed == [], runner.said
    (proposal,) = (p for p in few.github.pulls.values() if p["head"]["ref"] == "publication")
    assert proposal["user"]["login"] == "registry[bot]"
    assert f"publishes `v1.0-CoinFlip` from `{slug}`" in proposal["body"]
    assert len(few.started("ci.yml", "submission.yml")) == 2, "nobody had to approve them"
    few.passed()
    code, document = few.merge(proposal["number"], approver=few.second)
    assert code == 200, document
    (repeated_run,) = few.started("publish.yml")
    assert few.walk(repeated_run, "registry", edited=by_an_app()).failed == []
    tagged = git(few.github.at("owner"), "rev-parse", "v1.0-CoinFlip^{commit}").strip()
    assert tagged == proposal["head"]["sha"]


@pytest.mark.parametrize(
    ("may", "message"),
    [
        ({"contents": "read", "pull-requests": "write"}, "403"),
        ({"contents": "write", "pull-requests": "read"}, "Resource not accessible by integration"),
        (WRITES, "GitHub Actions is not permitted to create or approve pull requests."),
    ],
)
def test_a_token_that_may_not_propose_is_told_so(
    few: People, may: dict[str, str], message: str
) -> None:
    few.github.actions_may_propose = may != WRITES

    code, text = proposed(few, few.github.token(BOT, may, app=ACTIONS_APP))

    assert code == 3
    assert message in text
    assert few.github.pulls == {}


def test_newer_lock_files_are_proposed_and_nothing_that_is_new_runs(
    few: People, tmp_path: Path
) -> None:
    """The package index is played by a `uv` that writes one line into each lock file."""
    uv = tmp_path / "uv"
    wanted = "--upgrade --only-binary :all: --exclude-newer 20"
    uv.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        f'case "$*" in *"{wanted}"*) echo "thing==2.0" >> "$last";; *) exit 9;; esac\n'
    )
    uv.chmod(0o755)
    started = Run(
        id=0,
        workflow="locks.yml",
        event="schedule",
        payload={"after": few.github.main},
        sha=few.github.main,
        status="queued",
    )
    runner = Runner(
        home=tmp_path / "run",
        origin=few.github.at("owner"),
        event=started.payload,
        github=few.github,
        run=started,
        more={"UV": str(uv)},
    )

    runner.walk("locks.yml")

    assert runner.failed == [], runner.said
    (pull,) = few.github.pulls.values()
    assert (pull["head"]["ref"], pull["user"]["login"]) == ("locks", BOT)
    assert pull["body"].count("+thing==2.0") == len([*(ROOT / "requirements").glob("*.lock")])
    changed = git(few.github.at("owner"), "diff", "--name-only", "main", "locks").split()
    assert all(name.startswith("requirements/") for name in changed)
