"""Settings, tokens, inbox. Sign-up and sign-in are allauth's, below /account/."""

from django.urls import path

from accounts.views import inbox, preferences, tokens

app_name = "accounts"
urlpatterns = [
    path("preferences/", preferences.save, name="preferences"),
    path("settings/", preferences.settings, name="settings"),
    path("settings/tokens/", tokens.index, name="tokens"),
    path("settings/tokens/<str:key>/revoke/", tokens.revoke, name="token-revoke"),
    path("inbox/", inbox.index, name="inbox"),
    path("inbox/read/", inbox.read, name="inbox-read"),
    path("inbox/<int:notice_id>/", inbox.opened, name="notice"),
]
