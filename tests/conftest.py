"""Fixtures shared by all tests."""

import signal

from hypothesis import HealthCheck, settings

# no example fails for being slow: a busy machine is
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


def pytest_configure():
    """Hear Ctrl-C even where a shell has started the tests in the background, which takes it away."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
