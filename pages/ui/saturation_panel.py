"""The words of the panel "saturation": the curves' legend, and how sharp each row is."""

from core.curves import SaturationCurves
from core.trace import AttentionTrace
from core.truth import facts, row_sharpness
from pages.ui.html import bar, safe, table


def curves_legend(curves: SaturationCurves, trace: AttentionTrace) -> str:
    """Return the legend of the curves, how many draws they average, and the scores on the screen."""
    return (
        "<p class='lab-legend'><i class='lab-line lab-scaled'></i>÷ √d_k"
        "<i class='lab-line lab-unscaled'></i>unscaled<i class='lab-line lab-root'></i>√d_k</p>"
        f"<p class='lab-dim'>Averages over {curves.n_rows:,} drawn rows of {curves.n_keys} keys with "
        "unit-variance entries. “Effective keys” is exp(entropy). The Jacobian is that of softmax "
        "(Frobenius norm): near 0, no score learns.</p>"
        f"<p>On the screen now: SD of q·k <b>{facts(trace).score_sd:.2f}</b>, "
        f"√d_k = <b>{trace.d_k**0.5:.2f}</b>.</p>"
    )


def row_table(trace: AttentionTrace) -> str:
    """Return for each row of the head in view its largest weight, effective keys and Jacobian."""
    sharp = row_sharpness(trace, trace.settings.head or 0)
    n_keys = len(trace.key_tokens)
    rows = (
        [
            f"{i} {safe(token)}",
            f"{bar(sharp.largest_weight[i])} {sharp.largest_weight[i]:.3f}",
            f"{bar(sharp.effective_keys[i] / n_keys)} {sharp.effective_keys[i]:.2f} of {sharp.n_visible[i]}",
            f"{bar(2 * sharp.jacobian_norm[i])} {sharp.jacobian_norm[i]:.3f}",  # 1/2 is the largest
        ]
        for i, token in enumerate(sharp.query_tokens)
    )
    return (
        f"<section class='lab-panel'><h3>How sharp each row is <small>head {sharp.head}</small></h3>"
        + table(
            "Sharpness of each row",
            ["query", "largest weight", "effective keys", "size of the Jacobian"],
            rows,
            tall=True,
        )
        + "</section>"
    )
