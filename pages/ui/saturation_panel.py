"""The words of the panel "saturation": the curves' legend, and how sharp each row is."""

from core.curves import SaturationCurves
from core.trace import AttentionTrace
from core.truth import row_sharpness
from pages.ui.html import bar, row, safe


def curves_legend(curves: SaturationCurves) -> str:
    """Return the legend of the curves, and how many draws they average."""
    return (
        "<p class='lab-legend'><i class='lab-line lab-scaled'></i>÷ √d_k"
        "<i class='lab-line lab-unscaled'></i>unscaled<i class='lab-line lab-root'></i>√d_k</p>"
        f"<p class='lab-dim'>Averages over {curves.n_rows:,} drawn rows of {curves.n_keys} keys with "
        "unit-variance entries. “Effective keys” is exp(entropy). The Jacobian is that of softmax "
        "(Frobenius norm): near 0, no score learns.</p>"
    )


def row_table(trace: AttentionTrace) -> str:
    """Return for each row of the head in view its largest weight, effective keys and Jacobian."""
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
    return "".join((
        "<section class='lab-panel'>",
        f"<h3>How sharp each row is <small>head {sharpness.head}</small></h3>",
        "<div class='lab-scroll lab-tall' tabindex='0' role='region' aria-label='Sharpness of each row'>",
        f"<table>{head}{''.join(body)}</table></div></section>",
    ))
