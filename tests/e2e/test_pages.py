"""The pages for people over HTTP: what they show, who may see them, what they refuse."""

import asyncio
import re
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import quote

import html5lib
import pytest

import triage
from tests.e2e.conftest import FILES, TRACE
from tests.serving import SECRET, TOKEN, Reply, serving
from triage.service.pages import login
from triage.store import INBOX

REPO = "acme/shop"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = (
    "<script>window.hit=1</script>\"'><img src=x onerror=hit()> \x1b[31m\u202e&amp;"
)


@pytest.fixture
def sha(repo):
    """Commit the shop and give the id."""
    return repo.commit(FILES)


@pytest.fixture
def service(repo, tmp_path):
    """Run services on the shop; `token=TOKEN` makes people log in."""

    @asynccontextmanager
    async def run(**changed):
        settings = triage.Settings(
            data_dir=tmp_path / "data",
            repos=f"{REPO}={repo.path}",
            webhook_secret=SECRET,
        )
        async with serving(replace(settings, **changed)) as caller:
            yield caller

    return run


async def crash(caller, sha, trace=TRACE, repo=REPO):
    """Tell of a crash, wait until it is explained, and give its event."""
    body = {"repo": repo, "commit_sha": sha, "text": trace}
    (name,) = (await caller.panic(body)).json["events"]
    return await caller.ended(name)


def page(reply: Reply) -> str:
    """Check that an answer is a page as all are, and give its text."""
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    assert reply.headers["Cache-Control"] == "no-store"
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self';")
    assert "unsafe" not in policy
    text = reply.body.decode()
    html5lib.HTMLParser(strict=True).parse(text)
    assert " style=" not in text
    assert "<script" not in text
    return text


async def test_nothing_yet(service):
    """The first page says how a crash is told."""
    async with service() as caller:
        text = page(await caller.get("/"))
    assert "Nothing has crashed yet" in text
    assert "/webhooks/panic?repo=OWNER/NAME&amp;commit_sha=SHA" in text


async def test_an_incident(service, sha):
    """It shows the trace, each symbol with its reason, and links the lines."""
    async with service() as caller:
        event = await crash(caller, sha)
        listed = page(await caller.get("/"))
        (path,) = re.findall(r'href="(/incidents/\w+)"', listed)
        text = page(await caller.get(path))
    assert path == f"/incidents/{event['incident']}"
    assert "assignment to entry in nil map" in listed
    blob = f"https://github.com/{REPO}/blob/{sha}"
    assert f'href="{blob}/cart/cart.go#L24"' in text
    assert f'href="{blob}/cart/cart.go#L23-L27"' in text
    assert f'href="https://github.com/{REPO}/commit/{sha}"' in text
    for words in (
        "receiver of (*Cart).Add",
        "constructor of Cart",
        "frame 2 of the trace",
    ):
        assert words in text
    (marked,) = re.findall(r'<tr class="marked"><td[^>]*>24</td>.*?</tr>', text)
    assert "item" in marked
    assert len(re.findall(r'<a class="box \w+" href="#s\d+">', text)) == len(
        re.findall(r'<article class="symbol \w+" id="s\d+"', text)
    )


async def test_several_contexts(service, repo, sha):
    """Each commit's context can be chosen, the newest first; others lead nowhere."""
    changed = {"cart/cart.go": FILES["cart/cart.go"].replace("name :=", "first :=")}
    async with service() as caller:
        event = await crash(caller, sha)
        later = changed["cart/cart.go"].replace("[name]", "[first]")
        await crash(caller, repo.commit({"cart/cart.go": later}))
        path = f"/incidents/{event['incident']}"
        newest, oldest = [page(await caller.get(f"{path}?context={n}")) for n in (1, 2)]
        odd = [
            page(await caller.get(f"{path}?context={n}"))
            for n in ("0", "-1", "x", "9999999", "")
        ]
    assert "first" in newest.split('id="context"')[1].split("</article>")[0]
    assert "first" not in oldest.split('id="context"')[1].split("</article>")[0]
    assert {text.count('aria-current="true"') for text in odd} == {1}


async def test_everything_is_escaped(service, repo):
    """Neither message, nor names, nor source become markup; hidden signs are seen."""
    text = FILES["cart/cart.go"].replace("// Add puts", f"// {HOSTILE} puts")
    sha = repo.commit({**FILES, "cart/cart.go": text})
    async with service() as caller:
        event = await crash(caller, sha, TRACE.replace("nil map", HOSTILE))
        pages = [
            page(await caller.get(path))
            for path in ("/", f"/incidents/{event['incident']}")
        ]
    for shown in pages:
        assert "&lt;script&gt;window.hit=1&lt;/script&gt;" in shown
        assert "<img" not in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert r"\u202e" in pages[1]


