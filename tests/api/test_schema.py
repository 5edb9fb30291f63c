"""The API's description: valid, served from the project's own files, and kept by every answer."""

import json
import os
import re
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from league.models import Entry
from tests.api.world import make_world, token_of

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
EXAMPLES = 12


def described() -> dict:
    response = Client().get("/api/schema/", headers={"accept": "application/vnd.oai.openapi+json"})
    assert response.status_code == 200
    return json.loads(response.content)


def test_the_description_is_valid_and_complete(capsys):
    call_command("spectacular", "--validate", "--fail-on-warn", "--file", os.devnull)
    assert capsys.readouterr().err == ""


@pytest.mark.django_db
def test_every_operation_says_what_it_is_and_what_a_refusal_looks_like():
    schema = described()
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            about = operation["description"].removesuffix("`read`.").strip()
            assert len(about) > 30, (method, path)
            assert "Scope of a token: `" in operation["description"]
            assert operation["responses"]["default"]["content"]["application/json"]["schema"] == {
                "$ref": "#/components/schemas/Problem"
            }
    assert {name for name, one in schema["components"]["securitySchemes"].items()} == {"token", "session"}


def test_the_documentation_comes_from_the_projects_own_files(client, db):
    response = client.get("/api/docs/")
    text = response.content.decode()
    assert response.status_code == 200
    assert "<script>" not in text
    assert "//cdn" not in text
    policy = dict(part.strip().split(" ", 1) for part in response.headers["Content-Security-Policy"].split(";"))
    assert (policy["script-src"], policy["style-src"], policy["img-src"]) == (
        "'self'", "'self' 'unsafe-inline'", "'self' data:",
    )  # fmt: skip
    other = client.get("/healthz").headers["Content-Security-Policy"]
    assert "unsafe-inline" not in other
    script = client.get("/api/docs/?script=")
    assert script.headers["Content-Type"].startswith("application/javascript")


@pytest.mark.slow
def test_the_site_keeps_its_description_whatever_it_is_asked(site):
    world = make_world()
    places = world.places()
    known = {
        "bots slug": [places["bot"], places["uploaded"]],
        "players slug": [places["bot"], places["player"]],
        "leagues slug": [places["league"], places["private"]],
        "leagues bot": [places["bot"], places["uploaded"]],
        "tournaments code": [places["finished"], places["open"], places["hidden"]],
        "matches code": [places["match"], places["secret"]],
        "rankings pool": ["bot-1v1", f"{places['private']}:bot-1v1"],
        "bots number": [1, 2, 2**31],
        "tournaments number": [1, 2**31],
        "tournaments entry": [Entry.objects.first().pk, 2**63],
        "bot": [places["bot"], places["uploaded"]],
    }
    secrets = ["", token_of(world.owner), token_of(world.staff), token_of(world.owner, "read")]
    asked = {}
    schema = schemathesis.openapi.from_url(f"{site}/api/schema/?format=json")
    for operation in (found.ok() for found in schema.get_all_operations()):
        asked[operation.label] = answers(operation, known, secrets)
    assert len(asked) >= 38
    assert len([label for label, statuses in asked.items() if statuses & {200, 201, 204}]) >= 26, asked
    promised = schema.raw_schema
    promised["components"]["schemas"]["Me"]["required"].append("what_nobody_sends")
    other = schemathesis.openapi.from_dict(promised)
    other.config.update(base_url=site)
    with pytest.raises(FailureGroup, match="what_nobody_sends"):
        answers(other["/api/v1/me/"]["GET"], known, secrets[1:])


def answers(operation: Any, known: dict[str, list], secrets: list[str]) -> set[int]:
    """Ask one operation with values that its description allows, known ones in the address; the statuses."""
    statuses: set[int] = set()
    about = operation.path.split("/")[3]
    cases = [operation.as_strategy(generation_mode=mode) for mode in GenerationMode]

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=st.one_of(cases), data=st.data())
    def ask(case: Any, data: Any) -> None:
        for part, name in [(case.path_parameters, f"{about} {name}") for name in case.path_parameters or {}] + [
            (case.query, name) for name in case.query or {}
        ]:
            if name in known and data.draw(st.integers(0, 3)):
                part[name.rpartition(" ")[2]] = data.draw(st.sampled_from(known[name]))
        secret = data.draw(st.sampled_from(secrets))
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        statuses.add(case.call_and_validate(headers=headers, checks=list(CHECKS)).status_code)

    ask()
    return statuses


@pytest.mark.slow
def test_the_documentation_is_drawn_without_a_complaint_of_the_browser(site, page):
    page.goto(f"{site}/api/docs/")
    expect(page.get_by_role("heading", name=re.compile("^Bella"))).to_be_visible(timeout=30_000)
    expect(page.get_by_text("/api/v1/bots/{slug}/versions/").first).to_be_visible()
    page.get_by_role("button", name="GET /api/v1/me/", exact=True).click()
    expect(page.get_by_text("Who asks").or_(page.get_by_text("The person whose token")).first).to_be_visible()
