"""`epc admin`: what only maintainers and workflows use."""

from epc.cli.groups import LazyGroup

command = LazyGroup(
    name="admin",
    help="What only maintainers of a registry and its workflows use.",
    package="epc.cli.admin",
    sections={
        "Commands": {
            "snapshot": "Publish, withdraw and end snapshots, make tags.",
            "submission": "Check what a pull request offers, publish what was merged.",
            "evaluators": "Check, update, show and export the lifecycles of evaluators.",
            "site": "The published site: build it, serve it.",
            "upkeep": "Say what the registry needs today: ends, moved dates, dead links.",
            "github": "Read from GitHub and write there, for the workflows.",
            "cache": "List, size or clear the kept answers of pinned weights.",
        }
    },
    needs=dict.fromkeys(("submission", "cache"), "measure"),
)
