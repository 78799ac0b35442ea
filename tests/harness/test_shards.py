"""Under xdist each worker runs the shard it knew from the start, and a dead one's is inherited."""

from __future__ import annotations

import json
import textwrap
from itertools import chain
from pathlib import Path

import pytest

from culturegate.shards import KEY, own_shard, places, position, share

CONFTEST = """
    import json
    import os
    import pytest
    from culturegate.shards import Shards, own_shard


    def is_case(nodeid):
        return "test_case[" in nodeid


    class Controller:
        def __init__(self):
            self.shards = Shards()

        def pytest_configure_node(self, node):
            self.shards.assign(node)

        def pytest_xdist_make_scheduler(self, config, log):
            return self.shards.scheduler(config, log, is_case)

        def pytest_sessionfinish(self):
            with open("lost.json", "w") as file:
                json.dump(self.shards.lost, file)


    class Worker:
        def __init__(self, workerinput):
            self.input = workerinput

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            ids = [item.nodeid for item in session.items]
            with open(f"own-{self.input['workerid']}.json", "w") as file:
                json.dump(own_shard(self.input, ids, is_case), file)

        def pytest_runtest_logstart(self, nodeid):
            with open(f"ran-{self.input['workerid']}.txt", "a") as file:
                file.write(nodeid + "\\n")


    def pytest_configure(config):
        if hasattr(config, "workerinput"):
            config.pluginmanager.register(Worker(config.workerinput))
        elif config.getoption("numprocesses", None):
            config.pluginmanager.register(Controller())
"""

FEW = 60
CASES = """
    import os, time, pytest

    @pytest.mark.parametrize("n", range({count}))
    def test_case(n):
        {body}
"""


