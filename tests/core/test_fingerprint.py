import hashlib

import pytest

from triage.core.fingerprint import fingerprint


def test_fingerprint_is_a_hash_of_its_parts():
    """Repository, kind and functions are hashed in this order, NUL between them."""
    want = hashlib.sha256(b"acme/shop\0nil-deref\0shop.F\0shop.G").hexdigest()
    assert want == fingerprint("acme/shop", "nil-deref", ["shop.F", "shop.G"])


def test_fingerprint_takes_five_functions():
    """What lies deeper in the trace than five functions changes nothing."""
    functions = [f"shop.F{number}" for number in range(5)]
    want = fingerprint("acme/shop", "nil-deref", functions)
    assert want == fingerprint("acme/shop", "nil-deref", [*functions, "shop.Main"])


@pytest.mark.parametrize(
    ("repo", "kind", "functions"),
    [
        ("acme/shop2", "nil-deref", ["shop.F", "shop.G"]),
        ("acme/shop", "index-range", ["shop.F", "shop.G"]),
        ("acme/shop", "nil-deref", ["shop.G", "shop.F"]),
        ("acme/shop", "nil-deref", ["shop.F"]),
        ("acme/shop", None, ["shop.F", "shop.G"]),
    ],
)
def test_fingerprint_tells_crashes_apart(repo, kind, functions):
    """Another repository, kind, order or set of functions is another crash."""
    other = fingerprint("acme/shop", "nil-deref", ["shop.F", "shop.G"])
    assert other != fingerprint(repo, kind, functions)


def test_fingerprint_without_kind():
    """Where only file and line are known the kind counts as empty."""
    assert fingerprint("r", "", iter(["f"])) == fingerprint("r", None, iter(["f"]))
