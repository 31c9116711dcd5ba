"""The pictures of the scale: spread, softmax under each divisor, Jacobians, gradients, overflow."""

from core.figures.saturation import describe_saturation, saturation_figure
from core.figures.scaling import (
    DIVISOR_NAMES,
    describe_gradients,
    describe_spread,
    gradients_figure,
    spread_figure,
)
from core.lessons.gradients import N_DRAWS, N_KEYS
from core.lessons.scaling import (
    SCALES,
    Overflow,
    Scaling,
    ScalingSettings,
    eight_rows,
    far_and_near,
    measured_sd,
    overflows,
    trace_scaling,
)
from pages.ui import cache
from pages.ui.html import card, mistakes, number, table, vector
from pages.ui.matrix import matrix, row_of
from pages.ui.pictures.picture import Picture

_WIDTHS = (4, 64, 128, 512)


def scaling(settings: ScalingSettings) -> dict[str, Picture]:
    """Return all pictures of the page."""
    trace = trace_scaling(settings)
    curves, gradients = cache.curves(len(trace.row)), cache.gradients(settings.seed)
    d_k = settings.d_k
    return {
        "spread": Picture(spread_figure(trace), describe_spread(trace), "spread", beside=_measured(trace)),
        "row": Picture(None, below=_row(trace)),
        "jacobians": Picture(None, below=_jacobians(trace)),
        "curves": Picture(
            saturation_figure(curves, d_k),
            describe_saturation(curves, d_k),
            "saturation",
            below=_legend(f"Averages over {curves.n_rows:,} drawn rows of {curves.n_keys} keys."),
        ),
        "gradients": Picture(
            gradients_figure(gradients, d_k),
            describe_gradients(gradients),
            "gradients",
            below=_legend(
                f"Solid and round: mean. Dotted and square: median. {N_DRAWS:,} draws of {N_KEYS} keys; "
                "L = u·softmax(scores), u standard normal."
            ),
        ),
        "overflow": Picture(None, below=_overflow(settings.offset)),
        "scaling_mistakes": Picture(None, below=_mistakes(trace)),
    }


def _measured(trace: Scaling) -> str:
    d_k, seed = trace.settings.d_k, trace.settings.seed
    rows = [_measured_row(width, seed) for width in sorted({*_WIDTHS, d_k})]
    n = len(trace.products)
    error = 100 / (2 * n) ** 0.5
    return (
        "<section class='lab-panel'><h3>Standard deviation of q·k</h3>"
        + table("Spread", ["d_k", "theory √d_k", f"measured, {n:,} pairs", "variance"], rows)
        + "<p>Each of the d_k products has variance 1. They are independent, so variances add up to "
        f"d_k.</p><p class='lab-dim'>Entries of q and k: mean 0, variance 1. A sample of this size is off by "
        f"about {error:.1f}%.</p></section>"
    )


def _measured_row(d_k: int, seed: int) -> list[str]:
    sd = measured_sd(d_k, seed)
    return [str(d_k), f"{d_k**0.5:.4f}", f"<b>{sd:.2f}</b>", f"{sd**2:.1f}"]


def _row(trace: Scaling) -> str:
    weights = trace.rows
    rows = [f"{'▸ ' if scale == trace.settings.scale else ''}{DIVISOR_NAMES[scale]}" for scale in SCALES]
    keys = [f"k{j}" for j in range(len(trace.row))]
    sharp = [[name, *_sharpness(trace, scale)] for name, scale in zip(rows, SCALES, strict=True)]
    header = ["", "largest weight", f"effective keys of {len(keys)}", "size of the Jacobian"]
    return row_of(
        matrix(
            "One row of scores under each divisor: weights", weights, kind="weight", rows=rows, columns=keys
        ),
        f"<div class='lab-panel'>{table('Sharpness under each divisor', header, sharp)}</div>",
    ) + (
        f"<p class='lab-dim'>Scores: {vector(trace.row)}. d_model = {trace.settings.heads} heads × "
        f"{trace.settings.d_k} = {trace.settings.d_model}.</p>"
    )


def _sharpness(trace: Scaling, scale: str) -> list[str]:
    largest, keys, jacobian = trace.sharpness(scale)
    return [f"{largest:.4f}", f"{keys:.2f}", number(jacobian)]


