import pytest

from xetile.cli.opt.expectations import Diagnostic, read_expectations, unmet

TEXT = """one // expected-error {{first}}
// expected-error@+1 {{second}}
two
// expected-error@below {{third}}
// expected-remark@below {{fourth}}
three
// expected-error@above {{fifth}}
// expected-error@unknown {{sixth}}
// expected-error-re@-2 {{value {{[0-9]+}} of {{a|b}}}}
"""


def test_places_of_announcements() -> None:
    places = [(e.kind, e.line, e.text) for e in read_expectations(TEXT)]
    assert places == [
        ("error", 1, "first"),
        ("error", 3, "second"),
        ("error", 6, "third"),
        ("remark", 6, "fourth"),
        ("error", 6, "fifth"),
        ("error", None, "sixth"),
        ("error", 7, "value {{[0-9]+}} of {{a|b}}"),
    ]


def test_announced_diagnostics_are_no_complaint() -> None:
    diagnostics = [
        Diagnostic("error", 1, "the first one"),
        Diagnostic("error", 3, "second"),
        Diagnostic("error", 6, "fifth"),
        Diagnostic("remark", 6, "fourth"),
        Diagnostic("error", 6, "third"),
        Diagnostic("error", None, "sixth"),
        Diagnostic("error", 7, "value 12 of b"),
    ]
    assert unmet(read_expectations(TEXT), diagnostics) == []


@pytest.mark.parametrize(
    "diagnostic",
    [
        Diagnostic("error", 2, "first"),
        Diagnostic("error", 1, "other"),
        Diagnostic("warning", 1, "first"),
    ],
)
def test_another_line_text_or_kind_is_two_complaints(diagnostic: Diagnostic) -> None:
    expectations = read_expectations("x // expected-error {{first}}")
    complaints = unmet(expectations, [diagnostic])
    assert complaints == [
        (diagnostic.line, f"unexpected {diagnostic.kind}: {diagnostic.message}"),
        (1, 'expected error "first" was not produced'),
    ]


def test_one_announcement_meets_one_diagnostic() -> None:
    expectations = read_expectations("x // expected-error {{first}}")
    twice = [Diagnostic("error", 1, "first")] * 2
    assert unmet(expectations, twice) == [(1, "unexpected error: first")]
