import pytest

from triage.core.signatures import fits


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("Close()", "Close()"),
        ("Close() error {", "Close() error"),
        ("Close() (err error)", "Close() error"),
        ("Save(it port.Item) error ", "Save(Item) error"),
        ("Save(a, b int)", "Save(int, int)"),
        ("Get(string) (*port.Item, error)", "Get(id string) (it *Item, err error)"),
        ("List() []port.Item", "List() []Item"),
        ("List() []*port.Item", "List() []*Item"),
        ("List() map[string]port.Item", "List() map[string]Item"),
        ("List() <-chan port.Item", "List() <-chan Item"),
        ("Box() port.Box[port.Item]", "Box() Box[Item]"),
        ("Each(func(a, b int) error)", "Each(visit func(int, int) error)"),
        ("Each(struct{ a, b int })", "Each(struct {\n\ta, b int\n})"),
        ("Each(map[Key[int, bool]]int)", "Each(m map[Key[int, bool]]int)"),
        ("Do(\n\ta int,\n\tb int,\n) error", "Do(a, b int) error // runs"),
        ("Do(\n\ta int, // one, two\n\tb int,\n)", "Do(a, b int)"),
        ("Do() func(int) error", "Do() func(int) error"),
    ],
)
def test_signatures_that_fit(method, wanted):
    """The same method fits, whatever names, layout and packages its sides write."""
    assert fits(method, wanted)


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("Close()", "Close() error"),
        ("Close() error", "Close() (int, error)"),
        ("Save(a int)", "Save(a, b int)"),
        ("Save()", "Save(a int)"),
        ("Get() Item", "Get() Other"),
        ("Get() (Item, error)", "Get() (error, Item)"),
        ("Close", "Close() error"),
    ],
)
def test_signatures_that_do_not_fit(method, wanted):
    """Another number of parameters or other results are another method."""
    assert not fits(method, wanted)


@pytest.mark.parametrize("text", ["", "x", "Close(", "Close()(", ")(", "f(,)"])
def test_text_that_is_no_signature(text):
    """What cannot be read fits itself, and nothing raises."""
    assert fits(text, text)
