"""Uploads as bytes on a connection: whole, half, too large, without an end."""

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

from bots.models import BotVersion
from config.body_limit import MAX_BODY
from tests.accounts.factories import make_user
from tests.bots.uploading import source
from tests.conftest import poll

pytestmark = [pytest.mark.django_db(transaction=True)]

CRLF = "\r\n"


def files() -> int:
    return sum(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*"))


class Author:
    """A signed-in browser, as far as bytes go."""

    def __init__(self, site: str) -> None:
        self.address = urlsplit(site)
        client = Client()
        client.force_login(make_user())
        client.get("/my/bots/")
        self.cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
        self.token = client.cookies["csrftoken"].value

    def body(self, content: bytes) -> bytes:
        def part(header: str, data: bytes) -> bytes:
            return f"--b{CRLF}Content-Disposition: form-data; {header}{CRLF}{CRLF}".encode() + data + CRLF.encode()

        fields = {"csrfmiddlewaretoken": self.token, "name": "VelaBot", "activates": "on"}
        parts = b"".join(part(f'name="{name}"', value.encode()) for name, value in fields.items())
        return parts + part('name="file"; filename="bot.py"', content) + f"--b--{CRLF}".encode()

    def connect(self, *headers: str) -> socket.socket:
        connection = socket.create_connection((str(self.address.hostname), self.address.port or 0), timeout=20)
        lines = ["POST /my/bots/ HTTP/1.1", f"Host: {self.address.netloc}", f"Cookie: {self.cookies}",
                 "Content-Type: multipart/form-data; boundary=b", *headers]  # fmt: skip
        connection.sendall((CRLF.join(lines) + CRLF * 2).encode())
        return connection


def status(connection: socket.socket) -> int:
    return int(connection.recv(4096).split()[1])


def test_a_whole_upload_is_kept_and_half_of_one_leaves_nothing(clean_valkey, site):
    author = Author(site)
    before = files()
    body = author.body(source() + b"#" * 200_000)
    for sent in (0, 10, len(body) // 2, len(body) - 1):
        with author.connect(f"Content-Length: {len(body)}") as connection:
            connection.sendall(body[:sent])
    assert BotVersion.objects.count() == 0
    assert files() == before
    with author.connect(f"Content-Length: {len(body)}") as connection:
        connection.sendall(body)
        assert status(connection) == 302
    assert poll(BotVersion.objects.count) == 1
    assert files() == before + 1


def test_a_body_that_is_too_large_is_refused_before_it_is_read(clean_valkey, site):
    author = Author(site)
    for announced in (MAX_BODY + 1, 300 << 20, 10**30):
        with author.connect(f"Content-Length: {announced}") as connection:
            assert status(connection) in {400, 413}  # a number beyond all bounds is refused by the server itself
    assert BotVersion.objects.count() == 0


def test_a_body_without_an_end_is_cut(clean_valkey, site):
    author = Author(site)
    with author.connect("Transfer-Encoding: chunked") as connection:
        piece = b"10000" + CRLF.encode() + b"x" * 0x10000 + CRLF.encode()
        answer = b""
        try:
            for _ in range(2 * MAX_BODY // 0x10000):
                connection.sendall(piece)
            answer = connection.recv(4096)
        except ConnectionError:
            answer = answer or b"HTTP/1.1 413 cut"
        assert b" 413 " in answer
    assert BotVersion.objects.count() == 0
