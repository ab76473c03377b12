"""Trying one case: the call, what it must not do, and what two ways of making it must agree on."""

import re
from collections.abc import Callable

from tools.fuzz.case import LOWERING, Answer, Case, Finding, Outcome, Streams
from tools.fuzz.lowering import check_lowering
from tools.fuzz.running import run
from tools.fuzz.verdict import judged

NEVER = 1 << 62
"""Work that no loop has: all are interpreted."""

_FRAME = re.compile(r'File "[^"]*/(xetile/[^"]*)", line (\d+), in (\S+)')


def check(case: Case, call: Callable[[Case], Answer] = run) -> Outcome:
    """Make the call and judge it."""
    if case.tool == LOWERING:
        return check_lowering(case.text, on_device=case.on_device)
    answer = call(case)
    if answer.hung is not None:
        answer = call(case)  # a machine that is held up for a while is none of ours
    outcome = judged(case, answer)
    if outcome.finding is not None:
        return outcome._replace(finding=_with_origin(case, outcome.finding, call))
    if outcome.reached == "endless":
        return outcome
    return outcome._replace(finding=_disagreement(case, answer, call))


def _with_origin(case: Case, finding: Finding, call: Callable[[Case], Answer]) -> Finding:
    """With the place in the source that an internal error comes from."""
    if "internal error" not in finding.what:
        return finding
    again = call(case._replace(arguments=("--debug", *case.arguments), streams=None))
    frames = _FRAME.findall(again.errors.decode(errors="replace"))
    where = "{}:{} {}".format(*frames[-1]) if frames else "?"
    return finding._replace(
        what=f"{finding.what.replace(' (--debug shows the trace)', '')} at {where}"
    )


def _disagreement(
    case: Case, answer: Answer, call: Callable[[Case], Answer]
) -> Finding | None:
    """Loops say the same compiled and interpreted; output that could not be written is not lost in silence."""
    if case.threshold is not None and answer.status == 0:
        other = call(case._replace(threshold=NEVER))
        if not other.endless and (other.status, other.output) != (
            answer.status,
            answer.output,
        ):
            found = other.errors.decode(errors="replace").split("\n")[0]
            return Finding(
                "loops", f"compiled loops do otherwise than interpreted ones ({found})"
            )
    if case.streams is not None and answer.status == 0 and _loses(case, case.streams, call):
        return Finding("output", f"output is lost with status 0 ({case.streams.output})")
    return None


def _loses(case: Case, streams: Streams, call: Callable[[Case], Answer]) -> bool:
    """Whether there is output where it cannot be written."""
    if streams.output not in ("closed", "full"):
        return False
    return call(case._replace(streams=streams._replace(output="kept"))).output != b""
