"""Hypothesis for the engine: time limits of single examples say nothing on a busy machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("engine", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("engine")