def _jacobians(trace: Scaling) -> str:
    chosen = trace.settings.scale
    shown = ("none", "sqrt_d_k") if chosen == "none" else ("none", chosen)
    keys = [f"{j}" for j in range(len(trace.row))]
    return row_of(
        *(
            matrix(
                f"{DIVISOR_NAMES[scale]}: ∂w<sub>i</sub>/∂s<sub>j</sub>",
                trace.jacobians[scale],
                rows=keys,
                columns=keys,
                limit=0.25,
            )
            for scale in shown
        )
    )


def _legend(words: str) -> str:
    return (
        "<p class='lab-legend'><i class='lab-line lab-scaled'></i>÷ √d_k"
        f"<i class='lab-line lab-unscaled'></i>undivided</p><p class='lab-dim'>{words}</p>"
    )


def _overflow(offset: float) -> str:
    name = f"({', '.join(f'{offset + step:g}' for step in range(3))})"
    header = ["type", "largest s with a finite exp", "exp of the first", "plain", "largest taken off first"]
    return (
        f"<section class='lab-panel'><h3>softmax{name}</h3>"
        + table("Overflow", header, map(_overflow_row, overflows(offset)))
        + "<p>Softmax is unchanged when the same number is added to every score: "
        f"softmax{name} = softmax(0, 1, 2). So nothing is lost, and exp never sees more than 0.</p></section>"
    )


def _overflow_row(found: Overflow) -> list[str]:
    look, plain = ("good", vector(found.plain)) if found.sound else ("bad", "∞ / ∞: not a number")
    return [
        found.dtype,
        f"{found.limit:.2f}",
        number(found.first),
        f"<b class='lab-{look}'>{plain}</b>",
        f"<b class='lab-good'>{vector(found.shifted)}</b>",
    ]


def _mistakes(trace: Scaling) -> str:
    settings = trace.settings
    rows = eight_rows()
    far, near = map(vector, far_and_near())
    sd = {scale: trace.spread(scale) for scale in SCALES}
    largest = {scale: trace.sharpness(scale)[0] for scale in SCALES}
    even = 1 / len(trace.row)
    items = [
        (
            "No scale",
            matrix("eight fixed scores, SD 11", rows, kind="weight", rows=["undivided", "÷ √128"])
            + f"<p>The largest weight goes from <b class='lab-bad'>{rows[0].max():.5f}</b> to "
            f"<b class='lab-good'>{rows[1].max():.2f}</b>.</p>",
        ),
        (
            "Dividing by d_k",
            f"<p>SD <b class='lab-bad'>{sd['d_k']:.3f}</b> instead of about 1: softmax turns flat. The "
            f"largest weight is {largest['d_k']:.3f}; equal weights would be {even:.3f}. A gap of 8 at d_k = "
            f"{settings.d_k} becomes {8 / settings.d_k:.3g} instead of {8 / settings.d_k**0.5:.3g}.</p>",
        ),
        (
            "Dividing by √d_model",
            f"<p>Heads are narrower than the model: with {settings.heads} heads √d_model = "
            f"{settings.d_model**0.5:.2f}, √d_k = {settings.d_k**0.5:.2f}. The SD becomes "
            f"<b class='lab-bad'>{sd['sqrt_d_model']:.3f}</b>.</p>",
        ),
        (
            "“(100, 1, 1, 1) saturates, (2, 0.5, 0.5, 0.5) gives 0.5”",
            f"<p>The first: {far}. The second is "
            f"<b>{near}</b>; the printed "
            "<span class='lab-bad'>0.5, 0.17, 0.17, 0.17</span> sums to 1.01.</p>",
        ),
    ]
    return mistakes(items)


def autograd_table(answer: dict[str, dict[str, float]]) -> str:
    """Return PyTorch's gradients at the present d_k.

    Args:
        answer: of ``core.reference.scaling.autograd_gradients``.
    """
    names = {"sqrt_d_k": "÷ √d_k", "none": "undivided"}
    keys = ("mean_scores", "median_scores", "mean", "median")
    rows = [[names[scale], *(number(found[key]) for key in keys)] for scale, found in answer.items()]
    worst = max(found["difference"] for found in answer.values())
    body = table(
        "Gradients by autograd",
        ["", "at the scores: mean", "median", "at the query: mean", "median"],
        rows,
    )
    return card(
        "By PyTorch’s autograd, at this d_k",
        body,
        f"<p>Largest relative difference from the closed form in the picture: <b>{worst:.1e}</b></p>",
    )
