"""Every address of the site.  An app's pages and its part of the API stand in its own urls.py."""

from django.contrib import admin
from django.urls import include, path

from config import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("metrics", views.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("account/", include("allauth.urls")),
    path("api/", include("config.api")),
    path("", include("accounts.urls")),
    path("", include("games.urls")),
    path("", include("bots.urls")),
    path("", include("league.urls")),
]

handler500 = "config.views.failed"
