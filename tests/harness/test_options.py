"""Command line, ini file and environment become one frozen `Settings`."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from culturegate.errors import CulturegateError
from culturegate.options import OPTIONS, ApiKey, OptionError, Settings, check_paths, resolve

URL = "http://127.0.0.1:8000/v1"
ROOT = Path("/project")


def settings(given=None, ini=None, env=None, root: Path = ROOT) -> Settings:
    return resolve(given or {}, ini or {}, env or {}, root)


def test_with_nothing_given_the_embedded_model_is_asked_a_little():
    found = settings()
    assert (found.model_kind, found.endpoint, found.model) == ("embedded", None, None)
    assert (found.protocol.name, found.gate_profile, found.profile_named) == (
        "quick",
        "smoke",
        False,
    )
    assert found.items == (ROOT / "items",)
    assert found.thresholds == ROOT / "thresholds.yaml"
    assert found.run_dir.parent == ROOT / "reports"
    assert (found.bank_seed, found.gate, found.max_connections) == (0, "judge", 64)


def test_an_endpoint_is_asked_all_and_judged_for_release():
    found = settings({"endpoint": URL})
    assert (found.model_kind, found.protocol.name, found.gate_profile) == (
        "endpoint",
        "standard",
        "release",
    )
    assert found.max_connections == 32


def test_the_command_line_goes_before_the_ini_file_and_that_before_the_environment():
    env = {"OPENAI_BASE_URL": "http://env/v1"}
    ini = {"endpoint": "http://ini/v1", "samples": "3"}
    given = {"endpoint": "http://given/v1", "samples": "2"}
    assert settings(given, ini, env).endpoint == "http://given/v1"
    assert settings({}, ini, env).endpoint == "http://ini/v1"
    assert settings({}, {"endpoint": ""}, env).endpoint == "http://env/v1"
    assert settings(given, ini).protocol.myth.samples == 2
    assert settings({}, ini).protocol.myth.samples == 3


def test_a_key_alone_asks_nobody_for_money():
    found = settings(env={"OPENAI_API_KEY": "sk-secret"})
    assert found.model_kind == "embedded"


def test_a_key_and_a_models_name_ask_openai():
    found = settings({"model": "gpt-x"}, env={"OPENAI_API_KEY": "sk-secret"})
    assert (found.endpoint, found.model) == ("https://api.openai.com/v1", "gpt-x")


def test_a_models_name_with_nobody_to_ask_says_what_to_give():
    with pytest.raises(OptionError) as raised:
        settings({"model": "gpt-x"})
    assert str(raised.value) == (
        "--model gpt-x without a server to ask: give --endpoint URL or OPENAI_BASE_URL for your "
        "server, or OPENAI_API_KEY for OpenAI's own"
    )


def test_the_embedded_model_and_an_endpoint_exclude_each_other():
    assert settings({"model": "embedded"}, env={"OPENAI_BASE_URL": URL}).model_kind == "embedded"
    with pytest.raises(OptionError, match="--model embedded needs no --endpoint"):
        settings({"model": "embedded", "endpoint": URL})


def test_a_replay_asks_nobody_whatever_else_is_set():
    found = settings({"replay": "old", "endpoint": URL, "model": "m"})
    assert (found.model_kind, found.endpoint, found.model) == ("replay", None, None)
    assert found.replay == Path("old")


def test_lists_are_given_again_or_with_commas_and_spaces():
    given = {"culture": ["greek,norse", "akan"], "lang": ["zh en", "zh"]}
    found = settings(given)
    assert found.cultures == ("greek", "norse", "akan")
    assert found.protocol.myth.langs == ("zh", "en")
    assert settings({}, {"culture": "greek norse"}).cultures == ("greek", "norse")


def test_a_bank_folder_may_hold_spaces_and_commas():
    found = settings({"items": ["my, items", "more"]})
    assert found.items == (ROOT / "items", Path("my, items"), Path("more"))


def test_single_settings_override_the_protocol_and_are_recorded():
    found = settings({"protocol": "full", "templates": "2", "lang": ["en"], "max_tokens": "64"})
    myth = found.protocol.myth
    assert (myth.templates, myth.samples, myth.langs, myth.max_tokens) == (2, 1, ("en",), 64)
    assert dict(found.protocol_overrides) == {"templates": "2", "lang": "en", "max_tokens": "64"}
    assert found.protocol.name == "full"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("templates", "0", "0 is below 1"),
        ("samples", "-3", "-3 is below 1"),
        ("samples", "many", "invalid literal"),
        ("max_connections", "0", "0 is below 1"),
        ("request_timeout", "0", "0 is not a positive number"),
        ("rpm", "inf", "inf is not a positive number"),
        ("tpm", "nan", "nan is not a positive number"),
        ("max_cost", "-1", "-1 is not a positive number"),
        ("bank_seed", "x", "invalid literal"),
    ],
)
def test_a_number_that_cannot_be_used_names_the_option_and_where_it_stands(name, value, why):
    option = name.replace("_", "-")
    with pytest.raises(OptionError) as raised:
        settings({name: value})
    assert str(raised.value).startswith(f"--{option}: {value!r} cannot be used: {why}")
    with pytest.raises(OptionError) as raised:
        settings({}, {name: value})
    assert str(raised.value).startswith(f"ini key {name}: {value!r} cannot be used: {why}")


@pytest.mark.parametrize("url", ["ftp://host", "http://", "http://a b", "http://[", "://x"])
def test_a_url_that_is_none_is_refused_before_anything_starts(url):
    with pytest.raises(CulturegateError, match="Give one such as http://localhost:8000/v1"):
        settings({"endpoint": url})
    with pytest.raises(CulturegateError, match="Give one such as http://localhost:8000/v1"):
        settings(env={"OPENAI_BASE_URL": url})


def test_settings_are_frozen_and_print_no_secret():
    key = "sk-canary-1234567890"
    found = settings(
        {"endpoint": f"http://me:{key}@host/v1?key={key}"}, env={"OPENAI_API_KEY": key}
    )
    assert found.api_key == key
    assert key not in repr(found)
    assert repr(ApiKey(key)) == "'***'"
    with pytest.raises(FrozenInstanceError):
        found.gate = "off"


def test_prices_of_a_model_come_from_the_ini_file():
    given = {"endpoint": URL, "model": "small"}
    lines = ["large 10 30", "small 0.15 0.6"]
    price = resolve(given, {}, {}, ROOT, lines).price
    assert price is not None
    assert resolve({"endpoint": URL, "model": "other"}, {}, {}, ROOT, lines).price is None
    for bad in ("small 1", "small one two", "small -1 2", "small 1 nan"):
        with pytest.raises(OptionError, match="ini key prices: "):
            resolve(given, {}, {}, ROOT, [bad])


def test_a_path_that_exists_has_to_be_written_with_an_equals_sign(tmp_path):
    check_paths(["--items", str(tmp_path / "not there"), f"--items={tmp_path}"])
    with pytest.raises(OptionError) as raised:
        check_paths(["-q", "--items", str(tmp_path)])
    assert str(raised.value) == (
        f"write --items={tmp_path}, with =: pytest takes {tmp_path} for a place of tests"
    )


def test_every_option_has_a_plain_name_and_a_help_line():
    names = [option.name for option in OPTIONS]
    assert len(set(names)) == len(names)
    for option in OPTIONS:
        assert option.name == option.name.lower()
        assert option.help[0].isupper()
        assert not option.help.endswith(".")
        assert option.dest.isidentifier()


def test_every_option_ends_in_a_setting():
    known = {field.name for field in fields(Settings)}
    merged = {"culture": "cultures", "lang": "protocol", "templates": "protocol"}
    merged |= {"samples": "protocol", "max_tokens": "protocol"}
    assert {merged.get(option.dest, option.dest) for option in OPTIONS} <= known
