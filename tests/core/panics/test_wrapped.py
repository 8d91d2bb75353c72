"""A crash reads the same however its text was wrapped on the way.

Each wrapper takes a text as it was printed and returns what somebody would send.
"""

import csv
import html
import io
import json
import quopri
import re
from datetime import UTC, datetime, timedelta

import pytest

from triage.core.panics import decipher, primary

START = datetime(2026, 3, 14, 9, 26, 53, 589793, UTC)


def moments(count):
    """Return *count* moments, some milliseconds apart, over a change of the minute."""
    return [START + timedelta(milliseconds=640 * i) for i in range(count)]


def each(make):
    """Wrap a function of (line, moment, index) into one of a whole text."""

    def wrap(text):
        lines = text.removesuffix("\n").split("\n")
        stamps = moments(len(lines))
        return "".join(
            make(line, stamps[i], i).rstrip(" ") + "\n" for i, line in enumerate(lines)
        )

    return wrap


def nano(moment):
    """Print a moment as Go's RFC3339Nano does: without zeros at the end."""
    fraction = f"{moment.microsecond:06d}".rstrip("0")
    return f"{moment:%Y-%m-%dT%H:%M:%S}" + (f".{fraction}" if fraction else "") + "Z"


def escape(text):
    """Escape as Go's %q does."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def interleave(text):
    """Put a chatty neighbour's line after every second line."""
    out = []
    for i, line in enumerate(text.removesuffix("\n").split("\n")):
        out.append(f"web-1  | {line}".rstrip())
        if i % 2:
            out.append(
                f"db-1   | 2026-03-14 09:26:{i % 60:02d} UTC [31] LOG:  checkpoint"
            )
    return "\n".join(out) + "\n"


def table(text):
    """Draw a border on both sides, as k9s and log viewers do."""
    lines = text.removesuffix("\n").replace("\t", "        ").split("\n")
    width = max(map(len, lines)) + 2
    rows = "".join(f"│ {line:<{width}}│\n" for line in lines)
    return "┌" + "─" * (width + 1) + "┐\n" + rows + "└" + "─" * (width + 1) + "┘\n"


def go_test_json(text):
    """Write the text as `go test -json` does, another package's output in between."""
    out = []
    for line, at in zip(text.splitlines(keepends=True), moments(10_000), strict=False):
        event = {
            "Time": at.isoformat(),
            "Action": "output",
            "Package": "example.test/a",
        }
        out.append(json.dumps(event | {"Test": "TestA", "Output": line}))
        other = event | {
            "Package": "example.test/b",
            "Output": "    b_test.go:7: busy\n",
        }
        out.append(json.dumps(other))
    return "\n".join(out) + "\n"


def sheet(text):
    """Export to a spreadsheet: one quoted cell with line ends in it."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["time", "service", "message"])
    writer.writerow([nano(START), "shop", text])
    return out.getvalue()


def wrapped(width):
    """Break lines at blanks before *width* columns, as web forms did."""

    def wrap(text):
        out = []
        for line in text.split("\n"):
            while len(line) > width and " " in line[20:width]:
                at = line.rindex(" ", 0, width)
                out.append(line[:at])
                line = line[at + 1 :]
            out.append(line)
        return "\n".join(out)

    return wrap


def cut_at(width):
    """Break lines at exactly *width* columns, as a terminal's selection does."""

    def wrap(text):
        return "\n".join(
            "\n".join(re.findall(f".{{1,{width}}}", line)) for line in text.split("\n")
        )

    return wrap


def container(line, at, _):
    """Write a line as a Kubernetes node does."""
    return f"{nano(at)} stderr F {line}"


def docker_file(line, at, _):
    """Write a line as Docker's json-file driver does."""
    return json.dumps({"log": line + "\n", "stream": "stderr", "time": nano(at)})


