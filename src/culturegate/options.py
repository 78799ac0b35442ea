"""Command line, ini file and environment, resolved once into one frozen `Settings`.

A single setting is looked up on the command line, then in the ini file under the same name with
underscores, then in the environment where it has a variable, then in its default.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from culturegate.errors import CulturegateError
from culturegate.models import Price
from culturegate.models.store import NAME as STORE
from culturegate.models.urls import parse
from culturegate.reports import run_name, unfinished_run
from culturegate.tracks import PROTOCOLS, TRACKS, Protocol

OPENAI_URL = "https://api.openai.com/v1"
_WORDS = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}


@dataclass(frozen=True, slots=True)
class Option:
    """One command-line option, its ini key and how it is read."""

    name: str
    help: str
    kind: Callable[[str], Any] = str
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    many: bool = False
    flag: bool = False

    @property
    def dest(self) -> str:
        """The ini key and attribute name."""
        return self.name.replace("-", "_")


def _at_least(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text)
        if number < least:
            message = f"{number} is below {least}"
            raise ValueError(message)
        return number

    return read


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        message = f"{text} is not a positive number"
        raise ValueError(message)
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number <= 1:
        message = f"{text} is not a share above 0 and up to 1"
        raise ValueError(message)
    return number


OPTIONS = (
    Option("endpoint", "Base URL of an OpenAI-compatible server (default: $OPENAI_BASE_URL)"),
    Option("model", "Name of the model, or 'embedded' for the one that comes with culturegate"),
    Option(
        "protocol",
        "How much is asked (default: quick on the embedded model, standard elsewhere)",
        choices=tuple(PROTOCOLS),
    ),
    Option("culture", "Ask about this culture only; may be given again", metavar="NAME", many=True),
    Option(
        "lang",
        "Ask in this language only; may be given again (default: quick en, else en and zh); "
        "a mirror arm has a language of its own",
        metavar="LANG",
        many=True,
    ),
    Option(
        "templates",
        "Wordings a case is asked in (default: the protocol's, 1, 3 or 5)",
        _at_least(1),
        "N",
    ),
    Option("samples", "Samples of each wording (default: the protocol's)", _at_least(1), "N"),
    Option("max-tokens", "Longest reply, in tokens (default: the track's)", _at_least(1), "N"),
    Option("items", "Bank directory that adds to or replaces items", Path, "DIR", many=True),
    Option(
        "home",
        "Region whose arms are the mirror track's baseline (default: North America)",
        metavar="REGION",
    ),
    Option(
        "awareness-position",
        "Where framing says that it is a test (default: user)",
        choices=("user", "system"),
    ),
    Option(
        "corpus",
        "Training text to look for the items in (text, .jsonl, .gz, folder); may be given again",
        Path,
        "PATH",
        many=True,
    ),
    Option("corpus-ngram", "Letters of an n-gram (default: 8)", _at_least(2), "N"),
    Option(
        "corpus-overlap",
        "Share of an item's n-grams that makes it contaminated (default: 0.8)",
        _share,
        "SHARE",
    ),
    Option("judge-model", "Model that scores replies beside their answer", metavar="NAME"),
    Option(
        "judge-endpoint", "Base URL of the judge's server (default: the endpoint)", metavar="URL"
    ),
    Option("bank-seed", "Seed of sampling and of option order (default: 0)", int, "N"),
    Option("thresholds", "File with the gate's lines (default: thresholds.yaml)", Path, "FILE"),
    Option(
        "gate-profile",
        "Profile of thresholds.yaml (default: smoke on the embedded model, else release)",
        metavar="NAME",
    ),
    Option(
        "gate",
        "What the gate does: judge, require-all (a skipped line fails too) or off",
        choices=("judge", "require-all", "off"),
    ),
    Option("run-dir", "Directory for this run's evidence (default: new, in reports)", Path, "DIR"),
    Option("experiment", "Name of the experiment, for the record", metavar="NAME"),
    Option(
        "max-connections",
        "Requests in flight in the whole session (default: 32)",
        _at_least(1),
        "N",
    ),
    Option(
        "stream",
        "Ask for replies as a stream, to measure the time to the first token",
        flag=True,
    ),
    Option("request-timeout", "Seconds one request may take (default: 120)", _positive, "SECONDS"),
    Option("rpm", "Most requests a minute", _positive, "N"),
    Option("tpm", "Most tokens a minute", _positive, "N"),
    Option(
        "max-cost", "End the run unverified after this cost, in the prices' currency", _positive
    ),
    Option("max-tokens-total", "End the run unverified after this many tokens", _at_least(1), "N"),
    Option("max-minutes", "End the run unverified after this time", _positive, "MINUTES"),
    Option(
        "diagnose",
        "Ask the myth cases again without question, key or names, reordered, edited, to complete",
        flag=True,
    ),
    Option("estimate", "Print what each protocol would ask and cost; ask nothing", flag=True),
    Option("resume", "Go on with the newest unfinished run; ask only what is missing", flag=True),
    Option("replay", "Score the replies of a recorded run or file; ask nothing", Path, "RUN"),
    Option("baseline", "Earlier run that lines against a baseline compare with", Path, "RUN"),
    Option("adjudicated", "Apply a person's signed decisions in a disputed.csv", Path, "FILE"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that decides what a run does; no secrets but the key, which is never shown."""

    root: Path
    model_kind: str
    """`endpoint`, `embedded` or `replay`."""
    endpoint: str | None = field(repr=False)
    """As given: it may hold a user and password, or a key in its query."""
    model: str | None
    api_key: ApiKey
    protocol: Protocol
    protocols: tuple[Protocol, ...]
    """Every protocol, with the single settings that override it."""
    protocol_overrides: tuple[tuple[str, str], ...]
    """Single settings that override the protocol, for the record."""
    cultures: tuple[str, ...]
    items: tuple[Path, ...]
    bank_seed: int
    thresholds: Path
    gate_profile: str
    profile_named: bool
    """Whether the user named the profile, so that judging nothing is a fault."""
    gate: str
    run_dir: Path
    experiment: str
    max_connections: int
    request_timeout: float
    stream: bool
    rpm: float | None
    tpm: float | None
    price: Price | None
    """The model's, from the ini key `prices`; None where it is unknown."""
    corpus: tuple[Path, ...]
    corpus_ngram: int
    corpus_overlap: float
    judge_model: str | None
    judge_endpoint: str = field(repr=False)
    """As given; without a judge it is not used."""
    judge_key: ApiKey
    judge_price: Price | None
    home: str | None
    """Region whose arms are the mirror track's baseline; None for the original arms."""
    awareness_position: str
    """`user` or `system`."""
    diagnose: bool
    """Whether the diagnosis is asked too."""
    max_cost: float | None
    max_tokens_total: int | None
    max_minutes: float | None
    replay: Path | None
    baseline: Path | None
    adjudicated: Path | None
    """A disputed.csv that a person has decided and signed."""
    resume: bool
    estimate: bool


