"""What of an answer can be recorded: no line of a record is longer than strict reading takes back.

Without this bound an answer could be journalled, paid for, and never read again.
"""

import re
from typing import Final

from epc.protocol.results import Json
from epc.records.strict_json import MAX_LINE_BYTES, dumps_line

TOO_LARGE: Final = "too_large"  # the finish_reason of an answer that could not be kept whole
# A call's line; the lines of other files have the answer and a little more around it.
LONGEST_CALL: Final = MAX_LINE_BYTES - 2**16
_KEPT: Final = 10_000  # characters of an answer; an evaluator is shown 300
_WIDEST: Final = 6  # bytes that a character takes in a line at most, as an escape
UNRECORDED: Final = re.compile(r"\(a reply of [\d,]+ bytes, too large to record\)")
_AROUND: Final = 2**13  # bytes of a line beside its texts


def recordable(call: Json, longest: int = LONGEST_CALL) -> Json:
    """Return a call as a line of at most `longest` bytes holds it.

    The verbatim reply goes first: a note of its size stands for it. Then reasoning is cut to its
    beginning. If the answer is too large as well, it is marked `too_large`. An evaluator's is then
    no verdict; of any other the beginning is kept, which is all that an evaluator is shown
    (EPC-2.6(a)).
    """
    texts = (call["prompt"], call["answer"], call.get("reply", ""), call.get("reasoning", ""))
    headers = call.get("headers", {}).values()
    if _WIDEST * sum(map(len, (*texts, *headers))) + _AROUND <= longest or _fits(call, longest):
        return call
    if "reply" in call:
        size = len(call["reply"].encode())
        call = {**call, "reply": f"(a reply of {size:,} bytes, too large to record)"}
        if _fits(call, longest):
            return call
    if "reasoning" in call:
        call = {**call, "reasoning": call["reasoning"][:_KEPT]}
        if _fits(call, longest):
            return call
    kept = "" if call["role"] == "evaluator" else call["answer"][:_KEPT]
    return {**call, "answer": kept, "finish_reason": TOO_LARGE}


def _fits(call: Json, longest: int) -> bool:
    return len(dumps_line(call).encode()) <= longest
