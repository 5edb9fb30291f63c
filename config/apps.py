"""What belongs to the site as a whole: its admin (staff need a second factor) and its Celery application."""

from importlib import import_module

from django.contrib.admin.apps import AdminConfig


class BellaAdminConfig(AdminConfig):
    """Puts config.admin_site in the place of Django's default site."""

    default_site = "config.admin_site.BellaAdminSite"

    def ready(self) -> None:
        """Make the site's Celery application the current one, so that every process of the site can send its tasks.

        And register our system checks.
        """
        super().ready()
        import_module("config.celery")
        import_module("config.checks")
