"""Pictures: a Trace in, a ``go.Figure`` and a sentence that says what it shows out."""
