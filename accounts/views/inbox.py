"""The inbox."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import Notice
from accounts.requests import UserRequest
from accounts.selectors import notices as selectors
from accounts.services import notices


@login_required
@never_cache
@require_safe
def index(request: UserRequest) -> HttpResponse:
    """Newest first, 50 a page; `?before=` continues."""
    before = request.GET.get("before", "")
    is_key = before.isascii() and before.isdigit() and len(before) < 19
    page = selectors.inbox(request.user, before=int(before) if is_key else None)
    older = f"?before={page.older}" if page.older is not None else ""
    context = {"items": page.items, "older": older, "breadcrumb": [(_("Inbox"), "")]}
    return render(request, "accounts/inbox.html", context)


@login_required
@require_POST
def read(request: UserRequest) -> HttpResponse:
    """Mark all as read."""
    notices.mark_read(user=request.user)
    return redirect("accounts:inbox")


@login_required
@require_POST
def opened(request: UserRequest, notice_id: int) -> HttpResponse:
    """Mark one as read and go where it leads."""
    notice = Notice.objects.filter(pk=notice_id, user=request.user).first()
    if notice is None:
        raise Http404
    notices.mark_read(user=request.user, notice_id=notice_id)
    return redirect(notice.url or "accounts:inbox")
