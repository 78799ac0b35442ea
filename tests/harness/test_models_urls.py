"""A base URL is understood as people paste it, and shown without its secrets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from culturegate.errors import CulturegateError
from culturegate.models.urls import parse


@pytest.mark.parametrize(
    ("pasted", "chat"),
    [
        ("http://localhost:1234", "http://localhost:1234/v1/chat/completions"),
        ("http://localhost:1234/", "http://localhost:1234/v1/chat/completions"),
        ("http://localhost:1234/v1", "http://localhost:1234/v1/chat/completions"),
        ("http://localhost:1234/v1/", "http://localhost:1234/v1/chat/completions"),
        ("http://localhost:1234//v1//", "http://localhost:1234/v1/chat/completions"),
        ("http://gw.example/llm", "http://gw.example/llm/chat/completions"),
        ("http://localhost:1234/v1/chat/completions", "http://localhost:1234/v1/chat/completions"),
        ("http://localhost:1/v1/chat/completions/", "http://localhost:1/v1/chat/completions"),
        ("https://api.example.com", "https://api.example.com/chat/completions"),
        ("http://localhost:8000/chat/completions", "http://localhost:8000/chat/completions"),
        ("localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("api.example.com/v1", "https://api.example.com/v1/chat/completions"),
        ("http://vllm:8000", "http://vllm:8000/v1/chat/completions"),
        ("http://192.168.1.7:8000", "http://192.168.1.7:8000/v1/chat/completions"),
        ("http://[::1]:8000", "http://[::1]:8000/v1/chat/completions"),
        (" http://h.example/v1#frag ", "http://h.example/v1/chat/completions"),
        (
            "https://h.example/openai?api-version=2024-10-21",
            "https://h.example/openai/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_every_form_leads_to_one_chat_url(pasted: str, chat: str) -> None:
    address = parse(pasted)
    assert address.chat == chat
    assert address.models == chat.replace("/chat/completions", "/models")


def test_user_password_and_query_are_sent_and_not_shown() -> None:
    address = parse("https://ann:p%40ss%20word@h.example:8443/v1?key=hunter2&flag")
    assert address.shown == "https://h.example:8443/v1"
    assert address.basic == "Basic YW5uOnBAc3Mgd29yZA=="
    assert address.chat.endswith("?key=hunter2&flag")
    for secret in ("ann", "p@ss word", "p%40ss%20word", "hunter2", "YW5uOnBAc3Mgd29yZA=="):
        assert secret in address.secrets
        assert secret not in repr(address)


@pytest.mark.parametrize(
    "pasted",
    ["", "http://", "ftp://h", "http://h:port/v1", "http://[::1", "http://a b/v1", "file:///etc"],
)
def test_what_is_no_url_is_a_clear_mistake(pasted: str) -> None:
    with pytest.raises(CulturegateError, match=r"^base URL '.*': it .*--endpoint"):
        parse(pasted)


@pytest.mark.parametrize(
    "pasted", ["ftp://ann:hunter2@h/v1", "http://ann:hunter2@h:x", "http://h:x?key=hunter2"]
)
def test_a_mistake_shows_no_secret(pasted: str) -> None:
    with pytest.raises(CulturegateError) as caught:
        parse(pasted)
    assert "hunter2" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(pasted: str) -> None:
    for text in (pasted, f"http://{pasted}"):
        try:
            address = parse(text)
        except CulturegateError:
            continue
        assert "//" not in address.shown.partition("://")[2]
