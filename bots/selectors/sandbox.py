"""Reading how bots are confined: what the arena reported last."""

from django.db.models import QuerySet

from bots.models import MatchRun, QualifyRun


def last_tiers() -> list[str]:
    """The sandbox tier of the newest match run and of the newest check that told one. Two queries."""
    newest: list[QuerySet] = [
        model.objects.exclude(tier="").order_by("-id").values_list("tier", flat=True)[:1]
        for model in (MatchRun, QualifyRun)
    ]
    return [tier for found in newest for tier in found]
