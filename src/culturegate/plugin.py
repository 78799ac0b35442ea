"""pytest hooks: the conductor's strings.

Loaded by a root conftest.py with `pytest_plugins = ["culturegate.plugin"]`, never by an entry
point, so that installing culturegate changes nobody else's session. Each hook finds the session's
`Conductor` and calls it; what a run does stands there.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NoReturn

import pytest

from culturegate.checklist import judged_points
from culturegate.closing import close_run, exit_code, write_run
from culturegate.conductor import Conductor
from culturegate.disputes import disputed_readings
from culturegate.errors import CulturegateError
from culturegate.forecast import Forecast, forecast_lines
from culturegate.gate import EXIT_UNVERIFIED
from culturegate.models import Progress
from culturegate.options import OPTIONS, check_paths, resolve
from culturegate.outcome import Outcome, UnaskedCase
from culturegate.page import Page
from culturegate.reports import Run, terminal_lines
from culturegate.shards import Shards, own_shard, position
from culturegate.terminal import BetweenDots
from culturegate.tracks import Case
from culturegate.tracks.diagnosis import TRACK as DIAGNOSIS

MARKERS = (
    "recall: names a fact of an episode",
    "decode: uses an episode in a new scene",
    "culture: reasons or acts in a culture's own setting",
    "mirror: solves one problem at home and in another culture",
    "persona: acts on the norms that a user's chats show",
    "framing: obeys a format under different framings",
    "safety: stereotype against evidence",
    "diagnosis: what the score owes to options, order, names and wording (with --diagnose)",
)

SHOWN_ERRORS = 10
"""Cases that could not be asked of which the terminal tells one by one."""

CANNOT_START = "cannot-start"
"""Id that stands for the cases of a function which has none, or where the bank is at fault."""

INTERRUPTED = "interrupted"

PACKED = "culturegate_packed"
"""What a worker's report that travels as one text stands under."""

