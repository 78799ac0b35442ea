"""Numbers stand in sentences as a person would write them."""

from __future__ import annotations

import pytest

from culturegate.reports.section import SectionTable
from culturegate.reports.summary import compared, in_points
from culturegate.reports.tables import markdown_table


@pytest.mark.parametrize(
    ("difference", "told"),
    [(0.01, "1 point"), (-0.012, "−1 point"), (0, "0 points"), (-0.1, "−10 points")],
)
def test_one_point_is_no_plural(difference, told):
    assert in_points(difference) == told


@pytest.mark.parametrize(("difference", "word"), [(0.1, "more"), (-0.1, "less"), (-0.001, "as")])
def test_a_difference_is_named_by_the_sign_that_is_shown(difference, word):
    assert compared(difference, ("more", "less", "as")) == word


def table(rows):
    return SectionTable("By culture", ("", "n"), tuple((f"c{n:02}", str(n)) for n in range(rows)))


def test_rows_that_a_short_table_leaves_out_are_named():
    assert markdown_table(table(12))[-1] == ""
    assert "1 more row is in report.html: c12." in markdown_table(table(13))
    assert "2 more rows are in report.html: c12; c13." in markdown_table(table(14))
    assert markdown_table(table(30))[-2].endswith("; c23; ….")
