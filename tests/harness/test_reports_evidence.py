"""What a run leaves for machines, and where."""

from __future__ import annotations

import errno
import json
import subprocess
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from culturegate.__main__ import main
from culturegate.errors import CulturegateError, InputError
from culturegate.reports import files
from culturegate.reports.directory import claim, point_latest, run_name
from culturegate.reports.evidence import read_run, write_evidence
from culturegate.reports.files import ReportError, json_line, valid_unicode, write_json, write_text
from culturegate.reports.provenance import collect_provenance
from culturegate.reports.run import Run
from culturegate.tracks.base import CaseFacts, Record, Trial

NOON = datetime(2025, 1, 31, 12, tzinfo=UTC)


def record(case: str, detail: str | None = None) -> Record:
    facts = CaseFacts(case, "myth", "recall", case, "ep", "greek", "en", chance=0.25)
    trial = Trial("t1", 0, "answered", "a", True, detail=detail)
    return Record(facts, (trial,), True, "a")


def run(folder: Path, *records: Record) -> Run:
    efficiency = [{"case": each.facts.case, "latency": 0.5} for each in records]
    metrics = {"b": 1, "a": {"d": 1, "c": None}}
    return Run(folder, {"model": "m"}, records, metrics, None, efficiency)


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    written = run(tmp_path, record("b"), record("a"))
    write_evidence(written)
    info, records = read_run(tmp_path)
    assert info == {"model": "m"}
    assert records == [record("a"), record("b")]


def test_path_scores_of_a_run_without_a_judge_are_one_plain_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_evidence(run(tmp_path, record("a")))
    assert main(["path-scores", str(tmp_path), str(tmp_path / "path_scores.csv")]) == 1
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "no judge scored any reasoning in this run" in told.err


def test_every_file_has_the_same_bytes_in_any_order_of_arrival(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, cases in ((one, "abc"), (two, "cab")):
        folder.mkdir()
        write_evidence(run(folder, *map(record, cases)))
    names = sorted(path.name for path in one.iterdir())
    assert names == ["efficiency.jsonl", "metrics.json", "records.jsonl", "run.json"]
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in names)


def test_metrics_have_sorted_keys_and_end_with_a_newline(tmp_path: Path) -> None:
    write_evidence(run(tmp_path))
    text = (tmp_path / "metrics.json").read_text("utf-8")
    assert text == '{\n  "a": {\n    "c": null,\n    "d": 1\n  },\n  "b": 1\n}\n'


def test_a_lone_surrogate_in_a_record_still_makes_valid_utf8_and_one_line(tmp_path: Path) -> None:
    write_evidence(run(tmp_path, record("a", "x\ud800y \ud83d\ude00 \u2028 火")))
    raw = (tmp_path / "records.jsonl").read_bytes()
    assert len(raw.decode("utf-8").splitlines()) == 1
    (back,) = read_run(tmp_path)[1]
    assert back.trials[0].detail == "x\ufffdy 😀 \u2028 火"


def test_text_without_surrogates_is_left_alone() -> None:
    assert valid_unicode("火 é 😀") == "火 é 😀"


def test_a_number_that_json_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_line({"value": float("nan")})


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("old")

    def chunks():
        yield "new"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(ReportError) as caught:
        write_text(path, chunks())
    assert str(caught.value) == (
        f"cannot write {path}: the disk is full; make room and run again with --resume, "
        "replies are kept"
    )
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_written_does_not_keep_the_others_back(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").mkdir()
    with pytest.raises(CulturegateError, match=r"cannot write .*records\.jsonl"):
        write_evidence(run(tmp_path, record("a")))
    assert json.loads((tmp_path / "metrics.json").read_text())["b"] == 1
    assert (tmp_path / "efficiency.jsonl").read_text() == '{"case":"a","latency":0.5}\n'


def test_what_an_earlier_session_found_in_a_corpus_does_not_outlive_it(tmp_path: Path) -> None:
    (tmp_path / "contamination.jsonl").write_text('{"case": "x", "state": "contaminated"}\n')
    write_evidence(run(tmp_path, record("x")))
    assert not (tmp_path / "contamination.jsonl").exists()


def test_every_bad_line_of_a_run_is_named_at_once(tmp_path: Path) -> None:
    good = json_line(record("a").to_dict())
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "records.jsonl").write_text(good + "{\n" + '{"case": "b"}\n' + "\n[]\n" + good)
    with pytest.raises(InputError) as caught:
        read_run(tmp_path)
    places = [(problem.line, problem.message) for problem in caught.value.problems]
    assert [line for line, _ in places] == [2, 3, 5, 6]
    assert places[1][1] == (
        "not a record: missing: track, kind, item, cluster, culture, lang, trials, passed, modal, "
        "agreement, error"
    )
    assert places[2][1] == "not a record: an object is needed, not list"
    assert places[3][1] == "a second record of this case"


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"condition": ["c1"]}, "condition"), ({"passed": "yes"}, "passed"), ({"case": 7}, "case")],
)
def test_a_record_with_a_value_of_another_type_is_named(
    tmp_path: Path, changes: dict[str, object], named: str
) -> None:
    write_evidence(run(tmp_path, record("x")))
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(InputError, match=f"of the wrong type: {named}"):
        read_run(tmp_path)


