"""The pages: controls in, pictures out. Nothing is computed here."""
