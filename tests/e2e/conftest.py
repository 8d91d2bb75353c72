"""What the tests of the whole share: a service's repository, and who was asked."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

import triage
from triage.app import openers
from triage.helper import Helper
from triage.sources.git import GitSource

GO_MOD = "module example.com/shop\n\ngo 1.27\n"
CART = """\
package cart

import "example.com/shop/money"

// Cart holds what a customer wants.
type Cart struct {
	items map[string]*Item
	total money.Cents
}

// Item is one thing in a cart.
type Item struct {
	Name  string
	Price money.Cents
}

// New returns an empty cart.
func New() *Cart {
	return &Cart{}
}

// Add puts an item into the cart.
func (c *Cart) Add(item *Item) {
	name := item.Name
	c.items[name] = item
	c.total += item.Price
}

// Total adds the items up.
func (c *Cart) Total() money.Cents {
	sum := money.Cents(0)
	for _, item := range c.items {
		sum += item.Price
	}
	return sum
}
"""
MONEY = """\
package money

// Cents is an amount.
type Cents int
"""
MAIN = """\
package main

import "example.com/shop/cart"

func main() {
	c := cart.New()
	c.Add(&cart.Item{Name: "tea"})
}
"""
FILES = {
    "go.mod": GO_MOD,
    "cart/cart.go": CART,
    "money/money.go": MONEY,
    "main.go": MAIN,
}
ADD, TOTAL = 24, 32
"""Lines in `Add` and in `Total`."""
TRACE = """\
panic: assignment to entry in nil map

goroutine 1 [running]:
example.com/shop/cart.(*Cart).Add(0xc00001c0a8, 0xc000012345)
\t/app/cart/cart.go:24 +0x1d
main.main()
\t/app/main.go:7 +0x45
"""


@dataclass
class Asked:
    """What git and the helper were asked, in order."""

    source: list[str] = field(default_factory=list)
    parsed: int = 0
    looking: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once somebody looks at directories."""
    gate: asyncio.Event | None = None
    """While it is not set, looks wait."""

    def clear(self) -> None:
        """Begin to count anew."""
        self.source.clear()
        self.parsed = 0

    @property
    def requests(self) -> int:
        """How often the source was asked."""
        return len(self.source)


@pytest.fixture
def asked(monkeypatch) -> Asked:
    """Count what engines ask of git and of the helper from now on."""
    asked = Asked()

    class CountedGit:
        """Git's commits, each question noted."""

        name = "git"

        def __init__(self, directory) -> None:
            self._git = GitSource(directory)

        async def resolve(self, revision):
            asked.source.append(f"resolve {revision}")
            return await self._git.resolve(revision)

        async def paths(self, commit):
            asked.source.append("paths")
            return await self._git.paths(commit)

        async def read_all(self, commit, paths):
            asked.source.append(f"read {' '.join(paths)}")
            return await self._git.read_all(commit, paths)

        async def package(self, commit, directory, *, first=None):
            asked.source.append(f"package {directory}")
            return await self._git.package(commit, directory, first=first)

        async def probe(self, commit, directories):
            asked.source.append(f"probe {' '.join(directories)}")
            asked.looking.set()
            if asked.gate:
                await asked.gate.wait()
            return await self._git.probe(commit, directories)

        async def close(self):
            await self._git.close()

    class CountedHelper(Helper):
        """The helper, each parse noted."""

        async def symbols(self, *arguments, **options):
            asked.parsed += 1
            return await super().symbols(*arguments, **options)

    monkeypatch.setattr(openers, "GitSource", CountedGit)
    monkeypatch.setattr(openers, "Helper", CountedHelper)
    return asked


@pytest.fixture
def open_cached(tmp_path):
    """Open engines on one cache; `no_cache=True` opens one without."""

    @asynccontextmanager
    async def opened(**options):
        settings = triage.Settings(data_dir=tmp_path / "data", **options)
        async with triage.open_engine(settings) as engine:
            yield engine

    return opened