PREFIXED = {
    "journald": each(lambda s, at, i: f"{at:%b %d %H:%M:%S} node-7 shop[4711]: {s}"),
    "journald without tabs": each(
        lambda s, at, i: f"{at:%b %d %H:%M:%S} node-7 shop[4711]: {s.strip()}"
    ),
    "journald iso": each(
        lambda s, at, i: f"{at:%Y-%m-%dT%H:%M:%S.%f}+0000 node-7 shop[4711]: {s}"
    ),
    "syslog rfc5424": each(
        lambda s, at, i: f"<11>1 {nano(at)} node-7 shop 4711 - - {s}"
    ),
    "compose": each(lambda s, at, i: f"shop_1  | {s}"),
    "compose v2": each(lambda s, at, i: f"shop-1  | {nano(at)} {s}"),
    "swarm": each(lambda s, at, i: f"shop_web.1.x7k2p9@node-7    | {s}"),
    "kubectl prefix": each(lambda s, at, i: f"[pod/shop-7d9f8b6c5-x2x1v/shop] {s}"),
    "kubectl timestamps": each(lambda s, at, i: f"{nano(at)} {s}"),
    "stern": each(lambda s, at, i: f"shop-7d9f8b6c5-x2x1v shop {s}"),
    "cri": each(container),
    "heroku": each(lambda s, at, i: f"{at:%Y-%m-%dT%H:%M:%S.%f}+00:00 app[web.1]: {s}"),
    "foreman": each(lambda s, at, i: f"{at:%H:%M:%S} web.1  | {s}"),
    "cloudwatch tail": each(
        lambda s, at, i: f"{at:%Y-%m-%dT%H:%M:%S} 2026/03/14/[$LATEST]0f3c {s}"
    ),
    "github actions": each(lambda s, at, i: f"{at:%Y-%m-%dT%H:%M:%S.%f}0Z {s}"),
    "github cli": each(lambda s, at, i: f"test\tRun tests\t{nano(at)} {s}"),
    "gitlab": each(lambda s, at, i: f"{nano(at)} 01O {s}"),
    "azure": each(lambda s, at, i: f"{at:%Y-%m-%dT%H:%M:%S.%f}1Z {s}"),
    "jenkins": each(lambda s, at, i: f"[{at:%Y-%m-%dT%H:%M:%S}.{i:03d}Z] {s}"),
    "terraform": each(
        lambda s, at, i: f"{at:%Y-%m-%dT%H:%M:%S.%f}Z [DEBUG] provider.shop_v1.2.3: {s}"
    ),
    "log package": each(lambda s, at, i: f"{at:%Y/%m/%d %H:%M:%S} {s}"),
    "dmesg": each(lambda s, at, i: f"[{i * 17.000311:12.6f}] shop: {s}"),
    "epoch": each(lambda s, at, i: f"{at.timestamp():.3f} {s}"),
    "logcli": each(lambda s, at, i: f'{nano(at)} {{app="shop", pod="shop-0"}} {s}'),
    "supervisor": each(
        lambda s, at, i: (
            f"{at:%Y-%m-%d %H:%M:%S},{i:03d} DEBG 'shop' stderr output: {s}"
        )
    ),
    "bazel": each(lambda s, at, i: f"(09:26:{i % 60:02d}) INFO: {s}"),
    "line numbers": each(lambda s, at, i: f"{i + 1:6d}\t{s}"),
    "grep -n": each(lambda s, at, i: f"{i + 1}:{s}"),
    "file names": each(lambda s, at, i: f"shop.log-{i + 1}-{s}"),
    "mail": each(lambda s, at, i: f"> {s}"),
    "mail twice": each(lambda s, at, i: f">> {s}"),
    "mail without blank": each(lambda s, at, i: f">{s}"),
    "go comment": each(lambda s, at, i: f"// {s}"),
    "hash comment": each(lambda s, at, i: f"# {s}"),
    "block comment": each(lambda s, at, i: f" * {s}"),
    "sql comment": each(lambda s, at, i: f"-- {s}"),
    "indented": each(lambda s, at, i: f"    {s}"),
    "indented by tabs": each(lambda s, at, i: f"\t\t{s}"),
    "box": each(lambda s, at, i: f"│ {s}"),
    "diff": each(lambda s, at, i: f"+{s}"),
    "irc": each(lambda s, at, i: f"[{at:%H:%M}] <ada> {s}"),
    "cockroach": each(lambda s, at, i: f"  | {s}"),
    "klog lines": each(
        lambda s, at, i: f"E{at:%m%d %H:%M:%S.%f}   14686 main.go:79] {s}"
    ),
    "android": each(
        lambda s, at, i: f"{at:%m-%d %H:%M:%S}.{i:03d}  1234  1250 E Go      : {s}"
    ),
    "slog default": each(lambda s, at, i: f"{at:%Y/%m/%d %H:%M:%S} ERROR {s}"),
}

