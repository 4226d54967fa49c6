"""The published table as it is remembered: it could not be read again, so that no digit of it is certain."""

MINUTE, HOUR = 60.0, 3600.0
RECALLED: dict[tuple[str, str], tuple[float, float, int | None]] = {  # error in per cent, seconds in 2007, D or P
    ("CPU", "Fourier"): (3.6, 20.0, 300),
    ("CPU", "binning"): (5.3, 3 * MINUTE, 350),
    ("CPU", "exact"): (11.0, 31.0, None),
    ("Adult", "Fourier"): (14.9, 9.0, 500),
    ("Adult", "binning"): (15.3, 1.5 * MINUTE, 30),
    ("Adult", "exact"): (15.1, 7 * MINUTE, None),
    ("Forest", "Fourier"): (11.6, 71 * MINUTE, 5000),
    ("Forest", "binning"): (2.2, 25 * MINUTE, 50),
    ("Forest", "exact"): (2.2, 44 * HOUR, None),
}