_case = pytest.StashKey[Case]()
_outcome = pytest.StashKey[Outcome]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register each option under its own name, and its ini key."""
    group = parser.getgroup("culturegate")
    for option in OPTIONS:
        keywords: dict[str, Any] = {"dest": f"culturegate_{option.dest}", "help": option.help}
        if option.flag:
            keywords |= {"action": "store_true", "default": None}
        else:
            keywords["metavar"] = option.metavar or option.name.upper()
        if option.many:
            keywords["action"] = "append"
        group.addoption(f"--{option.name}", **keywords)
        parser.addini(option.dest, option.help, type="string", default="")
    parser.addini(
        "prices",
        "A line a model: its name, then the price of a million prompt tokens and of a million "
        "reply tokens",
        type="linelist",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Resolve the settings and register the hooks that this process needs."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    given = {o.dest: config.getoption(f"culturegate_{o.dest}") for o in OPTIONS}
    if worker is not None:
        given["run_dir"] = worker["culturegate_run_dir"]
    ini = {o.dest: config.getini(o.dest) for o in OPTIONS}
    try:
        if worker is None:
            check_paths([str(argument) for argument in config.invocation_params.args])
        settings = resolve(given, ini, os.environ, config.rootpath, config.getini("prices"))
    except CulturegateError as error:
        _refuse(error)
    conductor = Conductor(settings)
    if worker is not None:
        config.pluginmanager.register(Asking(conductor, None, worker), "culturegate-asking")
        config.pluginmanager.register(Unseen(config), "culturegate-unseen")
        return
    judging = Judging(config, conductor)
    config.pluginmanager.register(judging, "culturegate-judging")
    config.pluginmanager.register(Asking(conductor, judging), "culturegate-asking")
    if getattr(config.option, "dist", "no") != "no":
        if settings.estimate:
            _refuse(CulturegateError("--estimate asks nothing and needs no workers: leave -n out"))
        config.pluginmanager.register(Workers(config, conductor, judging), "culturegate-workers")


def _refuse(error: CulturegateError) -> NoReturn:
    raise pytest.UsageError(str(error)) from error


def _check_markers(config: pytest.Config, conductor: Conductor) -> None:
    """Refuse `-m` with a marker that nobody registered, where it has left nothing to run."""
    expression: str = config.option.markexpr
    if expression.strip() == DIAGNOSIS and not conductor.settings.diagnose:
        raise pytest.UsageError(conductor.nothing({DIAGNOSIS}))
    if re.search(r"[\"'=]", expression):
        return  # Markers with arguments are pytest's business.
    known = {re.split(r"[:(]", line)[0].strip() for line in config.getini("markers")}
    unknown = sorted({*re.findall(r"\w+", expression)} - known - {"and", "or", "not"})
    if unknown:
        ours = ", ".join(marker.partition(":")[0] for marker in MARKERS)
        message = f"-m {expression}: no marker {', '.join(unknown)}; culturegate has: {ours}"
        raise pytest.UsageError(message)


class Asking:
    """Hooks of a process that collects and runs cases: the only one, or an xdist worker."""

    def __init__(
        self,
        conductor: Conductor,
        judging: Judging | None,
        workerinput: dict[str, Any] | None = None,
    ) -> None:
        self._conductor = conductor
        self._judging = judging
        self._workerinput = workerinput
        self._fault: CulturegateError | None = None
        self._begun = False

    @pytest.fixture(scope="session")
    def model(self) -> Conductor:
        """Whatever is asked; `model.outcome(case)` is what became of a case."""
        return self._conductor

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run a function marked with `cases` once for each case."""
        selection = getattr(metafunc.function, "culturegate_selection", None)
        if selection is None:
            return
        chosen: Sequence[Case] = ()
        try:
            chosen = self._conductor.select(selection)
        except CulturegateError as error:
            # A raise here would be a collection error with a traceback.
            self._fault = error
        if chosen:
            metafunc.parametrize("case", chosen, ids=[case.facts.case for case in chosen])
        else:
            metafunc.parametrize("case", [None], ids=[CANNOT_START])

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Stop where the bank or an option is at fault; a worker leaves that to the controller.

        A function without a case drops out while another has some.
        """
        empty: list[Any] = []
        known: dict[type, bool] = {}
        for item in items:
            callspec = getattr(item, "callspec", None)
            case: Any = None if callspec is None else callspec.params.get("case")
            kind = type(case)
            if kind not in known:
                known[kind] = isinstance(case, Case)  # Slow: it looks at every property.
            if known[kind]:
                item.stash[_case] = case
            elif item.name.endswith(f"[{CANNOT_START}]"):
                empty.append(item)
        if not empty:
            return
        if self._fault is None and any(_case in item.stash for item in items):
            items[:] = [item for item in items if item not in empty]
        elif self._workerinput is None:
            items.clear()
            tracks = {item.function.culturegate_selection.track for item in empty}
            _refuse(self._fault or CulturegateError(self._conductor.nothing(tracks)))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Start asking what is left after `-m`, `-k` and the like, if this is the only process.

        Not when collection finishes, which it also does where it failed. With `--estimate` nothing
        runs.
        """
        option = session.config.option
        failed = session.testsfailed and not option.continue_on_collection_errors
        if self._judging is None or option.collectonly or failed:
            return None
        if not session.items:
            _check_markers(session.config, self._conductor)
        chosen = [item.stash[_case] for item in session.items if _case in item.stash]
        if chosen and self._conductor.settings.estimate:
            self._judging.tell(self._conductor.forecasts(chosen))
            return True
        if chosen:
            try:
                self._judging.begin(session, chosen, lambda: self._conductor.begin(chosen))
            except CulturegateError as error:
                _refuse(error)
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Make use of the time in which the controller looks whether the model can be asked."""
        if self._workerinput is not None and session.items:
            self._conductor.warm_up()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Start asking a worker's shard with its first test, which the controller has let go."""
        if self._workerinput is not None and not self._begun:
            self._begun = True
            self._begin_shard(item.session.items, self._workerinput)
        if _case not in item.stash:
            return (yield)
        if isinstance(item, pytest.Function):
            _hand_over(item, self._conductor)
        result = yield
        # pytest keeps every item to the end, with half a kilobyte of what plugins noted of it.
        item.stash = pytest.Stash()
        return result

    def _begin_shard(self, items: Sequence[pytest.Item], workerinput: dict[str, Any]) -> None:
        cases = {item.nodeid: item.stash[_case] for item in items if _case in item.stash}
        own = own_shard(workerinput, [item.nodeid for item in items], cases.__contains__)
        try:
            self._conductor.begin(
                [cases[nodeid] for nodeid in own or ()], worker=position(workerinput)
            )
        except CulturegateError as error:
            self._conductor.stopped = str(error)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Wait for the outcome here, so that a case that could not be asked is pytest's error."""
        if _case in item.stash:
            outcome = item.stash[_outcome] = self._conductor.outcome(item.stash[_case])
            if outcome.retries:
                item.user_properties.append(("retries", outcome.retries))  # JUnit shows these.

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """Report a case in one line, with its record; tracebacks are for faults of the code."""
        if _case not in item.stash:
            return None
        error = call.excinfo.value if call.excinfo is not None else None
        outcome = item.stash.get(_outcome, None)
        if call.when != "call" and error is None:
            return _report(item, call, "passed", None)
        if call.when == "setup" and isinstance(error, UnaskedCase):
            return _report(item, call, "failed", str(error), self._carried(error.outcome))
        if call.when != "call" or outcome is None:
            return None
        if error is None:
            return _report(item, call, "passed", None, self._carried(outcome))
        if isinstance(error, AssertionError) and not outcome.passed:
            return _report(item, call, "failed", outcome.explain(), self._carried(outcome))
        return None

    def _carried(self, outcome: Outcome) -> Outcome | dict[str, Any]:
        """Return what a report carries: from a worker to the controller plain data only."""
        if self._workerinput is None:
            return outcome
        return outcome.payload() | {"progress": self._conductor.snapshot().to_dict()}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Stop asking; what was answered is kept."""
        self._conductor.end()
        if self._workerinput is not None:
            output: dict[str, Any] = vars(session.config)["workeroutput"]
            output["culturegate_stopped"] = self._conductor.stopped


def _hand_over(item: pytest.Function, conductor: Conductor) -> None:
    """Fill in what a case's function takes; pytest's way, fixture by fixture, takes 0.3 ms."""
    if not item._request:
        return  # Run before; pytest makes a new request, and fills it.
    definitions = item._fixtureinfo.name2fixturedefs
    item.funcargs.update({"case": item.stash[_case], "request": item._request})
    if len(definitions.get("model", ())) == 1:  # Nobody has put another in place of ours.
        item.funcargs["model"] = conductor


@cache
def _keywords(marks: tuple[str, ...]) -> Mapping[str, Literal[1]]:
    """Return the keywords of a report; pytest keeps every report, so all of a function share."""
    return dict.fromkeys(marks, 1)


def _report(
    item: pytest.Item,
    call: pytest.CallInfo[None],
    outcome: str,
    line: str | None,
    carried: Outcome | dict[str, Any] | None = None,
) -> pytest.TestReport:
    report = pytest.TestReport(
        # The item's own, where pytest (from 9.2 on) has it parsed; a name would be parsed anew.
        nodeid=getattr(item, "id", item.nodeid),
        location=item.location,
        keywords=_keywords(tuple(mark.name for mark in item.iter_markers())),
        outcome=outcome,  # type: ignore[arg-type]
        longrepr=line,
        when=call.when,  # type: ignore[arg-type]
        user_properties=list(item.user_properties),
        duration=call.duration,
        start=call.start,
        stop=call.stop,
        sections=[(f"Captured {key} {when}", text) for when, key, text in item._report_sections],
    )
    if carried is not None:
        report.culturegate = carried  # type: ignore[attr-defined]
    return report


class Judging:
    """Hooks of the process that judges: the only one, or the xdist controller."""

    def __init__(self, config: pytest.Config, conductor: Conductor) -> None:
        self._config = config
        self._conductor = conductor
        self._page = Page(config)
        self._terminal: pytest.TerminalReporter | None = None
        """Where there is one, once cases are being asked."""
        self._progress: Progress | None = None
        self._faults = 0
        """Reports that failed for another reason than a wrong or unasked case."""
        self._run: Run | None = None
        self._paths: Sequence[Path] = ()
        self._warnings: Sequence[str] = ()
        self._trouble: str | None = None

    def begin(
        self, session: pytest.Session, cases: Sequence[Case], start: Callable[[], None]
    ) -> None:
        """Say what is about to be asked, claim the run's directory, and start.

        Raises:
            CulturegateError: Where the directory can't be written or the model can't be asked;
                nothing is left behind then.
        """
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.write_line(self._conductor.announce(cases))
        try:
            self._conductor.expect(cases)
            start()
        except BaseException:
            self._conductor.withdraw()
            raise
        self._page.open(session, self._conductor.settings.run_dir, cases)
        self._terminal = terminal
        if terminal is not None:
            drawn = sys.stderr.isatty() and sys.stdout.isatty()
            self._progress = Progress(
                self._conductor.snapshot, None if drawn else BetweenDots(terminal)
            )
            self._progress.start()

    def tell(self, forecasts: Sequence[Forecast]) -> None:
        """Print what each protocol would ask."""
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            for line in forecast_lines(forecasts):
                terminal.write_line(line)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Give wrong answers a category of their own; pytest's failure summary is quadratic."""
        if not _is_of_case(report) or report.outcome not in ("passed", "failed"):
            return None  # Other plugins have words of their own, such as for what is run again.
        if report.outcome == "passed":
            category, letter, word = "passed", ".", "PASSED"
        elif report.when == "call":
            category, letter, word = "wrong", "w", "WRONG"
        else:
            category, letter, word = "error", "E", "ERROR"
        # Letters would run into the bar.
        quiet = self._config.get_verbosity() <= 0 and self._progress and self._progress.is_bar
        return (category, "", "") if quiet else (category, letter, word)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that can't be collected is a fault of the code."""
        self._faults += report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the record of a case."""
        _forget_quiet(self._terminal)
        if _is_of_case(report):
            carried = report.culturegate
            if isinstance(carried, Outcome):
                record = self._conductor.collect(carried)
            else:
                record = self._conductor.receive(carried, getattr(report, "worker_id", "main"))
            # pytest keeps every report to the end; one without a row keeps nothing of ours.
            row: dict[str, Any] | None = None
            if self._page.admits(record):
                row = carried.shown if isinstance(carried, Outcome) else carried["shown"]
            report.culturegate = row  # type: ignore[attr-defined]
        elif report.failed and not self._conductor.is_lost(report.nodeid, report.when):
            self._faults += 1

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int
    ) -> Generator[None, object, object]:
        """Judge the run and set the exit code, only ever over pytest's own 0 and 1.

        That is, before every plugin that tells of the run, and once more after those that add bits
        to the code they see (syrupy), which would make 10 an 11.
        """
        own = int(exitstatus)
        code = self._judge(session, own)
        if code is not None:
            session.exitstatus = code
        result = None
        try:
            result = yield
        except OSError as error:
            # A page that pytest-html cannot write must not take the rest of the run with it.
            self._page.path = None
            self._warnings = [*self._warnings, f"cannot write {error.filename}: {error.strerror}"]
        if code is not None and session.exitstatus == code | own:
            session.exitstatus = code
        return result

    def _judge(self, session: pytest.Session, own: int) -> int | None:
        """End the run and return the gate's exit code; None where pytest's `own` stands."""
        if self._progress is not None:
            self._progress.stop()
        conductor = self._conductor
        if not conductor.selected:
            return None
        conductor.end()
        cut = _cut(session, own)
        if cut == INTERRUPTED:
            conductor.harvest()
        try:
            self._run = close_run(conductor, cut=cut, arguments=self._config.invocation_params.args)
            reports = conductor.settings.root / "reports"
            self._paths, self._warnings = write_run(
                self._run, reports, disputed_readings(conductor), judged_points(conductor)
            )
        except CulturegateError as error:
            self._trouble = str(error)
        gate = self._run.gate if self._run is not None else None
        if own not in (0, 1) or self._faults or cut is not None:
            return None
        if self._trouble is not None:
            return EXIT_UNVERIFIED
        return None if gate is None else exit_code(gate, conductor.settings, own)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, object, object]:
        """Say what was found last, where people look; an outage is told of once, not by case."""
        errors = terminalreporter.stats.get("error", [])
        unasked = [report for report in errors if _is_of_case(report)]
        if len(unasked) > SHOWN_ERRORS:
            hidden = {id(report) for report in unasked[SHOWN_ERRORS:]}
            terminalreporter.stats["error"] = [each for each in errors if id(each) not in hidden]
        try:
            result = yield
        finally:
            if len(unasked) > SHOWN_ERRORS:
                terminalreporter.stats["error"] = errors
        if len(unasked) > SHOWN_ERRORS:
            more = len(unasked) - SHOWN_ERRORS
            terminalreporter.write_line(f"{more} more cases could not be asked.")
        self._tell_run(terminalreporter)
        return result

    def _tell_run(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._run is not None:
            terminalreporter.section("culturegate")
            writer = terminalreporter._tw
            encoding = getattr(writer._file, "encoding", None) or "utf-8"
            paths = [self._page.path, *self._paths] if self._page.path else self._paths
            for line in terminal_lines(self._run, writer.fullwidth, encoding, paths):
                terminalreporter.write_line(line)
        for warning in self._warnings:
            terminalreporter.write_line(warning, yellow=True)
        if self._trouble is not None:
            terminalreporter.write_line(self._trouble, red=True)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Name the page."""
        self._page.name(report)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """Set the page's columns."""
        self._page.header(cells)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: pytest.TestReport, cells: list[str]) -> None:
        """Fill the page's columns."""
        self._page.row(cells, getattr(report, "culturegate", None))

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: pytest.TestReport, data: list[str]) -> None:
        """Show the question, the options and the replies in place of an empty log."""
        if _is_of_case(report):
            self._page.detail(data, report.culturegate)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Put the run's own summary on top of the page."""
        if self._run is not None:
            self._page.summary(prefix, self._run)


