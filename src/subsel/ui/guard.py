"""Who may speak to the page: this machine's browser, which was given the token, and no page from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from http.cookies import SimpleCookie
from secrets import compare_digest
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse, RedirectResponse

__all__ = ["Guard"]

OURS = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": OURS,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
NO_TOKEN = "This page needs its token: open the address that `subsel ui` has printed."


class Guard:
    """Refuse other hosts (names that were rebound to this machine), other origins, and who has no token.

    The token comes in the address once, and is a cookie afterwards, which scripts cannot read and other sites cannot send.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str
        What the address holds.
    port : int
        Of this server.
    """

    def __init__(self, app: Any, token: str, port: int) -> None:
        self.app, self.token, self.cookie = app, token, f"subsel-{port}"
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        app = (
            self._refusal(headers)
            or self._introduction(scope)
            or self._without_token(headers)
            or self.app
        )
        await app(scope, receive, _with_headers(send))

    def _refusal(self, headers: Headers) -> Any:
        if headers.get("host") not in self.hosts:
            return PlainTextResponse("This server answers to 127.0.0.1 and localhost alone.", 421)
        foreign = headers.get("origin", min(self.origins)) not in self.origins
        if foreign or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return PlainTextResponse("Requests of other pages are refused.", 403)
        return None

    def _introduction(self, scope: Any) -> Any:
        """The address with the token becomes a cookie and the plain address."""
        given = QueryParams(scope["query_string"]).get("token")
        if scope["path"] != "/" or scope["method"] != "GET" or not self._is_token(given):
            return None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        return answer

    def _without_token(self, headers: Headers) -> Any:
        given = (SimpleCookie(text).get(self.cookie) for text in headers.getlist("cookie"))
        if any(self._is_token(cookie.value) for cookie in given if cookie is not None):
            return None
        return PlainTextResponse(NO_TOKEN, 403)

    def _is_token(self, given: str | None) -> bool:
        return given is not None and compare_digest(given.encode(), self.token.encode())


def _with_headers(send: Any, headers: Iterable[tuple[str, str]] = tuple(HEADERS.items())) -> Any:
    async def guarded(message: Any) -> None:
        if message["type"] == "http.response.start":
            told = MutableHeaders(scope=message)
            for name, value in headers:
                told.setdefault(name, value)
        await send(message)

    return guarded
