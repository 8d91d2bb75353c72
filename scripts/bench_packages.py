"""Write Go packages of any size that look like a service's: the bench's material.

Types refer to each other through pointers, slices and maps; constructors, methods,
interfaces, errors and constants use them as real code does. A seed fixes every byte,
and what is written compiles.
"""

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SUBJECTS = (
    "Account",
    "Batch",
    "Ledger",
    "Order",
    "Quota",
    "Shard",
    "Tenant",
    "Worker",
)
_ROLES = ("Book", "Entry", "Index", "Loader", "Pool", "Record", "State", "Store")
_UNITS_PER_FILE = 4

_HEADER = """\
// {salt}

package {package}

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)
"""

_UNIT = """
// {type}Limits bounds what one {type} may hold.
type {type}Limits struct {{
	Soft, Hard int
	Window     time.Duration
}}

// {type} keeps the {noun} entries of one tenant, and knows its {parent} and the
// {peer} values that it was made from.
type {type} struct {{
	mu      sync.Mutex
	name    string
	limits  {type}Limits
	parent  *{parent}
	peers   []*{peer}
	byName  map[string]*{child}
	changed func(*{type}) error
	touched time.Time
}}

// {lower}Source is where a {type} finds what it does not hold.
type {lower}Source interface {{
	Find{type}(ctx context.Context, name string) (*{type}, error)
}}

const (
	{lower}Idle = iota
	{lower}Busy
	{lower}Closed
)

var err{type}Full = errors.New("{lower}: full")

// New{type} returns an empty {type} below a parent.
func New{type}(name string, parent *{parent}) *{type} {{
	return &{type}{{
		name:   name,
		limits: {type}Limits{{Soft: {soft}, Hard: {hard}, Window: {window} * time.Second}},
		parent: parent,
		byName: make(map[string]*{child}),
	}}
}}

// Add puts an entry under a name; an entry that is there already is replaced.
func (x *{type}) Add(ctx context.Context, name string, entry *{child}) error {{
	if err := ctx.Err(); err != nil {{
		return fmt.Errorf("add %s: %w", name, err)
	}}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.byName) >= x.limits.Hard {{
		return err{type}Full
	}}
	x.byName[strings.ToLower(name)] = entry
	x.touched = time.Now()
	if x.changed != nil {{
		return x.changed(x)
	}}
	return nil
}}

// Total adds up the weights of the entries and of the peers.
func (x *{type}) Total() int {{
	total := 0
	for _, name := range x.sortedNames() {{
		if entry := x.byName[name]; entry != nil {{
			total += entry.Weight({lower}Busy)
		}}
	}}
	for i, peer := range x.peers {{
		if i%2 == 0 && peer.parent != nil {{
			total += peer.Weight(i)
		}}
	}}
	return total + x.parent.Weight(total)
}}

// Weight says how much of its limit is used, in thousandths.
func (x *{type}) Weight(state int) int {{
	switch state {{
	case {lower}Idle:
		return 0
	case {lower}Closed:
		return -1
	}}
	if x.limits.Soft == 0 {{
		return len(x.byName)
	}}
	return len(x.byName) * 1000 / x.limits.Soft
}}

func (x *{type}) sortedNames() []string {{
	names := make([]string, 0, len(x.byName))
	for name := range x.byName {{
		names = append(names, name)
	}}
	sort.Strings(names)
	return names
}}

// expire{type} drops what has not been touched for a whole window.
func expire{type}(all []*{type}, now time.Time) (kept []*{type}, err error) {{
	for _, one := range all {{
		if now.Sub(one.touched) <= one.limits.Window {{
			kept = append(kept, one)
			continue
		}}
		if one.Total() > one.limits.Hard {{
			err = errors.Join(err, fmt.Errorf("expire %s: %w", one.name, err{type}Full))
		}}
	}}
	return kept, err
}}
"""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a package where its code could crash."""

    file: str
    line: int


def commit(root: Path) -> str:
    """Commit all that is in *root*, packed as a clone would be; returns the id."""
    if not (root / ".git").exists():
        _git(root, "init", "-q", "--initial-branch=main")
    _git(root, "add", ".")
    _git(root, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "bench")
    _git(root, "repack", "-adq")
    return _git(root, "rev-parse", "HEAD").strip()


def _git(root: Path, *arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=root, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def write_package(directory: Path, *, size: int, seed: int, salt: str) -> Site:
    """Write a package of about *size* bytes and return a crash site in its middle.

    *salt* stands in each file's first line: packages that differ in it alone are as
    large and as hard, but share no file.
    """
    directory.mkdir(parents=True)
    rng = random.Random(seed)  # noqa: S311 - a repeatable choice, not a secret
    names = _type_names(_units_for(size), rng)
    files = []
    for number, start in enumerate(range(0, len(names), _UNITS_PER_FILE)):
        units = names[start : start + _UNITS_PER_FILE]
        text = _HEADER.format(salt=salt, package="service")
        text += "".join(_unit(name, names, rng) for name in units)
        path = directory / f"{units[0].lower()}_{number:03}.go"
        path.write_text(text, "utf-8")
        files.append(path)
    return _crash_site(files[len(files) // 2])


def _units_for(size: int) -> int:
    """Say how many units make about *size* bytes, in whole files."""
    sample = "ShipmentRecord"  # a name of middling length
    unit = len(_unit(sample, [sample], random.Random(0)))  # noqa: S311 - as above
    per_file = unit * _UNITS_PER_FILE + len(_HEADER)
    return max(1, round(size / per_file)) * _UNITS_PER_FILE


def _type_names(count: int, rng: random.Random) -> list[str]:
    """Make *count* different names; real ones first, numbered ones after."""
    pairs = [f"{subject}{role}" for subject in _SUBJECTS for role in _ROLES]
    rng.shuffle(pairs)
    return [
        pairs[i % len(pairs)] + (str(i // len(pairs)) if i >= len(pairs) else "")
        for i in range(count)
    ]


def _unit(name: str, names: list[str], rng: random.Random) -> str:
    """Write one type with all that belongs to it, tied to three others."""
    parent, peer, child = (rng.choice(names) for _ in range(3))
    return _UNIT.format(
        type=name,
        lower=name[0].lower() + name[1:],
        noun=rng.choice(_SUBJECTS).lower(),
        parent=parent,
        peer=peer,
        child=child,
        soft=rng.randrange(1, 100),
        hard=rng.randrange(100, 10_000),
        window=rng.randrange(1, 600),
    )


def _crash_site(path: Path) -> Site:
    """Point at the file's first use of a parent, which may be nil."""
    lines = path.read_text("utf-8").splitlines()
    line = next(i for i, text in enumerate(lines, 1) if "x.parent.Weight" in text)
    return Site(path.name, line)