async def test_filters_and_pages(service, sha):
    """The list is narrowed by its form, and goes on to what is older."""
    async with service() as caller:
        for function in ("Add", "Total"):
            await crash(caller, sha, TRACE.replace("Add", function))
        all_of_them = page(await caller.get("/?repo=&kind=&function="))
        total = page(await caller.get(f"/?function={quote('(*Cart).Total')}"))
        none = page(await caller.get("/?repo=acme/other"))
        first = page(await caller.get("/?limit=1"))
        (older,) = re.findall(r'href="([^"]+)" rel="next"', first)
        second = page(await caller.get(older.replace("&amp;", "&")))
    assert all_of_them.count('class="told"') == 2
    assert (total.count('class="told"'), "(*Cart).Total" in total) == (1, True)
    assert "No incident is like that" in none
    assert first.count('class="told"') == second.count('class="told"') == 1
    assert 'rel="next"' not in second


async def test_events(service, sha):
    """Each tells its state, and one that failed what to do about it."""
    async with service() as caller:
        good = await crash(caller, sha)
        bad = await crash(caller, sha, repo="acme/secret")
        failed = page(await caller.get("/events?status=failed"))
        one, other = [
            page(await caller.get(f"/events/{event['id']}")) for event in (bad, good)
        ]
        waiting = page(await caller.get("/events?status=waiting"))
    assert (bad["id"] in failed, good["id"] in failed) == (True, False)
    assert "repo-not-allowed" in one
    assert "Add the repository to TRIAGE_REPOS" in one
    assert f"triage inbox retry {bad['id']}" in one
    assert f"/incidents/{good['incident']}" in other
    assert "There is no waiting event" in waiting


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/incidents/none", 404),
        ("/events/none", 404),
        ("/?limit=0", 400),
        ("/events?status=odd", 400),
        ("/?cursor=x", 400),
    ],
)
async def test_what_is_not_there(service, path, status):
    """An error is a page too, and names the request."""
    async with service() as caller:
        reply = await caller.get(path)
    assert reply.status == status
    assert reply.headers["X-Request-ID"] in page(reply)


async def test_old_address(service):
    """The list has one address."""
    async with service() as caller:
        reply = await caller.get("/incidents")
    assert (reply.status, reply.headers["Location"]) == (303, "/")


@pytest.mark.parametrize(
    ("name", "kind"), [("style.css", "text/css"), ("icon.svg", "image/svg+xml")]
)
async def test_files(service, name, kind):
    """They are our own, open to all and kept by browsers."""
    async with service(token=TOKEN) as caller:
        reply = await caller.get(f"/static/{name}")
        other = await caller.get("/static/../site.py")
    assert (reply.status, reply.headers["Content-Type"]) == (200, kind)
    assert "max-age" in reply.headers["Cache-Control"]
    assert other.status == 404


async def test_an_enterprise_server(service, sha):
    """Lines are linked where the repositories are."""
    async with service(github_url="https://git.acme.example/api/v3") as caller:
        event = await crash(caller, sha)
        text = page(await caller.get(f"/incidents/{event['incident']}"))
    assert f"https://git.acme.example/{REPO}/blob/{sha}/cart/cart.go#L24" in text
    assert "https://github.com" not in text


async def test_contexts_of_another_version(service, sha, tmp_path):
    """What does not read any more is said to be gone; the incident stays."""
    async with service() as caller:
        event = await crash(caller, sha)
        await asyncio.to_thread(_spoil, tmp_path / "data" / INBOX)
        text = page(await caller.get(f"/incidents/{event['incident']}"))
    assert "made by another version" in text


def _spoil(path):
    import apsw  # noqa: PLC0415 - the one test that breaks a store

    with apsw.Connection(str(path)) as db:
        db.execute("UPDATE contexts SET value = ?", (b'{"schema": "other"}',))


# -- who may see them

PAGES = ["/", "/incidents/abc", "/events", "/events/abc", "/?repo=acme/shop"]


@pytest.mark.parametrize("path", PAGES)
async def test_who_has_not_logged_in(service, path):
    """They are asked to, and led back afterwards."""
    async with service(token=TOKEN) as caller:
        reply = await caller.get(path)
    assert reply.status == 303
    assert reply.headers["Location"] == f"/login?next={quote(path, safe='')}"


