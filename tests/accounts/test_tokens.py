"""API tokens: made, shown once, used, ended."""

from datetime import timedelta

import pytest
from django.urls import path
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.permissions import HasScope
from accounts.errors import AccountsError
from accounts.models import ApiToken
from accounts.services import tokens
from tests.accounts.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


class Probe(APIView):
    permission_classes = (HasScope("upload"),)

    def get(self, request):
        return Response({"user": request.user.pk})

    post = get


urlpatterns = [path("probe", Probe.as_view())]


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


def test_a_token_works_with_its_scopes_only(client):
    user = make_user()
    _, reader = tokens.create(user=user, name="r", scopes=["read"], days=1)
    _, uploader = tokens.create(user=user, name="u", scopes=["upload"], days=1)
    statuses = {
        (name, method): getattr(client, method)("/probe", headers=bearer(secret)).status_code
        for name, secret in {"reader": reader, "uploader": uploader, "none": "bella_x", "bytes": "é"}.items()
        for method in ("get", "post")
    }
    assert statuses == {
        ("reader", "get"): 200, ("reader", "post"): 403,
        ("uploader", "get"): 403, ("uploader", "post"): 200,
        ("none", "get"): 401, ("none", "post"): 401,
        ("bytes", "get"): 401, ("bytes", "post"): 401,
    }  # fmt: skip


def test_the_last_use_is_noted_at_most_once_a_minute(client):
    token, secret = tokens.create(user=make_user(), name="u", scopes=["read"], days=1)
    client.get("/probe", headers=bearer(secret))
    token.refresh_from_db()
    first = token.last_used_at
    assert first is not None
    client.get("/probe", headers=bearer(secret))
    token.refresh_from_db()
    assert token.last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    client.get("/probe", headers=bearer(secret))
    token.refresh_from_db()
    assert token.last_used_at > first


def test_an_expired_and_a_revoked_token_and_that_of_an_inactive_user_open_nothing(client):
    user = make_user()
    expired, old = tokens.create(user=user, name="old", scopes=["read"], days=1)
    ApiToken.objects.filter(pk=expired.pk).update(expiry=timezone.now() - timedelta(seconds=1))
    revoked, gone = tokens.create(user=user, name="gone", scopes=["read"], days=1)
    assert tokens.revoke(user=user, key=revoked.token_key) is True
    assert tokens.revoke(user=user, key=revoked.token_key) is False
    _, good = tokens.create(user=user, name="good", scopes=["read"], days=1)
    assert [client.get("/probe", headers=bearer(secret)).status_code for secret in (old, gone, good)] == [401, 401, 200]
    user.is_active = False
    user.save()
    assert client.get("/probe", headers=bearer(good)).status_code == 401


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": "  "}, "token.name"),
        ({"name": "x" * 61}, "token.name"),
        ({"scopes": []}, "token.scopes"),
        ({"scopes": ["read", "admin"]}, "token.scopes"),
        ({"days": 0}, "token.days"),
        ({"days": 366}, "token.days"),
    ],
)
def test_a_bad_wish_makes_no_token(change, code):
    with pytest.raises(AccountsError) as caught:
        tokens.create(user=make_user(), **({"name": "x", "scopes": ["read"], "days": 1} | change))
    assert caught.value.code == code
    assert ApiToken.objects.count() == 0


def test_a_person_has_at_most_twenty_tokens():
    user = make_user()
    for _ in range(tokens.MAX_TOKENS):
        tokens.create(user=user, name="x", scopes=["read"], days=1)
    with pytest.raises(AccountsError) as caught:
        tokens.create(user=user, name="x", scopes=["read"], days=1)
    assert caught.value.code == "token.too_many"


@pytest.mark.urls("config.urls")
def test_the_page_shows_a_new_token_once_and_never_stores_it(client):
    user = make_user(language="en")
    client.force_login(user)
    response = client.post("/settings/tokens/", {"name": "laptop", "scopes": ["read", "upload"], "days": "90"})
    secret = response.context["secret"]
    assert secret.startswith("bella_")
    assert response.content.decode().count(secret) == 2
    assert "no-store" in response.headers["Cache-Control"]
    later = client.get("/settings/tokens/").content.decode()
    assert secret not in later
    token = ApiToken.objects.get()
    assert secret not in {token.digest, token.token_key}
    assert "Read, Upload bots" in later
    assert client.post(f"/settings/tokens/{token.token_key}/revoke/").status_code == 302
    assert ApiToken.objects.count() == 0


@pytest.mark.urls("config.urls")
def test_nobody_revokes_the_token_of_another(client):
    token, _ = tokens.create(user=make_user(), name="x", scopes=["read"], days=1)
    client.force_login(make_user())
    client.post(f"/settings/tokens/{token.token_key}/revoke/")
    assert ApiToken.objects.count() == 1
