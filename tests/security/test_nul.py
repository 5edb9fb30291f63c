"""NUL, which PostgreSQL does not store, wherever a request can carry it: refused or passed over, no error of ours."""

import pytest
from django.contrib.admin import site
from django.test import Client
from django.urls import NoReverseMatch, reverse

from tests.site.test_admin import make_admin

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

#: Quoted as in Netscape's cookies: Python turns the octal escape into the character.
BROKEN = r'"abcdefgh\000"'


@pytest.mark.parametrize("path", ["/", "/api/v1/matches/", "/api/v1/me/", "/my/bots/", "/admin/", "/healthz"])
def test_a_cookie_with_nul_is_no_cookie(path):
    expected = Client().get(path).status_code
    names = ("sessionid", "lang", "theme", "deck", "time_zone", "messages", "csrftoken")
    cookies = "; ".join(f"{name}={BROKEN}" for name in names)
    assert Client().get(path, headers={"cookie": cookies}).status_code == expected


def test_the_other_cookies_count():
    client = Client(headers={"cookie": f"lang=en; sessionid={BROKEN}"})
    assert 'lang="en"' in client.get("/learn/rules/").content.decode()


@pytest.mark.parametrize(
    "path", ["/%00", "/settings/tokens/%00/revoke/", "/bots/a%00b/", "/account/confirm-email/%00/"]
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_nothing_stands_at_an_address_with_nul(path, method):
    assert getattr(Client(), method)(path).status_code == 404


def test_the_api_says_so_in_its_own_shape():
    answer = Client().get("/api/v1/bots/%00/")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_no_filter_or_key_of_the_admin_breaks():
    client = make_admin()
    tried = 0
    for model, admin in site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        filters = [
            item if isinstance(item, str) else item[0] for item in admin.list_filter if not isinstance(item, type)
        ]
        for field in ("pk", *filters):
            for suffix in ("", "__exact", "__gte"):
                query = {f"{field}{suffix}": "a\0b"}
                assert client.get(reverse(f"{name}_changelist"), query).status_code == 404, (name, query)
                tried += 1
        for page in ("change", "delete", "history"):
            try:
                address = reverse(f"{name}_{page}", args=["_00"])
            except NoReverseMatch:
                continue
            assert client.get(address).status_code in (302, 403, 404), (name, page)
            assert client.get(address.replace("_00", "%00")).status_code == 404, (name, page)
    assert tried > 100