async def test_log_in_and_out(service):
    """The token opens the pages, not the API; the cookie can be read by no script."""
    async with service(token=f"{TOKEN}, n3xt") as caller:
        form = page(await caller.get("/login?next=/events"))
        sent = await caller.post(
            "/login", f"token={TOKEN}&next=/events".encode(), headers=FORM
        )
        cookie = sent.headers["Set-Cookie"]
        shown = {"Cookie": cookie.partition(";")[0]}
        events = await caller.get("/events", headers=shown)
        again = await caller.get("/login", headers=shown)
        api = await caller.get("/v1/events", headers=shown)
        rotated = await caller.post("/login", b"token=n3xt", headers=FORM)
        out = await caller.post("/logout", b"", headers={**shown, **FORM})
    assert 'name="next" value="/events"' in form
    assert (sent.status, sent.headers["Location"]) == (303, "/events")
    assert {part.strip().lower() for part in cookie.split(";")[1:]} == {
        "httponly",
        f"max-age={login.LASTS}",
        "path=/",
        "samesite=strict",
    }
    assert "Log out" in page(events)
    assert (again.status, api.status, rotated.status) == (303, 401, 303)
    assert (out.status, out.headers["Location"]) == (303, "/login")
    assert "Max-Age=0" in out.headers["Set-Cookie"]


async def test_behind_tls(service):
    """There the cookie is sent over TLS alone."""
    headers = {**FORM, "X-Forwarded-Proto": "https"}
    async with service(token=TOKEN) as caller:
        reply = await caller.post("/login", f"token={TOKEN}".encode(), headers=headers)
    assert "Secure" in reply.headers["Set-Cookie"]


async def test_bearers_need_no_login(service):
    """Programs that show the token see the pages."""
    async with service(token=TOKEN) as caller:
        reply = await caller.get("/", headers=BEARER)
    assert reply.status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"token=",
        b"token=wrong",
        b"token=t0kenx",
        b"token=%ff",
        b"token=%00",
        b"&".join([b"token"] * 8),
    ],
)
async def test_wrong_tokens(service, body):
    """They are told as much, and nothing is set."""
    async with service(token=TOKEN) as caller:
        reply = await caller.post("/login", body, headers=FORM)
    assert reply.status == 401
    assert "That is not the token" in page(reply)
    assert "Set-Cookie" not in reply.headers


async def test_a_form_that_is_too_large(service):
    """It is refused before it is looked at."""
    async with service(token=TOKEN) as caller:
        reply = await caller.post("/login", b"x" * 9000, headers=FORM)
    assert reply.status == 413
    page(reply)


async def test_forms_of_another_kind(service):
    """Only a browser's form logs in."""
    async with service(token=TOKEN) as caller:
        reply = await caller.post("/login", {"token": TOKEN})
    assert reply.status == 401


async def test_many_wrong_tokens(service):
    """Few are looked at at once; the others are told to wait."""
    async with service(token=TOKEN) as caller:
        replies = await asyncio.gather(
            *(caller.post("/login", b"token=wrong", headers=FORM) for _ in range(12))
        )
    assert {reply.status for reply in replies} == {401, 429}


@pytest.mark.parametrize(
    "onward",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/login",
        "/logout",
        "/v1/events",
        "javascript:alert(1)",
        "/events\r\nX: y",
        "/events/a/b",
        "",
    ],
)
async def test_led_astray(service, onward):
    """After a login nobody is sent elsewhere."""
    body = f"token={TOKEN}&next={quote(onward, safe='')}".encode()
    async with service(token=TOKEN) as caller:
        reply = await caller.post("/login", body, headers=FORM)
        form = page(await caller.get(f"/login?next={quote(onward, safe='')}"))
    assert (reply.status, reply.headers["Location"]) == (303, "/")
    assert 'name="next" value="/"' in form


@pytest.mark.parametrize("path", ["/login", "/logout"])
async def test_forms_of_other_sites(service, path):
    """A page of elsewhere can neither log in nor out."""
    headers = {**FORM, "Origin": "https://evil.example"}
    async with service(token=TOKEN) as caller:
        reply = await caller.post(path, f"token={TOKEN}".encode(), headers=headers)
    assert reply.status == 401
    assert "Set-Cookie" not in reply.headers
    assert "own pages alone" in page(reply)


async def test_names_bent_to_this_machine(service):
    """Without a token the pages are for this machine's own browser."""
    async with service() as caller:
        reply = await caller.get("/", headers={"Host": "evil.example"})
    assert reply.status == 401
    assert "asked as localhost alone" in page(reply)


# -- cookies


def test_cookies_of_logins():
    """A cookie is good for its token and its time, and for nothing else."""
    token, other, now = b"one", b"two", 1_000_000.0
    cookie = login.made(token, now)
    until, _, seal = cookie.partition(".")
    assert login.is_good(cookie, [other, token], now + 1)
    assert not login.is_good(cookie, [other], now)
    assert not login.is_good(cookie, [], now)
    assert not login.is_good(cookie, [token], now + login.LASTS + 1)
    assert not login.is_good(cookie, [token], now - 2)
    for forged in (
        f"{int(until) + 1}.{seal}",
        f"{until}.{seal[:-1]}",
        f"{until}.",
        f".{seal}",
        f"٣{until}.{seal}",
        f"{until}.{seal}\udcff",
        "",
    ):
        assert not login.is_good(forged, [token], now), forged
