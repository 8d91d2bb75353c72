import orjson
import pytest

from tests.core.tables import sketch
from triage.core.table import (
    AT,
    BACK,
    NONE,
    SCHEMA,
    WIDTHS,
    Access,
    Decl,
    DeclFlag,
    Kind,
    Role,
    Table,
    Use,
    Wrap,
    is_checked,
)
from triage.errors import HelperProtocolError

SHOP = sketch("""
package shop

// User is a customer.
type User struct {
	Name string
	Next *User //: field *User
}

func (u *User) Rename(to string) {
	u.Name = to //: use User implicit; access User.Name assign
}

var first = NewUser() //: use NewUser call

func NewUser() *User { return &User{} }
//: result 0 *User; use User type; literal User {Next=nil}; return 0: literal User
""")
TABLE = SHOP.view.table


def changed(**parts: object) -> bytes:
    """Return the table's JSON with some of its parts replaced."""
    return orjson.dumps(orjson.loads(SHOP.json) | parts)


def without(name: str) -> bytes:
    """Return the table's JSON without one of its parts."""
    form = orjson.loads(SHOP.json)
    del form[name]
    return orjson.dumps(form)


def test_declaration():
    """A record becomes a value with texts for numbers and enums for codes."""
    assert TABLE.decl(1) == Decl(
        id=1,
        kind=Kind.METHOD,
        name="Rename",
        receiver="User",
        receiver_type=0,
        package=0,
        file=0,
        line=9,
        end_line=11,
        start=84,
        end=133,
        doc_start=84,
        doc_line=9,
        group_start=-1,
        group_end=-1,
        body_start=117,
        flags=DeclFlag.POINTER,
    )


def test_doc_comment_begins_a_declaration():
    """The doc comment's place is kept apart from the declaration's own."""
    user = TABLE.decl(0)
    assert (user.doc_line, user.line, user.doc_start, user.start) == (3, 4, 14, 37)


@pytest.mark.parametrize(
    ("name", "want"), [("User", False), ("Rename", True), ("NewUser", True)]
)
def test_functions_and_methods_are_functions(name, want):
    """Functions and methods have bodies to look at; types and values have none."""
    found = [TABLE.decl(n) for n in range(4) if TABLE.decl(n).name == name]
    assert [want] == [decl.is_function for decl in found]


def test_records_of_an_owner():
    """Lists that belong to declarations give each its own records, in order."""
    assert list(TABLE.of("uses", 1)) == [[1, 0, 10, Use.IMPLICIT, 0]]
    assert list(TABLE.of("uses", 2)) == [[2, 3, 13, Use.CALL, 0]]
    assert list(TABLE.of("literals", 3)) == [[3, 0, 15, 0]]
    assert list(TABLE.of("settings", 0)) == [[0, 1, 1]]
    assert list(TABLE.of("literals", 0)) == []


def test_numbers_of_an_owner():
    """The numbers of an owner's records count through the whole list."""
    assert list(TABLE.numbers_of("fields", 0)) == [0, 1]
    assert list(TABLE.numbers_of("uses", 3)) == [2]


def test_what_points_at_something():
    """The lists back give the records that name a declaration or a field."""
    assert list(TABLE.back("methods", 0)) == [1]
    assert list(TABLE.back("uses", 3)) == [1]
    assert list(TABLE.back("accesses", 0)) == [0]
    assert list(TABLE.back("accesses", 1)) == []
    row = TABLE.record("types", TABLE.back("types", 0)[-1])
    assert row == [3, Role.RESULT, 0, 0, Wrap.POINTER, 15]


def test_records_of_a_list():
    """A list goes by record as well as by number."""
    assert TABLE.count("accesses") == 1
    assert list(TABLE.records("accesses")) == [(1, 0, 10, Access.ASSIGN, 0)]
    assert list(TABLE.records("imports")) == []
    assert TABLE.text(TABLE.record("fields", 1)[1]) == "Next"


def test_texts_have_numbers():
    """A text leads to its number as a number leads to its text; others lead to 0."""
    assert TABLE.text(TABLE.number("Rename")) == "Rename"
    assert TABLE.number("Remove") == 0
    assert TABLE.number("") == 0


def test_no_target_is_no_record():
    """A declaration without a receiver points at nothing."""
    assert TABLE.decl(3).receiver_type == NONE


@pytest.mark.parametrize("name", [*WIDTHS, "at", "back", "strings", "schema"])
def test_missing_part(name):
    """A table that lacks any of its parts is refused, not half read."""
    with pytest.raises(HelperProtocolError, match="malformed"):
        Table(without(name))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        changed(at={name: [0] for name in AT[1:]}),
        changed(back={name: [[0], []] for name in BACK[1:]}),
        changed(back={name: [[0]] for name in BACK}),
    ],
)
def test_another_form(data):
    """What is no symbol table at all is refused with what is wrong with it."""
    with pytest.raises(HelperProtocolError, match="malformed"):
        Table(data)


def test_other_schema():
    """A helper of another version is named as such, with the way to rebuild it."""
    with pytest.raises(HelperProtocolError) as caught:
        Table(changed(schema=SCHEMA + 1))
    assert str(caught.value) == (
        f"symbol table has schema {SCHEMA + 1}, this is {SCHEMA}; "
        "rebuild with: pip install --force-reinstall triage-go"
    )


@pytest.mark.parametrize(
    ("head", "checked"), [("{", True), ('{"unchecked":true,', False)]
)
def test_a_table_without_types_says_so(head, checked):
    """The first word tells it, without a need to decode the rest."""
    data = head.encode() + SHOP.json[1:]

    assert is_checked(data) is checked
    assert Table(data).checked is checked
