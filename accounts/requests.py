"""The request of a view that only signed-in people reach, for the type checker."""

from django.http import HttpRequest

from accounts.models import User


class UserRequest(HttpRequest):
    """Behind `login_required` the user is no visitor."""

    user: User
