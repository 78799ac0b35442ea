"""What the documentation shows: every command parses, every link leads somewhere."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from servers import ScriptedServer, answers
from suites import REPOSITORY, SMALL, everything_right, small_bank

from culturegate.__main__ import main
from culturegate.options import OPTIONS

README = (REPOSITORY / "README.md").read_text("utf-8")
PAGES = [
    *REPOSITORY.glob("*.md"),
    *(REPOSITORY / "docs").rglob("*.md"),
    REPOSITORY / "items" / "README.md",
]


def commands() -> list[str]:
    """Return every command that the README shows: in code blocks, in tables and in the CI job."""
    blocks = re.findall(r"```bash\n(.*?)```", README, flags=re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"\| `([^`]*python -m pytest[^`]*)` \|", README)
    for block in re.findall(r"```yaml\n(.*?)```", README, flags=re.S):
        (job,) = yaml.safe_load(block).values()
        lines += [step["run"] for step in job.get("steps", ()) if "run" in step]
    parts = [part for line in lines for part in line.partition(" #")[0].split("&&")]
    return [part.strip() for part in parts if part.strip()]


def arguments(command: str, program: str) -> list[str] | None:
    """Return what follows a program in a command, None where the command is another's."""
    words = [word for word in shlex.split(command) if not re.match(r"[A-Z_]+=", word)]
    start = shlex.split(program)
    return words[len(start) :] if words[: len(start)] == start else None


def all_arguments(program: str) -> list[list[str]]:
    found = [arguments(command, program) for command in commands()]
    return [words for words in found if words is not None]


def test_every_command_is_of_a_kind_that_is_tested_here():
    programs = ("python -m pytest", "python -m pip install", "culturegate")
    for command in commands():
        assert any(arguments(command, program) is not None for program in programs), command
    assert len(commands()) > 15


HERE = (
    "--resume",
    "--replay=reports/latest",
    "--items=../our-items",
    "--adjudicated=disputed.csv",
    "--baseline=reports/baselines/v1",
    "--corpus=../training-data",
)
"""What goes on from files that a checkout does not have."""


@pytest.mark.parametrize("option", HERE)
def test_every_command_that_goes_on_from_earlier_files_collects_where_they_are(small, option):
    assert [option] in all_arguments("python -m pytest")
    ours = small.path.parent / "our-items" / "myth"
    ours.mkdir(parents=True, exist_ok=True)
    for name, text in small_bank(1, 2).items():
        (ours / name).write_text(text.replace("land0", "ours"), encoding="utf-8")
    with ScriptedServer("A or B") as server:
        small.pytester.runpytest_inprocess("--endpoint", server.base_url, *SMALL, "-x")
        calls = server.calls
        decided = small.path / "reports" / "latest" / "disputed.csv"
        (small.path / "disputed.csv").write_bytes(decided.read_bytes())
        shutil.copytree(decided.parent, small.path / "reports" / "baselines" / "v1")
        # Only a run that asked the same way can be compared with.
        same = SMALL if option.startswith("--baseline") else ()
        result = small.pytester.runpytest_inprocess(
            option, *same, "--endpoint", server.base_url, "--collect-only", "-q"
        )
        assert server.calls == calls
    assert result.ret == 0
    assert ("[ours-" in result.stdout.str()) is option.startswith("--items")


@pytest.mark.parametrize(
    "words",
    [words for words in all_arguments("python -m pytest") if not set(words) & set(HERE)],
    ids=" ".join,
)
def test_every_pytest_command_collects_what_it_says_and_asks_nobody(
    words, pytester, monkeypatch, tmp_path
):
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    if words == ["tests/harness"]:
        assert (REPOSITORY / "tests" / "harness").is_dir()
        return
    values = {"$ENDPOINT": "http://127.0.0.1:9/v1", "$MODEL": "m-2026-01-01"}
    words = [values.get(word, word) for word in words if not word.startswith("--junit-xml=")]
    result = pytester.runpytest_inprocess(
        *words, "--collect-only", "-q", "-o", f"cache_dir={tmp_path}"
    )
    assert result.ret == 0
    nodeids = [line for line in result.stdout.lines if "::" in line]
    assert len(nodeids) > 10
    if "-m" in words:
        functions = "|".join(
            f"test_{name}" for name in re.findall(r"\w+", words[1]) if name != "or"
        )
        assert all(re.search(rf"::({functions})\[", nodeid) for nodeid in nodeids)
    if "zh" in words:
        # A mirror arm has a language of its own.
        assert all("test_mirror[" in name or name.endswith("-zh]") for name in nodeids)
    cultures = [words[n + 1] for n, word in enumerate(words) if word == "--culture"]
    if cultures:
        assert all(re.search(rf"\[({'|'.join(cultures)})-", nodeid) for nodeid in nodeids)


@pytest.mark.parametrize("words", all_arguments("python -m pip install"), ids=" ".join)
def test_every_installation_names_files_and_extras_that_there_are(words):
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    for flag, value in pairwise(words):
        if flag == "-c":
            assert (REPOSITORY / value).is_file()
        if flag == "-e" and value != ".":
            extra = re.fullmatch(r"\.\[(\w+)\]", value)
            assert extra is not None
            assert extra[1] in project["optional-dependencies"]


def test_the_command_that_goes_on_from_a_run_runs(small, monkeypatch, capsys):
    assert ["sample", "reports/latest"] in all_arguments("culturegate")
    with ScriptedServer(answers(everything_right)) as server:
        small.pytester.runpytest_inprocess("--endpoint", server.base_url, *SMALL)
    capsys.readouterr()
    monkeypatch.chdir(small.path)
    assert main(["sample", "reports/latest"]) == 0
    assert (small.path / "reports" / "latest" / "sample.csv").exists()


@pytest.mark.parametrize(
    "words",
    [words for words in all_arguments("culturegate") if words[0] != "sample"],
    ids=" ".join,
)
def test_every_command_of_culturegate_runs(words, monkeypatch, capsys):
    monkeypatch.chdir(REPOSITORY)
    assert main(words) in ((0, 1) if words == ["lint"] else (0,))  # lint may find something
    assert capsys.readouterr().out.strip()


def test_every_option_that_is_named_exists():
    known = {f"--{option.name}" for option in OPTIONS} | {"--lf", "--help", "--junit-xml"}
    known |= {"--no-deps"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_link_to_a_file_leads_somewhere(page: Path):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not re.match(r"[a-z]+:|#", target):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_the_files_of_a_run_are_those_that_the_readme_lists(small):
    table = README.partition("| file in `reports/latest/` |")[2].partition("\n\n")[0]
    listed = set(re.findall(r"^\| `([^`]+)` \|", table, flags=re.M))
    with ScriptedServer(answers(everything_right)) as server:
        small.ask(server, *SMALL)
    written = {path.name for path in (small.path / "run").iterdir()}
    assert listed <= written
    assert {name for name in written if not name.startswith("replies.sqlite")} <= listed


def test_the_exit_codes_of_the_readme_are_those_there_are():
    table = README.partition("| exit | meaning |")[2].partition("\n\n")[0]
    assert sorted(map(int, re.findall(r"^\| (\d+) \|", table, flags=re.M))) == [
        0, 1, 2, 4, 5, 10, 11,
    ]  # fmt: skip
