"""The panel "saturation": curves against d_k, and how sharp each row on the screen is."""

import streamlit as st

from core.figures.saturation import describe_saturation, saturation_figure
from core.trace import AttentionTrace
from core.truth import row_sharpness
from pages.ui import cache
from pages.ui.html import bar, row, safe, show
from pages.ui.live import live_plot


def saturation_panel(trace: AttentionTrace) -> None:
    """Show the averaged curves with the present d_k marked."""
    curves = cache.curves(len(trace.key_tokens))
    show(
        "<p class='lab-legend'><i class='lab-line lab-scaled'></i>÷ √d_k <i class='lab-line lab-unscaled'></i>unscaled"
        " <i class='lab-line lab-root'></i>√d_k</p>"
    )
    live_plot(
        saturation_figure(curves, trace),
        key="saturation",
        alt=describe_saturation(curves, trace),
        file_name="softmax-saturation",
        secondary=True,
    )
    st.caption(
        f"Averages over {curves.n_rows:,} drawn rows of {curves.n_keys} keys with unit-variance entries. "
        "“Effective keys” is exp(entropy). The Jacobian is that of softmax (Frobenius norm): near 0, no score learns."
    )


def row_table(trace: AttentionTrace) -> None:
    """Show for each row of the head in view its largest weight, effective keys and Jacobian."""
    sharpness = row_sharpness(trace, trace.settings.head or 0)
    n_keys = len(trace.key_tokens)
    head = row(["query", "largest weight", "effective keys", "Jacobian"], "th")
    body = [
        row(
            [
                f"{i} {safe(token)}",
                f"{bar(largest)} {largest:.3f}",
                f"{bar(effective / n_keys)} {effective:.2f} of {visible}",
                f"{bar(2 * jacobian)} {jacobian:.3f}",
            ]
        )
        for i, (token, largest, effective, visible, jacobian) in enumerate(
            zip(
                sharpness.query_tokens,
                sharpness.largest_weight,
                sharpness.effective_keys,
                sharpness.n_visible,
                sharpness.jacobian_norm,
                strict=True,
            )
        )
    ]
    show(
        "<section class='lab-panel'>",
        f"<h3>How sharp each row is <small>head {sharpness.head}</small></h3>",
        "<div class='lab-scroll lab-tall' tabindex='0' role='region' aria-label='Sharpness of each row'>",
        f"<table>{head}{''.join(body)}</table></div></section>",
    )
