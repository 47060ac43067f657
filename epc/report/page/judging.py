"""The report of an evaluation as a page.

Names, outputs, quotes and reasons are other people's; here they are text.
"""

from dataclasses import replace
from pathlib import PurePath

from epc.analysis.judging.evaluation import Report
from epc.report.document import Section, Verbatim
from epc.report.judging.document import changes, parts, title
from epc.report.page.markup import element, page, rendered

_AGAIN = """\
epc judge check .                 # every record again from its raw reply
epc judge report .                # the same in the terminal
epc judge report . --html FILE    # this page"""


def judging_page(report: Report) -> str:
    """Return the report of an evaluation as one HTML document: the last one's, where several are.

    What changed from one to the next stands below it.
    """
    one = report.evaluations[-1]
    drift = tuple(
        replace(row, before=PurePath(row.before).name, after=PurePath(row.after).name)
        for row in report.drift
    )
    header = (
        element("p", f"{report.protocol}, {PurePath(one.name).name}"),
        element("h1", title(one)),
    )
    again = Section("Compute it again", [Verbatim(_AGAIN)])
    document = (*parts(one), *changes(replace(report, drift=drift)), again)
    return page(title(one), element("header", *header), *map(rendered, document))
