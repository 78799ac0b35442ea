"""What an endpoint's failures read like: one sentence each, without secrets, and what to do."""

from __future__ import annotations

from culturegate.errors import CallError, ModelUnavailable
from culturegate.models.replies import ServerError
from culturegate.models.urls import Address
from culturegate.text import one_line

_TELLING = 16
"""Characters from which on a secret is no word that a model may say by itself."""


class Complaints:
    """Words the failures of one endpoint."""

    def __init__(self, address: Address, key: str | None, variable: str = "OPENAI_API_KEY") -> None:
        self._address = address
        self._variable = variable
        self._key = key
        # Shorter ones hide nothing and would tear holes in ordinary words.
        secrets = {text for text in (key, *address.secrets) if text and len(text) > 3}
        self._secrets = sorted(secrets, key=len, reverse=True)
        self.model: str | None = None
        """The model asked for, once it is known."""

    def safe(self, text: str) -> str:
        """Return `text` with every secret as `***`."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def kept(self, text: str) -> str:
        """Return a reply's text fit to be stored: short secrets stay, being perhaps its words."""
        for secret in self._secrets:
            if len(secret) >= _TELLING:
                text = text.replace(secret, "***")
        return text

    def quote(self, text: str) -> str:
        """Return a server's words safe, cleaned, on one line, at most 300 characters."""
        # Secrets go first: cutting could leave half of one behind.
        return one_line(self.safe(text), 300).rstrip(".") or "(empty)"

    def told(self, error: ServerError) -> str:
        """Return an error's status and words."""
        return f"{error.status}: {self.quote(error.message)}"

    def call(self, kind: str, message: str) -> CallError:
        """Return the failure of one call."""
        return CallError(kind, f"{self._address.shown}: {self.safe(message)}")

    def stop(self, cause: str, advice: str) -> ModelUnavailable:
        """Return why nothing can be asked at all."""
        who = f"model {one_line(self.model)!r} " if self.model else ""
        text = f"Cannot ask {who}at {self._address.shown}: {self.safe(cause)}. {advice}."
        return ModelUnavailable(text)

    def refused(self, error: ServerError) -> ModelUnavailable:
        """Return why nothing can be asked, after an error that any other request would meet too."""
        said = self.told(error)
        if error.status in (401, 403):
            if self._key is None:
                return self.stop(f"it wants a key ({said})", f"Set {self._variable}")
            return self.stop(f"it refused the key ({said})", f"Check {self._variable}")
        if error.quota:
            return self.stop(f"the account's quota is used up ({said})", "Top it up")
        if error.status == 404:
            advice = "Check the model's name (--model) and the base URL (--endpoint)"
            return self.stop(f"no such model or path ({said})", advice + self.perhaps())
        return self.stop(f"it refused the request ({said})", "Check the model and its limits")

    def perhaps(self) -> str:
        """Return a hint where the base URL has no path: most APIs stand under `/v1`."""
        return f", perhaps {self._address.shown}/v1" if self._address.bare else ""
