"""The frame itself: services, settings, one process of each kind."""

import os

import pytest
from django.core.cache import cache
from django.db import connection


@pytest.mark.django_db
@pytest.mark.parametrize("number", range(4))
def test_a_test_sees_only_its_own_data(number: int) -> None:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    assert connection.settings_dict["NAME"] == (f"test_bella_{worker}" if worker else "test_bella")
    assert cache.get("who") in {None, worker}
    cache.set("who", worker)
    assert cache.get("who") == worker


@pytest.mark.django_db
def test_the_site_is_no_superuser_of_its_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False,)
