"""The number of hypothesis examples: some in every test run, very many in `make fuzz`."""

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("some", max_examples=60, deadline=None, suppress_health_check=SLOW)
settings.register_profile("fuzz", max_examples=6_000, deadline=None, suppress_health_check=SLOW)
settings.load_profile("some")
