"""The real helper, as it was installed."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from triage._version import __version__
from triage.core.model import BuildContext, Package, Snippet, SourceFile
from triage.core.table import SCHEMA, Table
from triage.core.wire import (
    MAX_FILE,
    PROTOCOL,
    Frame,
    FrameDecoder,
    SymbolsRequest,
    encode,
)
from triage.errors import HelperDied, HelperVersionMismatch, TooLarge
from triage.helper import Helper, binary_path

LINUX = BuildContext()
USER = b"package shop\n\ntype User struct {\n\tName string\n}\n"
PRICE = b"package shop\n\nfunc (u *User) Price() int { return len(u.Name) / 0xff }\n"


def package(*sources: bytes) -> Package:
    """Make a package of these files, in a directory of its own."""
    files = tuple(
        SourceFile(f"f{number}.go", "", data) for number, data in enumerate(sources)
    )
    return Package("shop", files)


@pytest.fixture
async def helper():
    """Give the installed helper, and end it."""
    helper = Helper()
    yield helper
    await helper.close()


async def test_hello(helper):
    """Both halves were built from the same source."""
    hello = await helper.hello()

    assert (PROTOCOL, SCHEMA, __version__) == (
        hello.protocol,
        hello.schema,
        hello.version,
    )
    assert hello.go.startswith("go1.")


async def test_symbols(helper):
    """A package comes back as a table that the core can read."""
    data = await helper.symbols(
        package(USER, PRICE), LINUX, "f1.go", import_path="example.com/shop"
    )

    table = Table(data)
    names = {table.decl(number).name for number in range(table.count("decls"))}

    assert names >= {"User", "Price"}


async def test_bytes_that_are_no_text(helper):
    """Invalid UTF-8 in a source moves no offset."""
    source = b'package shop\n\nvar Cafe = "caf\xe9"\n\nvar Late = 1\n'

    table = Table(await helper.symbols(package(source), LINUX, None))
    decl = table.decl(1)

    assert b"Late = 1" in source[decl.start : decl.end]


async def test_print(helper):
    """Printed pieces come back in order; what is no Go comes back empty."""
    group = b"const (\n\ta = 1\n\tb   = 2 // two\n)"

    texts = await helper.print(
        [Snippet("spec", b"func ("), Snippet("spec", group, group.index(b"b"))]
    )

    assert texts == ["", "const b = 2 // two"]


async def test_many_at_once(helper):
    """Calls that are made together each get their own answer."""
    sources = [b"package p\n\nvar V%d = %d\n" % (i, i) for i in range(30)]

    answers = await asyncio.gather(
        *(helper.symbols(package(source), LINUX, None) for source in sources)
    )

    names = [Table(answer).decl(0).name for answer in answers]
    assert [f"V{i}" for i in range(30)] == names


async def test_largest_package(helper):
    """A package as large as is allowed goes through."""
    source = b"package p\n\nvar V = 1\n//" + bytes(MAX_FILE - 23).replace(b"\0", b"x")
    files = [source[:MAX_FILE], *[b"package p\n//" + b"x" * (MAX_FILE - 12)] * 3]

    table = Table(await helper.symbols(package(*files), LINUX, None))

    assert [table.count("files"), table.count("decls")] == [4, 1]


async def test_limits_hold_on_both_sides(helper):
    """What the host would not send, the helper would not take."""
    await helper.hello()
    files = tuple((f"f{number}.go", b"") for number in range(2_001))
    request = SymbolsRequest("shop", "", "linux", "amd64", (), None, files)

    with pytest.raises(TooLarge, match="2001 files, over 2000"):
        await helper._shared.call(request)


async def test_poison_of_the_type_checker_costs_its_own_package_the_types(helper):
    """A sibling that go/types overflows its stack on is read by names alone.

    The crash's own code keeps its edges, and nothing is refused to anybody after it.
    """
    sources = [USER, PRICE, b"package shop\n\ntype T (T)\n\nvar x T\n\nvar y = x.a\n"]
    for number in range(3):
        other = b"package shop\n\nvar n%d int\n" % number
        table = Table(await helper.symbols(package(*sources, other), LINUX, None))

        names = {table.decl(n).name: n for n in range(table.count("decls"))}
        uses = {row[1] for row in table.of("uses", names["Price"])}
        assert not table.checked
        assert names["User"] in uses
    table = Table(await helper.symbols(package(USER, PRICE), LINUX, None))

    assert table.checked


async def test_death_is_replaced(helper):
    """A helper that is killed is replaced, and its last words are kept."""
    await helper.hello()
    deaths = []
    child = helper._shared
    child._on_death = lambda reason, _: deaths.append(reason)

    os.kill(child._process.pid, signal.SIGQUIT)
    await child.life
    answer = await helper.symbols(package(USER), LINUX, None)

    assert Table(answer).count("decls") == 1
    assert [HelperDied] == [type(reason) for reason in deaths]
    assert "SIGQUIT: quit" in str(deaths[0])
    assert deaths[0].stderr[0] == "SIGQUIT: quit"


async def test_interrupt_is_for_the_host(helper):
    """A ^C in the terminal does not take the helper away from under its host."""
    await helper.hello()
    child = helper._shared

    os.kill(child._process.pid, signal.SIGINT)
    answer = await helper.symbols(package(USER), LINUX, None)

    assert Table(answer).count("decls") == 1
    assert helper._shared is child


async def test_other_version():
    """A host of another version is told both, and what to do."""
    helper = Helper(version="9.9.9")

    with pytest.raises(HelperVersionMismatch) as caught:
        await helper.hello()
    await helper.close()

    message = str(caught.value)
    assert '"9.9.9"' in message
    assert f'"{__version__}"' in message
    assert "pip install --force-reinstall triage-go" in message


def test_once():
    """By hand: one framed request in, one framed reply out."""
    requests = encode({"id": 1, "method": "dance", "params": {}}) * 2

    done = subprocess.run(
        [binary_path(), "-once"],
        input=b"".join(requests),
        capture_output=True,
        check=True,
    )

    error = {"code": "bad-request", "message": 'unknown method "dance"'}
    assert [Frame({"id": 1, "error": error})] == list(FrameDecoder().feed(done.stdout))
    assert done.stderr == b""


LEFT_BEHIND = """
import asyncio, os
from triage.helper import Helper

async def main():
    helper = Helper()
    await helper.hello()
    print(helper._shared._process.pid, flush=True)
    os._exit(0)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pidfd_open is Linux's")
def test_host_that_vanishes():
    """A helper ends with its host, however that ends."""
    root = Path(__file__).parents[2]

    with subprocess.Popen(
        [sys.executable, "-c", LEFT_BEHIND], stdout=subprocess.PIPE, cwd=root
    ) as host:
        assert host.stdout is not None
        line = host.stdout.readline()
        try:
            handle = os.pidfd_open(int(line))
        except ProcessLookupError:
            return  # it was quicker
    ready, _, _ = select.select([handle], [], [], 10)
    os.close(handle)

    assert [handle] == ready
