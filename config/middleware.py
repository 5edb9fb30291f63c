"""What every request goes through beside Django's own middleware."""

from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.utils import translation
from django.utils.cache import patch_cache_control

Handler = Callable[[HttpRequest], HttpResponseBase]
#: Everything that a page could be allowed and that none of ours needs.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer",
        "autoplay",
        "browsing-topics",
        "camera",
        "display-capture",
        "encrypted-media",
        "fullscreen",
        "geolocation",
        "gyroscope",
        "hid",
        "idle-detection",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "picture-in-picture",
        "publickey-credentials-get",
        "screen-wake-lock",
        "serial",
        "usb",
        "xr-spatial-tracking",
    )
)


def canonical_host(get_response: Handler) -> Handler:
    """Behind TLS the site has one name: links in mails are made from the request's, so others are sent there first.

    The health check is asked from inside, under any name.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if settings.IS_HTTPS and request.path != "/healthz" and request.get_host() != settings.CANONICAL_HOST:
            if request.method in {"GET", "HEAD"}:
                return HttpResponsePermanentRedirect(settings.BASE_URL + request.get_full_path())
            return HttpResponse(status=421)
        return get_response(request)

    return middleware


def permissions_policy(get_response: Handler) -> Handler:
    """Switch off every feature of the browser that we do not use."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
        return response

    return middleware


def preferred_language(get_response: Handler) -> Handler:
    """Speak the language of a signed-in user's settings; without one LocaleMiddleware has chosen."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated and request.user.language:
            translation.activate(request.user.language)
            request.LANGUAGE_CODE = translation.get_language()
        return get_response(request)

    return middleware


def storable_text(get_response: Handler) -> Handler:
    """PostgreSQL keeps no NUL and answers one with an error: an address with it names nothing, a cookie is not ours.

    Query strings and bodies are read by forms and views, which refuse it in their own words, as does the API.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        request.COOKIES = {name: value for name, value in request.COOKIES.items() if "\0" not in value}
        if "\0" in request.path_info and not request.path_info.startswith("/api/"):
            raise Http404
        return get_response(request)

    return middleware


def private_pages(get_response: Handler) -> Handler:
    """A page shows who is signed in and has a key of its own: no cache between may keep it, unless its view says so."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return middleware
