"""The inbox."""

import pytest
from django.utils.translation import gettext_lazy as _

from accounts import notice_kinds
from accounts.models import Notice
from accounts.selectors import notices as selectors
from accounts.services import notices
from tests.accounts.factories import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def kind(monkeypatch):
    monkeypatch.setattr(notice_kinds, "_sentences", dict(notice_kinds._sentences))
    notice_kinds.register({"probe": _("Hello %(who)s")})


def test_a_notice_is_a_sentence_with_its_parameters():
    user = make_user()
    notices.notify(users=[user], kind="probe", url="/x/", who="<b>Luna</b>")
    (item,) = selectors.inbox(user).items
    assert (item.text, item.url, item.is_read) == ("Hello <b>Luna</b>", "/x/", False)


def test_a_kind_without_a_sentence_is_a_bug_but_an_old_row_is_still_readable():
    user = make_user(language="en")
    with pytest.raises(ValueError, match="no sentence"):
        notices.notify(users=[user], kind="nonsense")
    Notice.objects.create(user=user, kind="nonsense")
    Notice.objects.create(user=user, kind="probe", params={})
    assert len({item.text for item in selectors.inbox(user).items}) == 1


def test_the_inbox_goes_on_page_by_page_in_one_query_each(django_assert_num_queries):
    user = make_user()
    for _number in range(2 * selectors.PAGE + 1):
        Notice.objects.create(user=user, kind="probe", params={"who": "x"})
    seen, before = [], None
    for _page in range(3):
        with django_assert_num_queries(1):
            page = selectors.inbox(user, before=before)
        seen += [item.id for item in page.items]
        before = page.older
    assert before is None
    assert len(seen) == len(set(seen)) == 2 * selectors.PAGE + 1
    assert seen == sorted(seen, reverse=True)


def test_reading_marks_own_notices_only(client):
    user, other = make_user(), make_user()
    notices.notify(users=[user, other], kind="probe", url="/settings/", who="x")
    mine, theirs = Notice.objects.get(user=user), Notice.objects.get(user=other)
    client.force_login(user)
    assert client.post(f"/inbox/{theirs.pk}/").status_code == 404
    response = client.post(f"/inbox/{mine.pk}/")
    assert (response.status_code, response.url) == (302, "/settings/")
    client.post("/inbox/read/")
    assert [selectors.unread_count(someone) for someone in (user, other)] == [0, 1]


@pytest.mark.parametrize("before", ["", "x", "-1", "9" * 30, "٣", "1"])
def test_any_address_of_the_inbox_answers(client, before):
    client.force_login(make_user())
    assert client.get("/inbox/", {"before": before}).status_code == 200


def test_the_page_escapes_what_a_notice_says(client):
    user = make_user()
    notices.notify(users=[user], kind="probe", who="<b>x</b>")
    client.force_login(user)
    page = client.get("/inbox/").content.decode()
    assert "Hello &lt;b&gt;x&lt;/b&gt;" in page
    assert "<b>x</b>" not in page
