"""Side by side with peers, in one run: ratios, best of several, warm."""
