"""Reports of tests, as several tools write them."""

import pytest

from triage.ci.junit import Case, read_report
from triage.errors import BadInput

GOTESTSUM = """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" time="0.4">
	<testsuite tests="2" failures="1" name="example.com/shop/cart" timestamp="2026-01-02">
		<properties><property name="go.version" value="go1.27"></property></properties>
		<testcase classname="example.com/shop/cart" name="TestFine" time="0.1"></testcase>
		<testcase classname="example.com/shop/cart" name="TestAdd" time="0.1">
			<failure message="Failed" type="">panic: boom&#xA;goroutine 1</failure>
		</testcase>
	</testsuite>
</testsuites>
"""
BAZEL = """\
<testsuites><testsuite name="//cart:cart_test" tests="1" errors="1">
<testcase name="cart_test" status="run"><error message="exited with error code 2"></error></testcase>
<system-out><![CDATA[panic: boom]]></system-out><system-err>more</system-err>
</testsuite></testsuites>
"""
ONE_SUITE = """\
<testsuite name="cart"><testcase name="TestAdd">
<system-out>panic: out</system-out><system-err>panic: err</system-err></testcase>
<testsuite name="inner"><testcase name="TestB"><error>panic: in</error></testcase></testsuite>
</testsuite>
"""


def cases(tmp_path, text: str | bytes) -> list[Case]:
    """Read a report."""
    path = tmp_path / "report.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_report(path))


def test_gotestsum(tmp_path):
    """The output stands in the failure of the test that was running."""
    assert cases(tmp_path, GOTESTSUM) == [
        Case("panic: boom\ngoroutine 1", "example.com/shop/cart", "TestAdd")
    ]


def test_bazel(tmp_path):
    """The output stands in the suite, the failure says little."""
    assert cases(tmp_path, BAZEL) == [
        Case("panic: boom", "//cart:cart_test"),
        Case("more", "//cart:cart_test"),
        Case("exited with error code 2", "//cart:cart_test", "cart_test"),
    ]


def test_a_suite_alone_and_one_in_another(tmp_path):
    """A report may be one suite; suites may hold suites."""
    assert sorted(cases(tmp_path, ONE_SUITE), key=lambda case: case.text) == [
        Case("panic: err", "cart", "TestAdd"),
        Case("panic: in", "inner", "TestB"),
        Case("panic: out", "cart", "TestAdd"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "panic: x",
        "<html></html>",
        "<testsuites><testsuite>",
        b"\xff\xfe\x00",
        '<?xml version="1.0" encoding="nosuch"?><testsuites/>',
        "<testsuites>\x00</testsuites>",
    ],
)
def test_what_is_no_report(tmp_path, text):
    """It is said in one line, with the file's name."""
    with pytest.raises(BadInput, match=r"report.xml.* is no JUnit report") as caught:
        cases(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_entities_that_grow(tmp_path):
    """A report that declares entities is refused before it is read."""
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuites>&b;</testsuites>'
    with pytest.raises(BadInput, match="declares entities"):
        cases(tmp_path, bomb)
    with pytest.raises(BadInput):
        cases(tmp_path, bomb.encode("utf-16"))


def test_a_report_that_is_not_there(tmp_path):
    """The system's reason is told."""
    with pytest.raises(BadInput, match="no such file"):
        list(read_report(tmp_path / "nosuch.xml"))


def test_a_report_that_is_too_long(tmp_path, monkeypatch):
    """It is refused by its size."""
    monkeypatch.setattr("triage.ci.junit._LARGEST", 10)
    with pytest.raises(BadInput, match="split the report"):
        cases(tmp_path, GOTESTSUM)
