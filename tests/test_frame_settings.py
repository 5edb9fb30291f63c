"""Settings: strict in production, documented, and clear about what is missing."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core import mail
from django.test import override_settings

from config import env
from config.settings import security
from tests.conftest import PROJECT

PRODUCTION = {
    "DJANGO_SETTINGS_MODULE": "config.settings",
    "BASE_URL": "https://bella.example",
    "SECRET_KEY": "0123456789abcdef" * 4,
}
#: conftest.py sets this one for playwright.
WITHOUT_TEST = {name: value for name, value in os.environ.items() if name != "DJANGO_ALLOW_ASYNC_UNSAFE"}
#: Read by tools, not by the site.
OF_TOOLS = {"CHROMIUM", "CI", "PORT", "DEV_HOME", "LIFELINE"}


def manage(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT, env=WITHOUT_TEST | PRODUCTION | variables, check=False, capture_output=True, text=True,
    )  # fmt: skip


def test_the_production_settings_pass_the_deployment_check() -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING")
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (0 silenced).\n"), done.stderr


def test_the_deployment_check_can_fail() -> None:
    done = manage("check", "--deploy", "--fail-level", "WARNING", BASE_URL="http://bella.example", SECRET_KEY="short")
    assert done.returncode == 1
    assert {"security.W004", "security.W008", "security.W009", "security.W012", "security.W016"} <= set(
        re.findall(r"security\.W\d+", done.stderr)
    )


@pytest.mark.parametrize("name", ["SECRET_KEY", "DATABASE_URL", "VALKEY_URL"])
def test_without_a_secret_the_site_does_not_start_and_says_which(name: str) -> None:
    done = manage("check", **{name: ""})
    assert done.returncode == 1
    assert f"{name} is not set: docs/operators.md says what belongs there." in done.stderr


def test_passwords_are_hashed_by_argon2() -> None:
    with override_settings(PASSWORD_HASHERS=security.PASSWORD_HASHERS):
        assert make_password("a long enough password").startswith("argon2$argon2id$")


def test_no_mail_leaves_the_test_run() -> None:
    mail.send_mail("subject", "text", None, ["someone@example.org"])
    assert len(mail.outbox) == 1


def test_languages_and_zone() -> None:
    assert (settings.LANGUAGE_CODE, settings.LANGUAGE_COOKIE_NAME, settings.TIME_ZONE) == ("it", "lang", "UTC")
    assert [code for code, _name in settings.LANGUAGES] == ["it", "en"]


@pytest.mark.parametrize(
    ("value", "expected"), [("1", True), ("true", True), ("ON", True), ("0", False), ("no", False), ("", False)]
)
def test_a_flag(monkeypatch: pytest.MonkeyPatch, value: str, expected: bool) -> None:
    monkeypatch.setenv("SOME_FLAG", value)
    assert env.flag("SOME_FLAG") is expected


def test_values_that_cannot_be_read_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME", "-1")
    with pytest.raises(env.ConfigurationError, match="SOME must be a whole number, not '-1'"):
        env.whole("SOME", 3)
    with pytest.raises(env.ConfigurationError, match="SOME must be 1 or 0, not '-1'"):
        env.flag("SOME")
    monkeypatch.setenv("SOME", " a, ,b ")
    assert env.items("SOME") == ["a", "b"]
    assert env.whole("ANOTHER", 3) == 3


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("unix://arena:pw@/run/valkey.sock?db=3", "redis+socket://arena:pw@/run/valkey.sock?virtual_host=3"),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock?virtual_host=0"),
        ("redis://valkey:6379/0", "redis://valkey:6379/0"),
    ],
)
def test_the_broker_s_spelling_of_an_address(url: str, broker: str) -> None:
    assert env.celery_broker(url) == broker


def names_read(path: Path) -> Iterator[str]:
    """The variables that a file reads by name, through config.env or os.environ."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="required" | "optional" | "flag" | "whole" | "items")
                | ast.Name(id="required" | "optional" | "flag" | "whole" | "items"),
                args=[ast.Constant(value=str(name)), *_],
            ) if name.isupper():
                yield name
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))) if (
                name.isupper()
            ):
                yield name


def test_every_variable_is_documented_for_operators_and_nothing_else() -> None:
    folders = ["accounts", "bots", "config", "games", "league"]
    files = [path for folder in folders for path in sorted((PROJECT / folder).rglob("*.py"))]
    read = {name for path in files for name in names_read(path)} - OF_TOOLS - {"DJANGO_SETTINGS_MODULE"}
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", (PROJECT / "docs" / "operators.md").read_text(), re.MULTILINE))
    assert read == documented
