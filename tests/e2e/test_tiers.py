"""What was asked once is not asked again, and the answers stay what they are."""

import asyncio
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

import triage
from tests.e2e.conftest import ADD, CART, FILES, TOTAL, TRACE
from tests.redis_server import RedisServer, needs_server
from triage.app import openers
from triage.engine import Engine
from triage.errors import ConfigError, HelperTimeout
from triage.helper import Helper


@pytest.fixture
def commit(repo):
    """Give the id of the shop's first commit."""
    return repo.commit(FILES)


@pytest.fixture
def told(repo, commit):
    """Make telemetry of the shop's commit."""

    def make(line=None, file="cart/cart.go", **options):
        place = {} if line is None else {"file": file, "line": line}
        plain = triage.Telemetry(str(repo.path), commit)
        return replace(plain, **place, **options)

    return make


def content(result: triage.Result) -> dict[str, object]:
    """Return all of an answer but who served it."""
    answer: dict[str, object] = orjson.loads(result.to_json())
    del answer["served_from"]
    return answer


async def plain(open_cached, *telemetry: triage.Telemetry) -> list[dict[str, object]]:
    """Answer without any cache."""
    async with open_cached(no_cache=True) as engine:
        return [content(await engine.context(one)) for one in telemetry]


async def test_a_cold_package_is_one_look(asked, open_cached, told):
    """Commit, then the directory with its modules, then what it imports: no more."""
    async with open_cached() as engine:
        result = await engine.context(told(ADD))
    commit = told().commit_sha
    assert asked.source == [f"resolve {commit}", "probe cart", "probe money"]
    assert result.served_from == "git"


async def test_lines_of_one_function_ask_nobody(asked, open_cached, told):
    """Each line has its own context, equal to the one made without a cache."""
    lines = [told(ADD), told(ADD + 1), told(TOTAL), told(TOTAL + 2)]
    async with open_cached() as engine:
        first = await engine.context(lines[0])
        asked.clear()
        others = [await engine.context(one) for one in lines[1:]]
        again = await engine.context(lines[0])
        assert (asked.requests, asked.parsed) == (0, 0)
    assert {result.served_from for result in (*others, again)} == {"memory"}
    found = [content(result) for result in (first, *others)]
    assert found == await plain(open_cached, *lines)
    assert content(again) == content(first)
    assert first.context != others[0].context


async def test_what_types_could_not_be_checked_of_is_not_kept(asked, open_cached, repo):
    """The answer warns, is the same again, and is made anew each time."""
    cycle = "package cart\n\ntype T (T)\n\nvar x T\n\nvar y = x.a\n"
    commit = repo.commit({**FILES, "cart/cycle.go": cycle})
    crash = triage.Telemetry(str(repo.path), commit, file="cart/cart.go", line=ADD)
    async with open_cached() as engine:
        first = await engine.context(crash)
        asked.clear()
        second = await engine.context(crash)

    assert any("types were not checked" in warning for warning in first.warnings)
    assert {"New", "Item", "Cart"} <= {symbol.name for symbol in first.symbols}
    assert content(first) == content(second)
    assert asked.parsed > 0


async def test_a_restart_asks_nobody(asked, open_cached, told):
    """Finished contexts, other lines and other functions all come from disk."""
    lines = [told(ADD), told(ADD + 1), told(TOTAL)]
    async with open_cached() as engine:
        await engine.context(lines[0])
    asked.clear()
    async with open_cached() as engine:
        found = [await engine.context(one) for one in lines]
    assert (asked.requests, asked.parsed) == (0, 0)
    assert [result.served_from for result in found] == ["sqlite"] * 2 + ["memory"]
    assert [content(one) for one in found] == await plain(open_cached, *lines)


async def test_a_trace_after_its_place_asks_nobody(asked, open_cached, told):
    """Telemetry of either form finds what the other brought, but for new frames."""
    trace = told(trace=TRACE)
    async with open_cached() as engine:
        await engine.context(told(ADD))
        asked.clear()
        result = await engine.context(trace)
    assert (asked.source, asked.parsed) == (["probe "], 1)  # main.go, in the root
    assert [content(result)] == await plain(open_cached, trace)


async def test_the_same_crash_in_other_words_is_the_same_context(
    asked, open_cached, told
):
    """Addresses, goroutines and what stands around the panic change nothing."""
    again = "2026-01-02 boom\n" + TRACE.replace("goroutine 1", "goroutine 77")
    other = told(trace=again.replace("0xc00001c0a8", "0xc0000aaaaa"))
    async with open_cached() as engine:
        first = await engine.context(told(trace=TRACE))
        asked.clear()
        second = await engine.context(other)
        assert (asked.requests, second.served_from) == (0, "memory")
    assert content(second) == content(first)
    async with open_cached() as engine:
        assert (await engine.context(other)).served_from == "sqlite"


