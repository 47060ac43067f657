"""The program from Python: what `import epc` offers, loaded when it is first used.

The same functions do the work as for the command line.
"""

from epc.api.campaign import Campaign
from epc.api.measured import Run
from epc.api.measuring import resume, run
from epc.api.opening import load
from epc.api.published import figures, snapshots, which
from epc.records.designs import Design

__all__ = ["Campaign", "Design", "Run", "figures", "load", "resume", "run", "snapshots", "which"]
