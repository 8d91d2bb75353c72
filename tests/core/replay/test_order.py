"""The order of work."""

from triage.core.model import Telemetry
from triage.core.replay import place

TRACE = """\
panic: x [recovered]

goroutine 7 [running]:
testing.tRunner.func1.2({0x1, 0x2})
	/usr/local/go/src/testing/testing.go:1634 +0x377
panic({0x1?, 0x2?})
	/usr/local/go/src/runtime/panic.go:770 +0x132
example.com/shop/cart.(*Cart).Add(...)
	/app/cart/cart.go:24
main.main()
	/app/main.go:7 +0x1d
"""


def test_places_of_one_package_are_the_same():
    """Files of one directory come together, those of another commit do not."""
    one = Telemetry("acme/shop", "1", "cart/a.go", 1)
    same = Telemetry("acme/shop", "1", "cart/b.go", 9)
    others = [
        Telemetry("acme/shop", "2", "cart/a.go", 1),
        Telemetry("acme/shop", "1", "money/a.go", 1),
        Telemetry("acme/x", "1", "cart/a.go", 1),
        Telemetry("acme/shop", "1", "cart/a.go", 1, root_dir="srv"),
    ]
    assert place(one) == place(same)
    assert place(one) not in map(place, others)


def test_a_trace_lies_where_its_first_own_frame_does():
    """Frames of the standard library say nothing of the package."""
    told = Telemetry("acme/shop", "1", trace=TRACE)
    assert place(told).endswith("\0example.com/shop/cart")
    assert place(told) == place(Telemetry("acme/shop", "1", trace=TRACE.encode()))


def test_a_trace_without_frames():
    """It has some place, with others of the repository."""
    assert place(Telemetry("acme/shop", trace="panic: x")) == "acme/shop\0\0\0"