async def test_another_message_is_another_context(open_cached, told):
    """What the panic says stands in the answer."""
    other = told(trace=TRACE.replace("nil map", "nil map of items"))
    async with open_cached() as engine:
        await engine.context(told(trace=TRACE))
        result = await engine.context(other)
    assert "nil map of items" in result.context
    assert [content(result)] == await plain(open_cached, other)


async def test_options_make_other_contexts(open_cached, told):
    """A smaller budget is not answered with a larger one's context."""
    small = told(ADD, max_tokens=100)
    async with open_cached() as engine:
        await engine.context(told(ADD))
        result = await engine.context(small)
    assert [content(result)] == await plain(open_cached, small)


MONOREPO = {
    f"{name}/{path}": text.replace("example.com/shop", f"example.com/{name}")
    for name in ("alpha", "beta")
    for path, text in FILES.items()
} | {"beta/cart/cart.go": "\n\n" + CART.replace("example.com/shop", "example.com/beta")}


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_module_relative_path_after_the_other_asks_nobody(
    asked, open_cached, repo, restarted
):
    """Both forms are one entry, also where two modules have that path."""
    commit = repo.commit(MONOREPO)

    def told(file: str, line: int, root_dir: str | None = None) -> triage.Telemetry:
        return triage.Telemetry(
            repo=str(repo.path),
            commit_sha=commit,
            file=file,
            line=line,
            root_dir=root_dir,
        )

    async def first(engine: Engine) -> tuple[triage.Result, ...]:
        alpha = await engine.context(told("alpha/cart/cart.go", ADD))
        beta = await engine.context(told("beta/cart/cart.go", ADD + 2))
        asked.clear()
        return alpha, beta

    async def second(engine: Engine) -> tuple[triage.Result, ...]:
        alpha = await engine.context(told("cart/cart.go", ADD, "alpha"))
        beta = await engine.context(told("cart/cart.go", ADD + 2, "beta"))
        return alpha, beta

    async with open_cached() as engine:
        before = await first(engine)
        after = None if restarted else await second(engine)
    if restarted:
        async with open_cached() as engine:
            after = await second(engine)
    assert (asked.requests, asked.parsed) == (0, 0)
    assert after is not None
    assert [content(one) for one in after] == [content(one) for one in before]


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_module_relative_path_needs_no_root_directory(
    asked, open_cached, repo, restarted
):
    """Where one module is in sight its own path is enough, with a warning."""
    files = {f"alpha/{path}": text for path, text in FILES.items()}
    commit = repo.commit(files)
    whole = triage.Telemetry(str(repo.path), commit, "alpha/cart/cart.go", ADD)
    below = replace(whole, file="cart/cart.go")
    async with open_cached() as engine:
        await engine.context(whole)
        asked.clear()
        found = None if restarted else await engine.context(below)
    if restarted:
        async with open_cached() as engine:
            found = await engine.context(below)
    assert (asked.requests, asked.parsed) == (0, 0)
    assert found is not None
    assert found.crash.path == "alpha/cart/cart.go"
    assert [w for w in found.warnings if "matched by its end" in w] != []


async def test_the_next_commit_costs_what_changed(asked, open_cached, repo):
    """A package with one file changed is looked at, and parsed, once; others not."""
    many = {f"cart/more{n}.go": f"package cart\n\nvar v{n} int\n" for n in range(29)}
    first = repo.commit(FILES | many)
    second = repo.commit({"cart/more7.go": "package cart\n\nvar v7 string\n"})
    told = triage.Telemetry(str(repo.path), None, "cart/cart.go", ADD)
    async with open_cached() as engine:
        await engine.context(replace(told, commit_sha=first))
        asked.clear()
        result = await engine.context(replace(told, commit_sha=second))
    assert asked.source == [f"resolve {second}", "probe cart", "probe money"]
    assert asked.parsed == 1
    assert result.crash.commit == second


async def test_an_unchanged_package_of_the_next_commit_is_not_parsed(
    asked, open_cached, repo
):
    """A package is known by its content, so that only its names are looked at."""
    first = repo.commit(FILES)
    second = repo.commit({"README.md": "# Shop\n"})
    told = triage.Telemetry(str(repo.path), None, "cart/cart.go", ADD)
    async with open_cached() as engine:
        before = await engine.context(replace(told, commit_sha=first))
        asked.clear()
        after = await engine.context(replace(told, commit_sha=second))
    assert asked.parsed == 0
    assert after.context == before.context


async def test_many_crashes_at_once_share_fetch_and_parse(asked, open_cached, told):
    """Twenty different crashes in a cold package, the first of them cancelled."""
    asked.gate = asyncio.Event()
    async with open_cached() as engine:
        lines = [told(line) for line in range(ADD - 1, ADD + 2)] * 7
        tasks = [asyncio.create_task(engine.context(one)) for one in lines]
        await asked.looking.wait()
        tasks[0].cancel()
        await asyncio.sleep(0)
        asked.gate.set()
        results = await asyncio.gather(*tasks[1:])
    assert tasks[0].cancelled()
    assert {result.crash.function for result in results} == {"(*Cart).Add"}
    commit = told().commit_sha
    assert asked.source == [f"resolve {commit}", "probe cart", "probe money"]
    assert asked.parsed == 2  # cart and money


