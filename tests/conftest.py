"""Shared by all tests; the environment must be set before numpy and scipy load."""

import os
import signal

os.environ["SCIPY_ARRAY_API"] = "1"  # scikit-learn's array API check must run, not be skipped
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # test processes share the cores; threads are asked for by n_jobs
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so a shell starts what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)
