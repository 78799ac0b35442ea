"""What a run would ask is said without asking anybody."""

from __future__ import annotations

from servers import ScriptedServer


def test_the_estimate_of_each_protocol_asks_nobody_and_writes_nothing(suite):
    with ScriptedServer("A") as server:
        result = suite.run(
            "--estimate", "-o", f"prices={server.models[0]} 1000000 0", "--model",
            server.models[0], "--endpoint", server.base_url,
        )  # fmt: skip
        assert server.requests == []
    assert result.ret == 0
    # 2 cultures × 6 of 12 episodes × 2 kinds; all in 2 languages × 3 and 5 wordings.
    result.stdout.fnmatch_lines(
        [
            "protocol  cases  requests*",
            "   quick     24        24 *about*≤ 768*≤ 1068.00*",
            "standard     96       288*",
            "    full     96       480*",
        ]
    )
    assert not (suite.path / "run").exists()


def test_a_cost_is_unknown_and_never_nothing_without_a_price(suite):
    result = suite.run("--estimate", "-m", "decode")
    result.stdout.fnmatch_lines(["   quick     12        12*unknown*"])


def test_a_limit_on_the_cost_needs_a_price(suite):
    with ScriptedServer("A") as server:
        result = suite.run("--endpoint", server.base_url, "--max-cost", "1")
        assert server.calls == 0
    assert result.ret == 4
    assert "none is known" in result.stderr.str()


def test_a_spent_budget_ends_the_run_unverified_with_what_was_answered(suite):
    with ScriptedServer("A") as server:
        result = suite.run(
            "--endpoint", server.base_url, "--model", server.models[0], "--max-cost", "0.0004",
            "-o", f"prices={server.models[0]} 1 1", "--max-connections", "1",
        )  # fmt: skip
        assert 1 < server.calls < 100
    assert result.ret == 11
    result.stdout.fnmatch_lines(["*the budget of 0.0004 is spent*"])


def test_a_line_of_prices_that_cannot_be_read_says_what_a_line_holds(suite):
    result = suite.run("-o", "prices=gpt cheap")
    assert result.ret == 4
    assert "ini key prices: 'gpt cheap' cannot be used" in result.stderr.str()
