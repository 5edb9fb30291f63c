"""The site as it is, but that all of a benchmark's streams come from one address."""

from config.settings.test import *  # noqa: F403

LIVE_STREAMS_AN_ADDRESS = 1_000_000