REPORTED = {
    "crlf": lambda s: s.replace("\n", "\r\n"),
    "crcrlf": lambda s: s.replace("\n", "\r\r\n"),
    "cr alone": lambda s: s.replace("\n", "\r"),
    "bom": lambda s: b"\xef\xbb\xbf" + s.encode(),
    "utf-16": lambda s: s.encode("utf-16"),
    "utf-16 without mark": lambda s: s.encode("utf-16-le"),
    "spaces for tabs": lambda s: s.replace("\t", "        "),
    "no indentation": lambda s: re.sub(r"(?m)^[ \t]+", "", s),
    "fence": lambda s: f"It crashed:\n\n```\n{s}```\n\nWhat now?\n",
    "fence of go": lambda s: f"## Log\n```go\n{s}```\n",
    "jira": lambda s: f"{{code:none}}\n{s}{{code}}\n",
    "slack": lambda s: f"```{s.strip()}```\n",
    "list item": lambda s: "1. Run it\n2. It says\n\n" + re.sub("(?m)^", "   ", s),
    "html": lambda s: f"<p>See</p>\n<pre><code>{html.escape(s)}</code></pre>\n",
    "html twice": lambda s: html.escape(html.escape(s)),
    "html breaks": lambda s: html.escape(s).replace("\n", "<br>\n"),
    "html breaks alone": lambda s: html.escape(s).replace("\n", "<br/>"),
    "html paragraphs": lambda s: "".join(
        f"<p>{html.escape(x)}</p>" for x in s.split("\n")
    ),
    "no-break spaces": lambda s: s.replace("\t", "    ".replace(" ", "\xa0")),
    "ansi": lambda s: "".join(f"\x1b[31m{x}\x1b[0m\n" for x in s.split("\n")),
    "ansi 256": lambda s: "".join(f"\x1b[38;5;9m{x}\x1b[m\n" for x in s.split("\n")),
    "ansi without escape": lambda s: "".join(f"[31m{x}[0m\n" for x in s.split("\n")),
    "double spaced": lambda s: s.replace("\n", "\n\n"),
    "double spaced crlf": lambda s: s.replace("\n", "\r\n\r\n"),
    "table": table,
    "markdown table": lambda s: "".join(f"| {x} |\n" for x in s.split("\n")),
    "interleaved": interleave,
    "docker json": each(docker_file),
    "go test json": go_test_json,
    "yaml literal": lambda s: "log: |\n" + re.sub("(?m)^", "  ", s) + "\nend: 1\n",
    "go string": lambda s: "const trace = `" + s + "`\n",
    "go lines": lambda s: "".join(
        f"\t{json.dumps(x + chr(10))} +\n" for x in s.split("\n")
    ),
    "json lines": lambda s: json.dumps(s.split("\n"), indent=2),
    "python repr": lambda s: f"b{s!r}\n",
    "sheet": sheet,
    "quoted-printable": lambda s: quopri.encodestring(s.encode(), quotetabs=True),
    "job annotation": lambda s: (
        "::error file=a.go,line=3::" + s.replace("%", "%25").replace("\n", "%0A")
    ),
    "rsyslog": lambda s: (
        "Mar 14 09:26:53 node-7 shop[4711]: "
        + s.replace("\n", "#012").replace("\t", "#011")
    ),
    "wide form": wrapped(90),
    "narrow form": wrapped(72),
    "terminal": cut_at(100),
    "narrow terminal": cut_at(80),
    "in a paste": lambda s: "$ ./shop\n" + s + "$ echo $?\n2\n",
}

RECORDS = {
    "zap": lambda s: json.dumps(
        {"level": "error", "ts": 1.5, "msg": "x", "stacktrace": s}
    ),
    "zap behind prefix": lambda s: (
        "shop-1  | " + json.dumps({"level": "error", "msg": "x", "stacktrace": s})
    ),
    "console": lambda s: (
        "2026-03-14T09:26:53Z\tERROR\ta.go:3\tx\t" + json.dumps({"stack": s})
    ),
    "logfmt": lambda s: f'time=2026-03-14T09:26:53Z level=error stack="{escape(s)}"',
    "logrus": lambda s: f'ERRO[0003] it crashed                stack="{escape(s)}"',
    "cut record": lambda s: json.dumps({"level": "error", "stack": s})[:-2],
    "unquoted": lambda s: "level=error stack=" + escape(s),
    "escaped twice": lambda s: f'msg="{escape(escape(s))}"',
    "record in a record": lambda s: json.dumps(
        {"log": json.dumps({"level": "error", "stack": s}) + "\n", "stream": "stderr"}
    ),
    "three deep": lambda s: json.dumps(
        {"message": json.dumps({"log": json.dumps({"stack": s})})}
    ),
    "cloud logging": lambda s: json.dumps(
        {"insertId": "1", "severity": "ERROR", "textPayload": s}
    ),
    "pretty": lambda s: json.dumps({"event": {"error": {"stack_trace": s}}}, indent=2),
    "array": lambda s: json.dumps(
        [{"msg": "up"}, {"msg": "down", "stack": s}], indent=1
    ),
    "otlp": lambda s: json.dumps(
        {
            "resourceLogs": [
                {
                    "scopeLogs": [
                        {
                            "logRecords": [
                                {
                                    "attributes": [
                                        {
                                            "key": "exception.type",
                                            "value": {"stringValue": "panic"},
                                        },
                                        {
                                            "key": "exception.stacktrace",
                                            "value": {"stringValue": s},
                                        },
                                    ]
                                }
                            ]
                        }
                    ]
                }
            ]
        }
    ),
    "journald json": lambda s: "".join(
        json.dumps({"_PID": "7", "MESSAGE": x}) + "\n" for x in s.split("\n")
    ),
    "fluentd": lambda s: "".join(
        json.dumps({"log": x + "\n", "kubernetes": {"pod_name": "shop-0"}}) + "\n"
        for x in s.split("\n")
    ),
    "elastic": lambda s: "".join(
        json.dumps({"_source": {"message": x, "host": "a"}}) + "\n"
        for x in s.split("\n")
    ),
    "text payloads": lambda s: "".join(
        json.dumps({"severity": "ERROR", "textPayload": x}) + "\n"
        for x in s.split("\n")
    ),
}