def test_a_missing_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match=r"cannot read .*run\.json: No such file"):
        read_run(tmp_path)


def test_a_run_json_that_is_no_object_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("[1]")
    with pytest.raises(InputError, match="an object is needed, not list"):
        read_run(tmp_path)


def test_a_run_is_named_by_utc_time_and_slug() -> None:
    local = NOON.astimezone(timezone(timedelta(hours=9)))
    name = run_name("Qwen/Qwen3-8B 火", local)
    assert name.rpartition("-")[0] == "20250131T120000Z-qwen-qwen3-8b"
    assert run_name("火", NOON).startswith("20250131T120000Z-run-")
    assert run_name("m", NOON) != run_name("m", NOON)


def test_a_run_folder_that_is_a_file_or_under_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("")
    with pytest.raises(ReportError, match="a file stands there"):
        claim(tmp_path / "reports")
    with pytest.raises(ReportError, match="a file stands where a folder is needed"):
        claim(tmp_path / "reports" / "run")


def test_a_claimed_directory_may_exist_and_is_left_clean(tmp_path: Path) -> None:
    assert claim(tmp_path) == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_refused_before_the_first_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)
    with pytest.raises(ReportError) as caught:
        claim(tmp_path)
    assert str(caught.value) == (
        f"cannot write into {tmp_path}: permission denied; choose another folder with --run-dir"
    )


def test_latest_points_at_the_last_run_to_finish(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        point_latest(tmp_path, tmp_path / name)
    assert (tmp_path / "latest").readlink() == Path("two")


def test_latest_is_a_text_file_where_links_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    (tmp_path / "one").mkdir()
    monkeypatch.setattr(Path, "symlink_to", refuse)
    point_latest(tmp_path, tmp_path / "one")
    assert (tmp_path / "latest").read_text() == "one\n"


def test_a_folder_named_latest_is_left_alone_and_named(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    (tmp_path / "one").mkdir()
    with pytest.raises(ReportError, match=r"cannot point .*latest"):
        point_latest(tmp_path, tmp_path / "one")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "one"]


def test_sessions_that_share_a_reports_folder_do_no_harm(tmp_path: Path) -> None:
    def session(label: str) -> None:
        for _ in range(20):
            point_latest(tmp_path, claim(tmp_path / run_name(label, NOON)))

    threads = [threading.Thread(target=session, args=(f"m{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 81
    assert not [name for name in names if name.startswith(".")]
    assert (tmp_path / "latest").resolve().parent == tmp_path


def test_provenance_names_the_commit_and_whether_it_is_dirty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    git("commit", "--allow-empty", "-m", "first")
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    clean = collect_provenance(tmp_path)
    assert len(clean["git_commit"]) == 40
    assert clean["git_dirty"] is False
    (tmp_path / "new.yaml").write_text("")
    assert collect_provenance(tmp_path)["git_dirty"] is True


def test_provenance_without_git_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    facts = collect_provenance(tmp_path)
    assert (facts["git_commit"], facts["git_dirty"]) == (None, None)
    assert facts["packages"]["culturegate"]
    assert facts["packages"]["scipy"]
    assert "mypy" not in facts["packages"]


def test_a_write_is_complete_before_it_takes_the_place_of_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write_json(path, {"a": "火"})
    assert path.read_bytes() == '{\n  "a": "火"\n}\n'.encode()
    assert files.json_line({"a": "\u2028"}) == '{"a":"\\u2028"}\n'
