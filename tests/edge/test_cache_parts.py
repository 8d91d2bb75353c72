"""The small parts of the cache: shelf, codec, stack, what is missing."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dict_tier import DictTier
from triage.cache.codec import pack, unpack
from triage.cache.memory import MemoryShelf
from triage.cache.missing import SECONDS, Missing
from triage.cache.stack import Stack
from triage.errors import CommitMissing


def test_the_least_used_goes_first():
    """What was asked for lately stays when room is made."""
    shelf = MemoryShelf[str](3 * 300)
    for name in "abc":
        shelf.put(name, name.upper(), 100)
    assert shelf.get("a") == "A"
    shelf.put("d", "D", 100)
    assert [shelf.get(name) for name in "abcd"] == ["A", None, "C", "D"]


def test_what_is_larger_than_the_shelf_is_not_kept():
    """It does not push everything else out, and an older value does not outlive it."""
    shelf = MemoryShelf[str](1000)
    shelf.put("a", "old", 100)
    shelf.put("b", "B", 100)
    shelf.put("a", "new", 5000)
    assert [shelf.get(name) for name in "ab"] == [None, "B"]


def test_a_dropped_value_is_gone():
    """Dropping what is not there is no error."""
    shelf = MemoryShelf[str](1000)
    shelf.put("a", "A", 1)
    shelf.drop("a")
    shelf.drop("a")
    assert shelf.get("a") is None


@given(st.binary(max_size=2000), st.booleans())
def test_what_goes_in_comes_out(data, compress):
    """Any bytes, compressed or not."""
    assert unpack(pack(data, compress=compress)) == data


def test_text_is_made_smaller_and_noise_is_left_alone():
    """Compression is kept only where it helps."""
    text = b"package shop\n" * 100
    assert len(pack(text, compress=True)) < len(text) / 4
    assert len(pack(b"\x00\xff", compress=True)) == len(pack(b"\x00\xff"))


@given(st.binary(min_size=1, max_size=300), st.booleans(), st.data())
def test_a_damaged_value_is_no_value(data, compress, choice):
    """One flipped bit anywhere, or a lost end, and there is nothing."""
    packed = bytearray(pack(data, compress=compress))
    at = choice.draw(st.integers(0, len(packed) - 1))
    packed[at] ^= 1 << choice.draw(st.integers(0, 7))
    assert unpack(bytes(packed)) in {None, data}
    whole = pack(data, compress=compress)
    assert unpack(whole[: choice.draw(st.integers(0, len(whole) - 1))]) is None


@pytest.mark.parametrize("odd", [b"", b"\x01", b"\x07abcdefgh", b"\x01\0\0\0\0junk"])
def test_what_was_never_packed_is_no_value(odd):
    """Neither an empty value nor an unknown mark nor a broken stream."""
    assert unpack(odd) is None


def test_a_bomb_is_not_unfolded():
    """A value that claims to be far larger than any that is kept is none."""
    bomb = zlib.compress(bytes(65 << 20), 9)
    assert unpack(b"\x01" + bytes(4) + bomb) is None


async def test_a_farther_tier_fills_the_nearer_ones():
    """Each value comes from the nearest that has it, and is then there."""
    near, far = DictTier("sqlite", a=b"A"), DictTier("redis", a=b"other", b=b"B")
    stack = Stack(near, far)
    found = await stack.get("blobs", [b"a", b"b", b"c"])
    assert {key: (held.data, held.tier) for key, held in found.items()} == {
        b"a": (b"A", "sqlite"),
        b"b": (b"B", "redis"),
    }
    assert near.held["blobs", b"b"] == b"B"


async def test_what_is_put_goes_to_every_tier():
    """Paths too; closing closes all."""
    tiers = DictTier("sqlite"), DictTier("redis")
    stack = Stack(*tiers)
    stack.put("blobs", {b"k": b"v"})
    stack.put_paths(b"c", {"a.go": "m/a.go"})
    await stack.close()
    for tier in tiers:
        assert (tier.held, tier.rows, tier.closed) == (
            {("blobs", b"k"): b"v"},
            {(b"c", "a.go"): "m/a.go"},
            True,
        )


async def test_paths_come_from_the_first_tier_that_knows_any():
    """No tier and no path give none."""
    near, far = DictTier("sqlite"), DictTier("redis")
    far.put_paths(b"c", {"a.go": "m/a.go"})
    assert await Stack(near, far).paths(b"c", ["a.go"]) == ["m/a.go"]
    assert await Stack(near, far).paths(b"c", []) == []
    assert await Stack().paths(b"c", ["a.go"]) == []


def test_what_is_missing_is_remembered_for_a_while(clock):
    """The same words are raised again, until the commit may have been pushed."""
    missing, asked = Missing(clock), []

    def ask() -> None:
        with missing.noted("c1"):
            asked.append(1)
            raise CommitMissing("no c1")

    for _ in range(3):
        with pytest.raises(CommitMissing, match="no c1"):
            ask()
    assert len(asked) == 1
    clock.move(clock.now + SECONDS + 1)
    with pytest.raises(CommitMissing):
        ask()
    assert len(asked) == 2


def test_what_is_there_is_not_noted(clock):
    """Nor are errors that say nothing of what exists."""
    missing = Missing(clock)
    with missing.noted("c1"):
        pass
    with pytest.raises(RuntimeError), missing.noted("c1"):
        raise RuntimeError
    with missing.noted("c1"):
        pass
