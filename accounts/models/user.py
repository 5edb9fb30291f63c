"""The user: signs in by e-mail address."""

from typing import Any, ClassVar

from django.apps import apps
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models, transaction
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.events import SignedUp, publish


class Language(models.TextChoices):
    """Languages of the site."""

    ITALIAN = "it", "Italiano"
    ENGLISH = "en", "English"


class Theme(models.TextChoices):
    """Colour theme; `auto` follows the device."""

    AUTO = "auto", _("As the device")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class Deck(models.TextChoices):
    """Card faces: a preference of the viewer, never a rule."""

    NAPOLETANE = "napoletane", _("Napoletane")
    BRESCIANE = "bresciane", _("Bresciane")
    FRANCESI = "francesi", _("French")


class Felt(models.TextChoices):
    """Colour of the card table."""

    GREEN = "green", _("Green")
    BLUE = "blue", _("Blue")
    BURGUNDY = "burgundy", _("Burgundy")


class Speed(models.TextChoices):
    """How fast cards move at the table."""

    SLOW = "slow", pgettext_lazy("speed", "Slow")
    NORMAL = "normal", pgettext_lazy("speed", "Normal")
    FAST = "fast", pgettext_lazy("speed", "Fast")
    NONE = "none", pgettext_lazy("speed", "No motion")


class Pause(models.TextChoices):
    """How long a finished trick stays on the table: 0.7 s, 1.4 s, or until a tap."""

    SHORT = "short", pgettext_lazy("pause", "Short")
    NORMAL = "normal", pgettext_lazy("pause", "Normal")
    TAP = "tap", pgettext_lazy("pause", "Until a tap")


class TwoTap(models.TextChoices):
    """Whether the first tap only raises a card; `auto`: on small touch screens."""

    AUTO = "auto", _("On small screens")
    ON = "on", _("Always")
    OFF = "off", _("Never")


class UserManager(BaseUserManager["User"]):
    """Makes users by `manage.py createsuperuser` and the like; people are made by `accounts.services.users`."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A user without rights, address in lower case, who plays as somebody; raises ValueError without an address."""
        if not email:
            raise ValueError("a user needs an e-mail address")
        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        with transaction.atomic(using=self._db):
            user.save(using=self._db)
            publish(SignedUp(user_id=user.pk))
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """A user with all rights."""
        return self.create_user(email, password, **(fields | {"is_staff": True, "is_superuser": True}))

    def get_by_natural_key(self, username: str | None) -> "User":
        """Addresses are compared without regard to case."""
        return self.get(email__iexact=username or "")


class User(AbstractBaseUser, PermissionsMixin):  # type: ignore[django-manager-missing]  # Knox has no types
    """A person with an account. What the person plays as is `games.Player`."""

    email = models.EmailField(_("e-mail address"), max_length=254, unique=True)
    name = models.CharField(_("name"), max_length=40, help_text=_("Shown to everybody."))
    is_staff = models.BooleanField(_("staff"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)
    language = models.CharField(_("language"), max_length=2, choices=Language, blank=True)
    theme = models.CharField(_("theme"), max_length=5, choices=Theme, default=Theme.AUTO)
    deck = models.CharField(_("deck"), max_length=12, choices=Deck, default=Deck.NAPOLETANE)
    time_zone = models.CharField(_("time zone"), max_length=64, default="Europe/Rome")
    felt = models.CharField(_("felt"), max_length=8, choices=Felt, default=Felt.GREEN)
    speed = models.CharField(_("speed of the cards"), max_length=6, choices=Speed, default=Speed.NORMAL)
    pause = models.CharField(_("pause after a trick"), max_length=6, choices=Pause, default=Pause.NORMAL)
    two_tap = models.CharField(_("two taps to play"), max_length=4, choices=TwoTap, default=TwoTap.AUTO)
    left_handed = models.BooleanField(_("left-handed"), default=False)
    keys = models.BooleanField(_("keyboard shortcuts"), default=True)
    sounds = models.BooleanField(_("sounds"), default=True)
    sound_cards = models.BooleanField(_("sound of the cards"), default=True)
    sound_turn = models.BooleanField(_("sound of your turn"), default=True)
    sound_result = models.BooleanField(_("sound of the result"), default=True)
    volume = models.PositiveSmallIntegerField(_("volume"), default=60, help_text=_("From 0 to 100."))

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.name or self.email

    @cached_property
    def acts_as_staff(self) -> bool:
        """Whether the person has the rights of staff: active, staff, and with a second factor switched on.

        One query for staff, none for others; remembered by this object, so a request asks once.
        """
        if not (self.is_active and self.is_staff):
            return False
        # Recovery codes alone are no factor: the library leaves none behind without the app, but rows can be deleted.
        factors = apps.get_model("mfa", "Authenticator")._default_manager
        return bool(factors.filter(user=self).exclude(type="recovery_codes").exists())

    def get_full_name(self) -> str:
        """The shown name."""
        return self.name

    def get_short_name(self) -> str:
        """The shown name."""
        return self.name
