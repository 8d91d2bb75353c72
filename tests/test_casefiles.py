"""The crash cases themselves are sound: what they name is there."""

import re

import pytest

from tests.casefiles import Case, Declaration, read_cases

CASES = read_cases()
GROUPED = r"(?:^|[\s;(,])"
PARAMETERS = r"(?:\[[^\]]*\])?"

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_every_declaration_that_a_case_names_is_in_its_file(case: Case):
    """An expectation names what the named file declares, or it proves nothing."""
    named = case.expect.must + case.expect.must_not
    unknown = [want for want in named if not _declared(want, case.sources[want.file])]
    assert unknown == []


@each_case
def test_no_declaration_is_both_wanted_and_unwanted(case: Case):
    """A declaration stands in one of the lists, once for each form."""
    must, must_not = case.expect.must, case.expect.must_not
    keys = [(w.kind, w.receiver, w.name, w.file) for w in (*must_not, *must)]
    assert len(set(keys)) == len(keys)


@each_case
def test_the_trace_of_a_case_names_its_crash_site(case: Case):
    """The crash line is one that the trace itself prints."""
    crash = case.expect.crash
    printed = crash.reported or crash
    name = printed.file.rpartition("/")[2]
    assert f"{name}:{printed.line}" in case.trace.decode()


@each_case
def test_the_crash_lies_in_the_function_that_a_case_names(case: Case):
    """Going up from the crash line, the named declaration comes before another."""
    crash = case.expect.crash
    lines = case.sources[crash.file].splitlines()[: crash.line]
    heads = [n for n, line in enumerate(lines) if re.match(r"func\b|var\b", line)]
    head = " ".join(lines[heads[-1] :])
    assert re.search(rf"(?<!\w){re.escape(crash.function)}(?!\w)", head)


def _declared(want: Declaration, source: str) -> bool:
    """Look for a declaration in the text of its file."""
    name = re.escape(want.name)
    if want.kind == "func":
        pattern = rf"func\s+{name}\s*[\[(]"
    elif want.kind == "method":
        receiver = re.escape(want.receiver or "")
        pattern = (
            rf"func\s*\(\s*\w*\s*\*?\s*{receiver}{PARAMETERS}\s*,?\s*\)\s*{name}\s*\("
        )
    elif want.kind == "type":
        pattern = rf"{GROUPED}{name}{PARAMETERS}\s+[^\s:=]|{GROUPED}{name}\s*="
    else:
        pattern = rf"{GROUPED}{name}(?!\w)"
    return re.search(pattern, source, re.MULTILINE) is not None
