"""Reports of tests as JUnit writes them, read with junitparser.

gotestsum, go-junit-report and Bazel write them; a crash stands in a failure's text, or
in what the suite has printed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError, ParserCreate

from junitparser import (
    JUnitXml,
    JUnitXmlError,
    SystemErr,
    SystemOut,
    TestCase,
    TestSuite,
)

from triage.core.printed import shown
from triage.core.visible import printable
from triage.errors import BadInput, TooLarge

_LARGEST: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Case:
    """What one test, or one suite, has printed."""

    text: str
    package: str
    test: str = ""


def read_report(path: Path) -> Iterator[Case]:
    """Yield the texts of a report; raises `BadInput` for what is none."""
    told = shown(printable(str(path)))
    report = _parsed(_read(path, told), told)
    for suite in report:
        yield from _suite(suite)


def _read(path: Path, told: str) -> bytes:
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST + 1)
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise BadInput(f"cannot read {told}: {reason}; name a JUnit report") from error
    if len(text) > _LARGEST:
        raise TooLarge(f"{told} is over {_LARGEST >> 20} MiB; split the report")
    return text


def _parsed(text: bytes, told: str) -> JUnitXml:
    def refuse(*_: object) -> None:
        raise BadInput(
            f"{told} declares entities, which no report needs; write it anew"
        )

    try:
        # A few entities grow without end: they are seen before anything is built.
        looked = ParserCreate()
        looked.EntityDeclHandler = refuse
        looked.Parse(text, True)
        return JUnitXml.fromstring(text)
    except (ExpatError, ParseError, JUnitXmlError, ValueError, LookupError) as error:
        reason = printable(str(error)) or "it is no JUnit report"
        raise BadInput(f"{told} is no JUnit report: {reason}; name another") from error


def _suite(suite: TestSuite) -> Iterator[Case]:
    package = suite.name or ""
    for kind in (SystemOut, SystemErr):
        for printed in suite.iterchildren(kind):
            if printed.text:
                yield Case(printed.text, package)
    for nested in suite.testsuites():
        yield from _suite(nested)
    for case in suite.iterchildren(TestCase):
        texts = [result.text or result.message for result in case.result]
        for text in (*texts, case.system_out, case.system_err):
            if text:
                yield Case(text, case.classname or package, case.name or "")