class Session:
    """A throw-away project of cases, run by two workers."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeconftest(CONFTEST)

    def run(
        self, *arguments: str, body: str = "pass", count: int = FEW, more: str = ""
    ) -> pytest.RunResult:
        source = textwrap.dedent(CASES).format(count=count, body=body)
        self.pytester.makepyfile(test_them=source + textwrap.dedent(more))
        return self.pytester.runpytest_subprocess(
            "-n", "2", "-p", "no:cacheprovider", *arguments, timeout=60
        )

    def ran(self) -> dict[str, list[str]]:
        """Return the tests that each worker ran, in order."""
        files = sorted(self.pytester.path.glob("ran-*.txt"))
        return {file.stem[4:]: file.read_text().split() for file in files}

    def all_ran(self) -> list[str]:
        """Return the tests that any worker ran."""
        return list(chain(*self.ran().values()))

    def own(self) -> dict[str, list[str] | None]:
        """Return the shard that each worker computed for itself."""
        files = sorted(self.pytester.path.glob("own-*.json"))
        return {file.stem[4:]: json.loads(file.read_text()) for file in files}

    def lost(self) -> list[str]:
        """Return what the controller says nobody ran."""
        found: list[str] = json.loads((self.pytester.path / "lost.json").read_text())
        return found


@pytest.fixture
def session(pytester: pytest.Pytester) -> Session:
    return Session(pytester)


def case_ids(*numbers: int) -> list[str]:
    return [f"test_them.py::test_case[{n}]" for n in numbers]


def test_shards_are_even_and_cover_everything_once() -> None:
    shards = [places(103, index, 4) for index in range(4)]
    assert sorted(chain(*shards)) == list(range(103))
    assert [len(part) for part in shards] == [26, 26, 26, 25]
    assert list(places(3, 0, 1)) == [0, 1, 2]
    assert list(places(0, 0, 3)) == []


def test_shares_add_up_and_leave_nobody_without() -> None:
    assert [share(32, index, 3) for index in range(3)] == [11, 11, 10]
    assert [share(2, index, 4) for index in range(4)] == [1, 1, 1, 1]


def test_a_process_without_a_shard_has_everything() -> None:
    assert position({}) == (0, 1)
    assert position({KEY: [1, 3, None]}) == (1, 3)
    assert own_shard({}, ["a"], lambda _: True) is None
    assert own_shard({KEY: [1, 2, None]}, ["a", "b", "x"], lambda n: n != "x") is None
    assert own_shard({KEY: [1, 2, None]}, ["a", "b", "c", "d"], lambda _: True) == ["b", "d"]
    assert own_shard({KEY: [1, 2, [3]]}, ["a", "b", "c", "d"], lambda _: True) == ["d"]


def test_each_worker_runs_exactly_the_shard_it_knew(session: Session) -> None:
    result = session.run()
    result.assert_outcomes(passed=FEW)
    assert result.ret == 0
    assert session.ran() == session.own()
    assert session.own()["gw0"] == case_ids(*range(0, FEW, 2))
    assert session.lost() == []


def test_fewer_cases_than_workers_end(session: Session) -> None:
    session.run(count=1).assert_outcomes(passed=1)
    assert session.ran() == {"gw0": case_ids(0)}
    assert session.own() == {"gw0": case_ids(0), "gw1": []}


def test_nothing_collected_ends(session: Session) -> None:
    assert session.run("-k", "nothing_at_all").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_other_tests_beside_the_cases_leave_scheduling_to_xdist(session: Session) -> None:
    result = session.run("-v", more="\ndef test_other(): pass\n")
    result.assert_outcomes(passed=FEW + 1)
    assert session.own() == {"gw0": None, "gw1": None}
    assert sorted(session.all_ran()) == sorted([*case_ids(*range(FEW)), "test_them.py::test_other"])


def test_another_dist_mode_is_left_to_xdist(session: Session) -> None:
    session.run("--dist", "loadfile").assert_outcomes(passed=FEW)
    assert session.own() == {"gw0": None, "gw1": None}
    assert len(session.ran()) == 1


@pytest.mark.parametrize("dies", [0, 31, FEW - 1])
def test_a_dead_workers_cases_are_run_by_its_replacement_but_for_the_one_it_died_in(
    session: Session, dies: int
) -> None:
    result = session.run(body=f"n == {dies} and os._exit(1)")
    result.assert_outcomes(passed=FEW - 1, failed=1)
    result.stdout.fnmatch_lines([f"*crashed while running*test_case?{dies}?*"])
    ran = session.ran()
    assert sorted(session.all_ran()) == sorted(case_ids(*range(FEW)))
    assert session.own()["gw2"] == ran.get("gw2", [])
    assert session.lost() == []


def test_a_worker_that_dies_while_collecting_is_replaced(session: Session) -> None:
    session.pytester.makepyfile(
        test_dying="""
        import os
        from pathlib import Path
        if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
            os._exit(1)
        """
    )
    session.run().assert_outcomes(passed=FEW)
    assert session.ran() == {
        "gw0": case_ids(*range(0, FEW, 2)),
        "gw2": case_ids(*range(1, FEW, 2)),
    }


def test_every_worker_dying_again_and_again_ends_with_every_case_reported(
    session: Session,
) -> None:
    result = session.run(body="n % 10 < 2 and os._exit(1)")
    assert result.ret != 0
    reported = result.parseoutcomes()
    assert reported["failed"] + reported.get("passed", 0) + len(session.lost()) == FEW


def test_a_lost_worker_that_may_not_be_replaced_leaves_its_cases_named(session: Session) -> None:
    result = session.run("--max-worker-restart", "0", body="n == 1 and os._exit(1)")
    assert result.ret != 0
    ran = session.all_ran()
    assert sorted([*ran, *session.lost()]) == sorted(case_ids(*range(FEW)))
    assert set(case_ids(3, 5, 7)) <= set(session.lost())


def test_x_stops_every_worker_soon(session: Session) -> None:
    result = session.run("-x", body="assert n != 20", count=1000)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert len(session.all_ran()) < 200


def test_a_replacement_that_collects_something_else_does_not_run_the_wrong_cases(
    session: Session,
) -> None:
    result = session.run(
        body="n == 5 and os._exit(1)",
        more="""
        if os.environ.get("PYTEST_XDIST_WORKER") == "gw2":
            @pytest.mark.parametrize("n", range(1000, 1003))
            def test_case(n):
                pass
        """,
    )
    result.assert_outcomes(passed=FEW // 2 + 2, failed=1)
    assert session.lost() == case_ids(*range(7, FEW, 2))
    assert Path(session.pytester.path, "ran-gw2.txt").exists() is False
