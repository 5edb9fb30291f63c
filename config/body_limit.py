"""No request may be larger than a limit: Django keeps a whole body on the disk before anybody is asked about it."""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from django.utils.translation import gettext

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
#: Django's own types say less, so nothing is said of the arguments.
Application = Callable[..., Awaitable[None]]

#: Above every upload that is allowed (512 KiB) and every form.
MAX_BODY: Final = 3 << 20


class BodyLimit:
    """Answers 413 in place of `application` when more than MAX_BODY bytes are announced or come."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass on what is small enough."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or len(announced) > 18 or int(announced) > MAX_BODY:
            await _refuse(scope, send)
            return
        body = _Body(receive, send)
        await self.application(scope, body.receive, body.send)
        if body.is_too_large and not body.has_answer:
            await _refuse(scope, send)


class _Body:
    """Counts what comes. When it is too much the application sees a client that went away."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._left = MAX_BODY
        self.has_answer = False

    @property
    def is_too_large(self) -> bool:
        return self._left < 0

    async def receive(self) -> Message:
        message = {"type": "http.disconnect"} if self.is_too_large else await self._receive()
        self._left -= len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.is_too_large else message

    async def send(self, message: Message) -> None:
        self.has_answer = True
        await self._send(message)


async def _refuse(scope: MutableMapping[str, Any], send: Send) -> None:
    sentence = gettext("This is too large: at most %(limit)d MiB can be sent at once.") % {"limit": MAX_BODY >> 20}
    if scope["path"].startswith("/api/"):
        kind, body = b"application/json", json.dumps({"code": "too_large", "message": sentence}).encode()
    else:
        kind, body = b"text/plain; charset=utf-8", sentence.encode()
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})
