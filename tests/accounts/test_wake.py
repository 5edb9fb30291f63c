"""Waking a task: once for many calls."""

import json
from datetime import datetime

import pytest
from celery import current_app
from django.db import transaction

from accounts.foundation.wake import awake, wake

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]
TASK = "league.tasks.apply_ratings"


def sent() -> list[datetime | None]:
    """When each message that lies in the queue is due; None: at once."""
    with current_app.connection_for_write() as connection:
        client = connection.channel().client
        found = [json.loads(item)["headers"] for item in client.lrange(current_app.conf.task_default_queue, 0, -1)]
    return [
        datetime.fromisoformat(one["eta"]) if one["eta"] else None for one in reversed(found) if one["task"] == TASK
    ]


def test_many_calls_send_one_message():
    for _ in range(5):
        wake(TASK)
    assert sent() == [None]
    awake(TASK)
    wake(TASK)
    assert sent() == [None, None]


def test_a_call_that_is_rolled_back_sends_none():
    with transaction.atomic():
        wake(TASK)
        transaction.set_rollback(True)
    assert sent() == []
