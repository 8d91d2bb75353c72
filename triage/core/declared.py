"""Declarations asked for by name, out of one package."""

import re
from dataclasses import dataclass
from typing import Final

from triage.core.cut import whole
from triage.core.table import Decl, Kind
from triage.core.view import View

_MOST: Final = 20
"""Methods of one name on so many types are enough to choose from."""
_LONGEST: Final = 500
# (*Cart).Add, Cart.Add, cart.Add, example.com/shop/cart.(*Cart).Add, Add
_NAME: Final = re.compile(
    r"(?:(?:\(\*?(?P<star>\w+)(?:\[[^]]*\])?\)|(?P<plain>\w+))\.)?(?P<name>\w+)$"
)


@dataclass(frozen=True, slots=True)
class Declared:
    """One declaration, as written."""

    kind: str
    """`func`, `method`, `type`, `var` or `const`."""
    name: str
    receiver: str | None
    file: str
    """Relative to the repository."""
    start_line: int
    end_line: int
    text: str
    """With its doc comment."""


def declarations(view: View, asked: str) -> tuple[Declared, ...]:
    """Find what *asked* names: `(*Cart).Add`, `Cart.Add`, `Add`; a package may precede.

    A method's plain name is enough: all that have it are returned, some twenty at most.
    """
    plain = asked.strip()
    match = _NAME.search(plain[:_LONGEST])
    if match is None or len(plain) > _LONGEST or " " in plain:
        return ()
    owner = match["star"] or match["plain"]
    found = view.named(match["name"])
    # What stands before the dot may be a type or the package.
    of_owner = [decl for decl in found if owner and decl.receiver == owner]
    return tuple(_declared(view, decl) for decl in (of_owner or found)[:_MOST])


def _declared(view: View, decl: Decl) -> Declared:
    piece = whole(view, decl)
    name = view.file_names[decl.file]
    return Declared(
        Kind(decl.kind).name.lower(),
        decl.name,
        decl.receiver or None,
        f"{view.directory}/{name}" if view.directory else name,
        piece.start_line,
        piece.end_line,
        piece.text,
    )