class Workers:
    """Hooks of the xdist controller towards its workers."""

    def __init__(self, config: pytest.Config, conductor: Conductor, judging: Judging) -> None:
        self._config = config
        self._conductor = conductor
        self._judging = judging
        self._shards = Shards()
        self._session: pytest.Session | None = None
        self._begun = False

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session, which the report's page wants to see."""
        self._session = session

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker where the run lands and which part of it is its own."""
        node.workerinput["culturegate_run_dir"] = str(self._conductor.settings.run_dir)
        self._shards.assign(node)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_from_serializable(self, data: dict[str, Any]) -> None:
        """Unpack a report in place; pytest goes on with it."""
        if PACKED in data:
            data.update(json.loads(data.pop(PACKED)))
            data["location"] = tuple(data["location"])

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """Send each worker its own shard, so that it can ask ahead."""
        return self._shards.scheduler(config, log, self._is_case)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Get ready to judge, before the first worker asks."""
        if self._begun:
            return
        self._begun = True
        try:
            if not ids:
                _check_markers(self._config, self._conductor)
                self._conductor.check()
            if any(nodeid.endswith(f"[{CANNOT_START}]") for nodeid in ids):
                self._conductor.check()
                raise CulturegateError(self._conductor.nothing())
            cases = [case for case in map(self._conductor.case_of, ids) if case is not None]
            if cases and self._session is not None:
                self._judging.begin(self._session, cases, self._conductor.reach)
        except CulturegateError as error:
            _refuse(error)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Hear from a worker that ends why it could not ask everything."""
        stopped = getattr(node, "workeroutput", {}).get("culturegate_stopped")
        self._conductor.stopped = stopped or self._conductor.stopped

    def _is_case(self, nodeid: str) -> bool:
        return self._conductor.case_of(nodeid) is not None


class Unseen:
    """Hooks of a worker, whose terminal writes to nowhere: it keeps no account of cases."""

    def __init__(self, config: pytest.Config) -> None:
        self._terminal = config.pluginmanager.get_plugin("terminalreporter")

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Show nothing of a case; pytest's summary of failures would take quadratic time here."""
        return ("", "", "") if _is_of_case(report) else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self) -> None:
        """Keep no report."""
        _forget_quiet(self._terminal)

    @pytest.hookimpl(wrapper=True)
    def pytest_report_to_serializable(
        self, report: pytest.TestReport
    ) -> Generator[None, dict[str, Any] | None, dict[str, Any] | None]:
        """Send a case's reports as one text each: execnet packs value by value, in Python.

        What a user's own properties hold might come back from JSON as something else.
        """
        data = yield
        quiet = report.when in ("setup", "teardown") and report.passed
        if data is None or not (quiet or _is_of_case(report)) or report.user_properties:
            return data
        try:
            return {PACKED: json.dumps(data)}
        except TypeError:
            return data  # Another plugin's attribute, which is no plain data.


def _forget_quiet(terminal: pytest.TerminalReporter | None) -> None:
    """Take from the terminal the last report of which nothing was shown, nor text captured.

    It keeps those of set-ups and teardowns for the text they captured: three reports a case, and
    each failure's summary goes through all of them.
    """
    quiet = terminal.stats.get("") if terminal is not None else None
    if quiet and not quiet[-1].sections:
        quiet.pop()


def _is_of_case(report: pytest.TestReport) -> bool:
    """Return whether a report tells a case's outcome.

    It carries an `Outcome`, or from a worker its plain data; once collected, what its row shows,
    or None where it has no row.
    """
    return hasattr(report, "culturegate")


def _cut(session: pytest.Session, exitstatus: int) -> str | None:
    """Return why the session ended before its time, or None."""
    reason = session.shouldfail or session.shouldstop
    if reason:
        return str(reason)
    return None if exitstatus in (0, 1) else INTERRUPTED
