"""Rows on the service: requests a second, beside a bare aiohttp handler.

The bare handler reads a body and answers the same bytes, and does nothing else. Both
run as processes of their own; the callers are this process, over connections that are
kept, with a request in flight on each.
"""

import asyncio
import hashlib
import hmac
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from scripts.bench_packages import commit, write_package
from scripts.bench_rows import Row

_CONNECTIONS = 32
_SECONDS = 1.0
_SECRET = "bench"  # noqa: S105 - of a service that lives for seconds
_REPO = "acme/bench"
_READY = b"serving on http://"


async def rows(scratch: Path, rounds: int) -> AsyncIterator[Row]:
    """Load both servers in turn, so that a busy machine slows both."""
    told = _prepare(scratch / "repository")
    async with _service(scratch) as port:
        body = _request("/v1/context", told)
        answer = await _one(port, body)
        async with _bare(scratch, answer) as bare:
            row = Row("contexts on memory hits", [], unit="/s")
            await asyncio.gather(_load(bare, body), _load(port, body))
            for _ in range(rounds):
                row.floor.append(await _load(bare, body))
                row.samples.append(await _load(port, body))
            yield row
        row = Row("panics taken, on disk", [], unit="/s")
        for _ in range(rounds):
            row.samples.append(await _load(port, _request("/webhooks/panic", told)))
        yield row


def _prepare(root: Path) -> bytes:
    """Commit a package, and tell of a crash in it as a sender would."""
    site = write_package(root / "shop", size=50_000, seed=1, salt="Bench.")
    (root / "go.mod").write_text("module example.com/bench\n\ngo 1.27\n", "utf-8")
    frames = "".join(
        f"net/http.frame{n}(0xc000{n:06x})\n\t/usr/local/go/src/net/http/server.go:{n}\n"
        for n in range(1, 20)
    )
    trace = (
        "panic: runtime error: invalid memory address or nil pointer dereference\n\n"
        "goroutine 1 [running]:\nexample.com/bench/shop.Total(...)\n"
        f"\t/app/shop/{site.file}:{site.line} +0x1d\n{frames}"
    )
    told = {"repo": _REPO, "commit_sha": commit(root), "trace": trace}
    return json.dumps(told).encode()


def _request(path: str, body: bytes) -> bytes:
    signature = hmac.new(_SECRET.encode(), body, hashlib.sha256).hexdigest()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"X-Triage-Signature-256: sha256={signature}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


@asynccontextmanager
async def _service(scratch: Path) -> AsyncIterator[int]:
    """Run `triage serve` on a free port."""
    settings = {
        "TRIAGE_REPOS": f"{_REPO}={scratch / 'repository'}",
        "TRIAGE_WEBHOOK_SECRET": _SECRET,
        "TRIAGE_DATA_DIR": str(scratch / "data"),
    }
    command = [sys.executable, "-m", "triage", "serve", "--port", "0"]
    async with _running(command, settings) as port:
        yield port


@asynccontextmanager
async def _bare(scratch: Path, answer: bytes) -> AsyncIterator[int]:
    """Run the bare handler, which answers those bytes."""
    path = scratch / "answer"
    path.write_bytes(answer)
    command = [sys.executable, "-m", "scripts.bench_service", str(path)]
    async with _running(command, {}) as port:
        yield port


@asynccontextmanager
async def _running(command: list[str], settings: dict[str, str]) -> AsyncIterator[int]:
    process = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **settings}, stderr=asyncio.subprocess.PIPE
    )
    if process.stderr is None:
        raise RuntimeError("no standard error")
    try:
        async for line in process.stderr:
            if _READY in line:
                yield int(line.rpartition(b":")[2])
                return
        raise SystemExit(f"scripts/bench: {command[2]} did not start")
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()


async def _one(port: int, request: bytes) -> bytes:
    """Ask once, and return the answer's body: the second is out of memory."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    await _answer(reader)
    writer.write(request)
    body = await _answer(reader)
    writer.close()
    return body


async def _answer(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 20"):
        raise SystemExit(f"scripts/bench: {head.splitlines()[0]!r}")
    _, _, rest = head.lower().partition(b"\r\ncontent-length:")
    return await reader.readexactly(int(rest.partition(b"\r\n")[0]))


async def _load(port: int, request: bytes) -> float:
    """Ask over all connections for a while; returns requests a second."""
    done = 0

    async def caller() -> None:
        nonlocal done
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            writer.write(request)
            await _answer(reader)
            done += 1
        writer.close()

    start = time.perf_counter()
    end = start + _SECONDS
    await asyncio.gather(*(caller() for _ in range(_CONNECTIONS)))
    return done / (time.perf_counter() - start)


def serve_bare(path: Path) -> None:
    """Answer every POST with the bytes of a file, until a signal."""
    answer = path.read_bytes()

    async def handle(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=answer, content_type="application/json")

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    place = socket.create_server(("127.0.0.1", 0))
    sys.stderr.write(f"serving on http://127.0.0.1:{place.getsockname()[1]}\n")
    sys.stderr.flush()
    web.run_app(app, sock=place, access_log=None, print=None)


async def _alone() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        async for row in rows(Path(scratch), 3):
            print(row.name, row.samples, row.floor, row.ratios)


if __name__ == "__main__":
    if sys.argv[1:]:
        serve_bare(Path(sys.argv[1]))
    else:
        asyncio.run(_alone())