class ApiKey(str):
    """A secret that prints as stars."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


class OptionError(CulturegateError):
    """An option with a value that cannot be used."""


def resolve(
    given: Mapping[str, Any],
    ini: Mapping[str, Any],
    env: Mapping[str, str],
    root: Path,
    prices: Sequence[str] = (),
) -> Settings:
    """Resolve the settings of a session.

    Args:
        given: Options from the command line by `Option.dest`; None or absent where not given.
        ini: The same from the ini file; empty where not set.
        env: The environment.
        root: The project's root, which relative default paths start from.
        prices: Lines of the ini key `prices`: a model's name, then the price of a million prompt
            tokens and of a million reply tokens.

    Raises:
        OptionError: For a value that cannot be used, naming the option and what is valid.
    """
    values = {option.dest: _value(option, given, ini) for option in OPTIONS}
    replay = values["replay"]
    endpoint, kind = _endpoint(values, env)
    protocol_name = values["protocol"] or ("quick" if kind == "embedded" else "standard")
    protocol, overrides = _protocol(protocol_name, values)
    reports = root / "reports"
    if values["run_dir"]:
        # `latest` stands for the run it points at, and must never come to point at itself.
        run_dir = values["run_dir"].resolve() if values["resume"] else values["run_dir"]
        if values["resume"] and not (run_dir / STORE).exists():
            message = f"--resume: there is no run to go on with in {run_dir}"
            raise OptionError(message)
    elif values["resume"]:
        run_dir = _unfinished(reports)
    else:
        run_dir = reports / run_name(values["model"] or kind, datetime.now(UTC))
    return Settings(
        root=root,
        model_kind=kind,
        endpoint=endpoint,
        model=values["model"] if kind == "endpoint" else None,
        api_key=ApiKey(env.get("OPENAI_API_KEY", "")),
        protocol=protocol,
        protocols=tuple(_protocol(name, values)[0] for name in PROTOCOLS),
        protocol_overrides=overrides,
        cultures=tuple(values["culture"] or ()),
        items=(root / "items", *(values["items"] or ())),
        bank_seed=values["bank_seed"] or 0,
        thresholds=values["thresholds"] or root / "thresholds.yaml",
        gate_profile=values["gate_profile"] or ("smoke" if kind == "embedded" else "release"),
        profile_named=values["gate_profile"] is not None,
        gate=values["gate"] or "judge",
        run_dir=run_dir.absolute(),
        experiment=values["experiment"] or "culturegate",
        max_connections=values["max_connections"] or (64 if kind == "embedded" else 32),
        request_timeout=values["request_timeout"] or 120.0,
        stream=bool(values["stream"]),
        rpm=values["rpm"],
        tpm=values["tpm"],
        price=_prices(prices).get(values["model"] or ""),
        corpus=tuple(values["corpus"] or ()),
        corpus_ngram=values["corpus_ngram"] or 8,
        corpus_overlap=values["corpus_overlap"] or 0.8,
        judge_model=values["judge_model"],
        judge_endpoint=_judge_endpoint(values, endpoint, env),
        judge_key=ApiKey(env.get("CULTUREGATE_JUDGE_API_KEY") or env.get("OPENAI_API_KEY", "")),
        judge_price=_prices(prices).get(values["judge_model"] or ""),
        home=values["home"],
        awareness_position=values["awareness_position"] or "user",
        diagnose=bool(values["diagnose"]),
        max_cost=values["max_cost"],
        max_tokens_total=values["max_tokens_total"],
        max_minutes=values["max_minutes"],
        replay=replay,
        baseline=values["baseline"],
        adjudicated=values["adjudicated"],
        resume=bool(values["resume"]),
        estimate=bool(values["estimate"]),
    )


def check_paths(arguments: Sequence[str]) -> None:
    """Refuse `--items DIR` where the path exists: it has to be `--items=DIR`.

    pytest looks for its project before it knows our options, and takes an existing path that
    stands alone for a place of tests; the project's own settings would then be lost.

    Raises:
        OptionError: Naming the option and how to write it.
    """
    paths = {f"--{option.name}" for option in OPTIONS if option.kind is Path}
    for name, value in pairwise(arguments):
        if name in paths and Path(value).exists():
            message = f"write {name}={value}, with =: pytest takes {value} for a place of tests"
            raise OptionError(message)


def _value(option: Option, given: Mapping[str, Any], ini: Mapping[str, Any]) -> Any:
    raw = given.get(option.dest)
    place = f"--{option.name}"
    if raw is None or raw == []:
        raw = ini.get(option.dest) or None
        place = f"ini key {option.dest}"
    if raw is None:
        return None
    if option.flag:
        return _truth(raw, place)
    if option.many:
        texts = [raw] if isinstance(raw, str) else raw
        # A path may hold spaces and commas.
        between = r"\n" if option.kind is Path else r"[,\s]+"
        parts = [part.strip() for text in texts for part in re.split(between, str(text))]
        return [option.kind(part) for part in parts if part]
    if option.choices and raw not in option.choices:
        message = f"{place}: {raw!r} is not one of {', '.join(option.choices)}"
        raise OptionError(message)
    try:
        return option.kind(str(raw))
    except ValueError as error:
        message = f"{place}: {raw!r} cannot be used: {error}"
        raise OptionError(message) from error


def _truth(raw: object, place: str) -> bool:
    """Read a flag, which an ini file gives as a word. Raises `OptionError`."""
    text = str(raw).strip().lower()
    if text not in _WORDS:
        message = f"{place}: {raw!r} is not one of {', '.join(_WORDS)}"
        raise OptionError(message)
    return _WORDS[text]


def _prices(lines: Sequence[str]) -> dict[str, Price]:
    prices = {}
    for line in lines:
        try:
            name, prompt, completion = line.split()
            prices[name] = Price(_price(prompt), _price(completion))
        except ValueError as error:
            message = (
                f"ini key prices: {line!r} cannot be used: a line holds a model's name, the price "
                "of a million prompt tokens and that of a million reply tokens"
            )
            raise OptionError(message) from error
    return prices


def _price(text: str) -> float:
    price = float(text)
    if not 0 <= price < float("inf"):
        raise ValueError
    return price


def _unfinished(reports: Path) -> Path:
    newest = unfinished_run(reports)
    if newest is None:
        message = f"--resume: there is no unfinished run in {reports}"
        raise OptionError(message)
    return newest


def _endpoint(values: Mapping[str, Any], env: Mapping[str, str]) -> tuple[str | None, str]:
    """Return the base URL and the kind of model.

    A key alone in the environment asks nobody: spending money takes an endpoint or a model name.
    """
    if values["replay"]:
        return None, "replay"
    if values["model"] == "embedded":
        if values["endpoint"]:
            message = "--model embedded needs no --endpoint; leave one of them out"
            raise OptionError(message)
        return None, "embedded"
    endpoint = values["endpoint"] or env.get("OPENAI_BASE_URL") or None
    if endpoint is not None:
        parse(endpoint)
    if endpoint is None and values["model"]:
        if not env.get("OPENAI_API_KEY"):
            message = (
                f"--model {values['model']} without a server to ask: give --endpoint URL or "
                "OPENAI_BASE_URL for your server, or OPENAI_API_KEY for OpenAI's own"
            )
            raise OptionError(message)
        endpoint = OPENAI_URL
    return endpoint, "endpoint" if endpoint else "embedded"


def _judge_endpoint(values: Mapping[str, Any], endpoint: str | None, env: Mapping[str, str]) -> str:
    given: str | None = values["judge_endpoint"]
    if given and not values["judge_model"]:
        message = "--judge-endpoint without a judge: give --judge-model NAME"
        raise OptionError(message)
    url = given or endpoint or env.get("OPENAI_BASE_URL") or OPENAI_URL
    if values["judge_model"] and not values["replay"]:
        parse(url)
        keyed = env.get("CULTUREGATE_JUDGE_API_KEY") or env.get("OPENAI_API_KEY")
        if url == OPENAI_URL and not keyed:
            message = (
                f"--judge-model {values['judge_model']} without a server to ask: give "
                "--judge-endpoint URL, or CULTUREGATE_JUDGE_API_KEY for OpenAI's own"
            )
            raise OptionError(message)
    return url


def _protocol(name: str, values: Mapping[str, Any]) -> tuple[Protocol, tuple[tuple[str, str], ...]]:
    """Return a protocol with the single settings that override it, in each track that has them."""
    protocol = PROTOCOLS[name]
    given = {
        option: values[option]
        for option in ("templates", "samples", "max_tokens")
        if values[option] is not None
    }
    overrides = [(option, str(value)) for option, value in given.items()]
    if values["lang"]:
        given["langs"] = tuple(dict.fromkeys(values["lang"]))
        overrides.append(("lang", ",".join(given["langs"])))
    changed = {}
    for track in TRACKS:
        asked = getattr(protocol, track)
        known = {each.name for each in fields(asked)}
        changed[track] = replace(asked, **{key: given[key] for key in known & given.keys()})
    return replace(protocol, **changed), tuple(overrides)
