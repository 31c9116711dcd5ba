"""Hypothesis for the whole core: no deadline (a first call may be slow), few tries."""

import hypothesis

hypothesis.settings.register_profile("core", deadline=None, max_examples=40, print_blob=True)
hypothesis.settings.load_profile("core")
