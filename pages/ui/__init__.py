"""What the pages share: controls, session state, caching, live components."""