async def test_a_branch_is_looked_up_each_time(open_cached, repo):
    """What it meant before says nothing of what it means now."""
    repo.commit(FILES)
    telemetry = triage.Telemetry(
        repo=str(repo.path), commit_sha="main", file="cart/cart.go", line=ADD
    )
    async with open_cached() as engine:
        before = await engine.context(telemetry)
        moved = repo.commit({"cart/cart.go": CART.replace("Item", "Thing")})
        after = await engine.context(telemetry)
    assert (after.crash.commit, "type Thing struct" in after.context) == (moved, True)
    assert "type Item struct" in before.context


async def test_a_short_id_is_looked_up_each_time(asked, open_cached, told):
    """It is resolved, and its full id is what is kept."""
    full = told(ADD)
    short = told(ADD, commit_sha=str(full.commit_sha)[:10])
    async with open_cached() as engine:
        first = await engine.context(full)
        asked.clear()
        second = await engine.context(short)
    assert asked.source == [f"resolve {short.commit_sha}"]
    assert second.crash == first.crash


async def test_a_working_tree_is_known_by_its_content(asked, open_cached, repo):
    """A change is seen at once; what did not change is not parsed again."""
    repo.write(FILES)
    place = triage.Telemetry(repo=str(repo.path), file="cart/cart.go", line=ADD)
    async with open_cached() as engine:
        before = await engine.context(place)
        parsed = asked.parsed
        repo.write({"cart/cart.go": CART.replace("Item", "Thing")})
        changed = await engine.context(place)
        assert asked.parsed == parsed + 1
    repo.write(FILES)
    asked.clear()
    async with open_cached() as engine:
        restored = await engine.context(place)
    assert asked.parsed == 0
    assert "type Thing struct" in changed.context
    assert content(restored) == content(before)
    assert {before.served_from, changed.served_from, restored.served_from} == {
        "worktree"
    }


async def test_an_answer_with_a_hole_is_not_kept(open_cached, told, monkeypatch):
    """Where a neighbour failed for the moment, the next one gets the whole answer."""
    failing = [True]

    class Flaky(Helper):
        """A helper that times out on one package."""

        async def symbols(self, package, *arguments, **options):
            if package.directory == "money" and failing[0]:
                raise HelperTimeout("slow")
            return await super().symbols(package, *arguments, **options)

    monkeypatch.setattr(openers, "Helper", Flaky)
    async with open_cached() as engine:
        holed = await engine.context(told(ADD))
        failing[0] = False
        mended = await engine.context(told(ADD))
    assert holed.warnings == ("package money left out: slow",)
    assert [content(mended)] == await plain(open_cached, told(ADD))


async def test_without_a_cache_everything_is_asked_again(asked, open_cached, told):
    """And nothing is written."""
    async with open_cached(no_cache=True) as engine:
        for _ in range(2):
            result = await engine.context(told(ADD))
            assert result.served_from == "git"
    assert (asked.requests, asked.parsed) == (6, 4)


@needs_server
async def test_machines_share_a_redis_server(asked, told, tmp_path):
    """What one has answered another knows; without the server it finds out itself."""
    lines = [told(ADD), told(ADD + 1), told(TOTAL)]
    with tempfile.TemporaryDirectory(prefix="r") as directory:
        server = RedisServer(Path(directory))
        await server.start()

        def machine(name: str) -> triage.Settings:
            return triage.Settings(data_dir=tmp_path / name, redis_url=server.url)

        async with triage.open_engine(machine("one")) as engine:
            first = [await engine.context(one) for one in lines]
        asked.clear()
        async with triage.open_engine(machine("two")) as engine:
            second = [await engine.context(one) for one in lines]
        assert (asked.requests, asked.parsed) == (0, 0)
        await server.stop()
        async with triage.open_engine(machine("three")) as engine:
            third = [await engine.context(one) for one in lines]
    assert asked.requests == 3
    assert [result.served_from for result in second] == ["redis"] * 3
    assert [content(one) for one in second] == [content(one) for one in first]
    assert [content(one) for one in third] == [content(one) for one in first]


async def test_redis_without_its_package_says_what_to_install(monkeypatch, tmp_path):
    """The extra is named, before anything is asked."""
    monkeypatch.setitem(sys.modules, "triage.cache.redis", None)
    settings = triage.Settings(data_dir=tmp_path, redis_url="redis://localhost")
    with pytest.raises(ConfigError, match=r"pip install 'triage-go\[redis\]'"):
        async with triage.open_engine(settings):
            pass
