"""For all tests: a busy machine is no reason to fail, and Ctrl-C works wherever the tests were started from."""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores SIGINT, and children inherit that: tests that interrupt a child need it back.
    signal.signal(signal.SIGINT, signal.default_int_handler)