SAMPLES = (
    "nil", "index", "goroutine", "many", "test", "serving", "unlock", "system", "again",
    "overflow", "wrapped", "timeout", "multiline", "error",
)  # fmt: skip


def told(text):
    """Return all that must survive any wrapping; of messages, the words."""
    panic = primary(decipher(text).crashes)
    assert panic is not None
    assert panic.crashed is not None
    return (
        panic.kind,
        panic.message.split(),
        panic.crashed,
        panic.goroutines,
        panic.others,
        panic.signal,
        panic.address,
    )


@pytest.mark.parametrize("name", PREFIXED)
def test_a_prefix_before_each_line_changes_nothing(sample, name):
    """Whatever a sender writes before each line, the same crash is read."""
    plain = {sample_name: sample(sample_name) for sample_name in SAMPLES}
    expected = {key: told(text) for key, text in plain.items()}
    assert expected == {key: told(PREFIXED[name](text)) for key, text in plain.items()}


@pytest.mark.parametrize("name", REPORTED)
def test_what_forms_and_people_make_of_a_dump_changes_nothing(sample, name):
    """Quoted, escaped, coloured, broken or framed, the same crash is read."""
    plain = {sample_name: sample(sample_name) for sample_name in SAMPLES}
    expected = {key: told(text) for key, text in plain.items()}
    assert expected == {key: told(REPORTED[name](text)) for key, text in plain.items()}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_around_a_dump_changes_nothing(sample, name):
    """In a record or spread over many, the same crash is read."""
    plain = {sample_name: sample(sample_name) for sample_name in SAMPLES}
    expected = {key: told(text) for key, text in plain.items()}
    assert expected == {key: told(RECORDS[name](text)) for key, text in plain.items()}


@pytest.mark.parametrize("name", ["cri", "compose", "indented"])
def test_lines_are_those_of_the_text_as_it_came(sample, name):
    """The span of a crash counts the lines of the text with everything around it."""
    text = PREFIXED[name]("starting\n\n" + sample("nil") + "bye\n")
    assert decipher(text).crashes[0].lines == (3, 12)


def test_each_of_two_senders_keeps_its_own_dump(sample):
    """Two services that crash at the same time are told apart by their prefixes."""
    left = [f"web-1  | {line}" for line in sample("nil").splitlines()]
    right = [f"api-1  | {line}" for line in sample("map").splitlines()]
    both = [line for pair in zip(left, right, strict=False) for line in pair]
    rest = left[len(right) :] + right[len(left) :]
    crashes = decipher("\n".join([*both, *rest]) + "\n").crashes
    assert [panic.kind for panic in crashes] == ["nil-deref", "nil-map"]
    assert [told(sample("nil"))[2], told(sample("map"))[2]] == [
        panic.crashed for panic in crashes
    ]


def test_a_prefix_that_only_the_first_line_has_is_dropped(sample, frames, read):
    """A logger that writes a whole dump as one message prefixes its first line."""
    lines = sample("stack").splitlines()
    text = f"Mar 14 09:26:53 node-7 shop[4711]: {lines[0]}\n" + "".join(
        f"        {line}\n" for line in lines[1:]
    )
    assert frames(read(sample("stack"))) == frames(read(text))


def test_test_output_of_two_packages_is_put_together_again(sample):
    """The records of `go test -json` belong to packages, whatever their order."""
    records = []
    for package, name in (("example.test/a", "nil"), ("example.test/b", "map")):
        records.append(
            [
                json.dumps({"Action": "output", "Package": package, "Output": line})
                for line in sample(name).splitlines(keepends=True)
            ]
        )
    mixed = "\n".join(line for pair in zip(*records, strict=False) for line in pair)
    tail = "\n".join(records[0][len(records[1]) :] + records[1][len(records[0]) :])
    crashes = decipher(f"{mixed}\n{tail}\n").crashes
    assert {"nil-deref", "nil-map"} == {panic.kind for panic in crashes}
