"""What a text says besides its crash: versions, the commit, the target it ran on."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from triage.core.model import Frame, Panic
from triage.core.target import ARCHITECTURES, SYSTEMS, of_stack

_VERSIONED = re.compile(r"(?P<name>[\w.~!-]+)@(?P<version>v\d+\.\d+\.\d+[\w.+-]*)")
_PART = re.compile(r"[\w.~!-]+")
_CACHE = "/pkg/mod/"
_REVISION = re.compile(
    r"vcs[._]revision[\"']?\s*+(?:[=:,]\s*+)?(?:[\"']?[Vv]alue[\"']?\s*:\s*)?[\"']?(?P<sha>[0-9a-f]{7,64})\b"
)
_GO = re.compile(
    r"\b(?P<version>go1(?:\.\d+){1,2}(?:(?:rc|beta)\d+)?)\b"
    r"(?:[ -](?P<os>[a-z0-9]+)[/-](?P<arch>[a-z0-9]+))?"
)
_SETTING = re.compile(r"\b(?P<name>GOOS|GOARCH)=[\"']?(?P<value>[a-z0-9]+)")


def revision(text: str) -> str | None:
    """Return the commit that build information in *text* names."""
    found = _REVISION.search(text) if "vcs" in text else None
    return found["sha"] if found else None


def versions(frames: Iterable[Frame]) -> tuple[tuple[str, str], ...]:
    """Return each module with its version that the paths of *frames* name, in order.

    The module cache writes capitals as `!` and a small letter; here they are capitals.
    """
    found: dict[str, str] = {}
    for frame in frames:
        path = frame.file or ""
        named = _version(path.replace("\\", "/")) if "@v" in path else None
        if named:
            found.setdefault(_unescaped(named[0]), named[1])
    return tuple(found.items())


def _version(path: str) -> tuple[str, str] | None:
    """`/go/pkg/mod/example.com/a/b@v1.2.3/c.go` -> `example.com/a/b`, `v1.2.3`."""
    module: list[str] = []
    for part in f"/{path}".rpartition(_CACHE)[2].split("/")[:-1]:
        named = _VERSIONED.fullmatch(part)
        name = named["name"] if named else part
        if not _PART.fullmatch(name):
            module = []
        elif module or "." in name[1:-1]:  # a host begins it
            module.append(name)
        if named and module:
            return "/".join(module), named["version"]
    return None


def _unescaped(module: str) -> str:
    return re.sub(r"!([a-z])", lambda letter: letter[1].upper(), module)


@dataclass(frozen=True, slots=True)
class Said:
    """What a whole text says of the program and the machine that it ran on."""

    revision: str | None
    go_version: str | None
    systems: tuple[str, ...]
    machines: tuple[str, ...]

    @classmethod
    def from_text(cls, text: str) -> "Said":
        """Read what `go env`, `go version` and build information say in *text*."""
        settings: dict[str, list[str]] = {"GOOS": [], "GOARCH": []}
        if "GOOS=" in text or "GOARCH=" in text:
            for found in _SETTING.finditer(text):
                settings[found["name"]].append(found["value"])
        versions = list(_GO.finditer(text)) if "go1." in text else []
        return cls(
            revision(text),
            versions[0]["version"] if versions else None,
            (*settings["GOOS"], *(found["os"] or "" for found in versions)),
            (*settings["GOARCH"], *(found["arch"] or "" for found in versions)),
        )

    def add_to(self, panic: Panic) -> Panic:
        """Add to *panic* what the text says, and the names of its own frames' files."""
        stacks = [panic.crashed, *panic.others] if panic.crashed else panic.others
        frames = [frame for stack in stacks for frame in stack.frames]
        crashed = panic.crashed.frames if panic.crashed else ()
        files = [frame.file for frame in crashed if frame.file]
        goos, goarch = of_stack(files, panic.signal or "")
        return replace(
            panic,
            versions=versions(frames),
            revision=self.revision,
            go_version=self.go_version,
            goos=_first(self.systems, SYSTEMS) or goos,
            goarch=_first(self.machines, ARCHITECTURES) or goarch,
        )


def _first(words: Iterable[str], known: frozenset[str]) -> str | None:
    return next((word for word in words if word in known), None)
