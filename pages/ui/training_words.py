"""What the recorded runs show, in numbers read from them; and what of the usual telling they do not show."""

from collections.abc import Callable

from core.training.course import recorded

FORMULA = (
    r"\theta \leftarrow \operatorname{AdamW}\bigl(\theta, \nabla_\theta L\bigr),"
    r"\quad L=-\tfrac1n\sum\ln p_\theta(\text{wanted})"
)


def found(experiment: str) -> tuple[str, ...]:
    """Return what there is to notice, in Markdown.

    Args:
        experiment: its name.
    """
    return _FOUND[experiment]()


def _end(run: str, measure: str) -> tuple[float, float]:
    values = recorded(run).of(measure)[:, -1]
    return float(values.min()), float(values.max())


def _span(run: str, measure: str, digits: int = 2) -> str:
    low, high = (f"{x:.{digits}f}" for x in _end(run, measure))
    return low if low == high else f"{low} to {high}"


def _reached(run: str, share: float = 0.9) -> str:
    """The steps at which the seeds got a share right: "120 to 150", or "never"."""
    course = recorded(run)
    first = [course.steps[row > share] for row in course.of("accuracy")]
    steps = [int(each[0]) for each in first if len(each)]
    if not steps:
        return f"never in {course.run.steps:,} steps"
    span = f"{min(steps):,}" if min(steps) == max(steps) else f"{min(steps):,} to {max(steps):,}"
    seeds = "" if len(steps) == len(first) else f", in {len(steps)} of {len(first)} seeds"
    return f"at step {span}{seeds}"


def _layers() -> tuple[str, ...]:
    return (
        f"Two layers get 9 of 10 right {_reached('two-layers')}; one layer {_reached('one-layer')}: it ends "
        f"at {_span('one-layer', 'accuracy')}.",
        "The loss waits, then falls within a few dozen steps. In those steps two stripes form: a head of "
        "layer 1 looks at the **token before**, a head of layer 2 at the token **after the earlier copy**.",
        f"No single head does it all: the best head of layer 2 puts {_span('two-layers', 'induction')} "
        "there, and heads share the work. A picture of one head shows less than the model can do.",
    )


def _period() -> tuple[str, ...]:
    return (
        f"Fixed period: loss {_span('fixed-period', 'loss', 3)}, and yet {_span('fixed-period', 'accuracy')} "
        f"right on other periods. Drawn anew: {_span('two-layers', 'accuracy')}.",
        f"There is no induction head: {_span('fixed-period', 'induction')} of the weight on the token after "
        "the earlier copy. With RoPE, “15 back” is a place that a head can learn, and it is always right in "
        "this training.",
        "The heatmaps are drawn on a period of 12: look 15 back there, and it is another letter.",
    )


def _mask() -> tuple[str, ...]:
    return (
        f"Without a mask: training {_span('text-open', 'loss')}, **held-out "
        f"{_span('text-open', 'held_out')}**. With it: {_span('text-causal', 'loss')} and "
        f"{_span('text-causal', 'held_out')}.",
        "*Often told, not found:* that held-out loss reveals the leak. It has the same leak.",
        f"The last position has nothing later to copy: {_span('text-open', 'last')} without, "
        f"{_span('text-causal', 'last')} with the mask. And look at what it writes.",
        "The heads of the model without a mask form a stripe **right of the diagonal**: the answer itself.",
    )


def _scale() -> tuple[str, ...]:
    return (
        f"$d_k = 64$: 9 of 10 right {_reached('scaled-64')} with the factor; "
        f"without it {_reached('unscaled-64')}.",
        f"$d_k = 16$: {_reached('scaled-16')} with it; without it {_reached('unscaled-16')}.",
        "*Often told, half true:* “the gradient vanishes”. Softmax's own derivative does shrink; but without "
        "the factor the gradient at $W_Q$ also loses no $1/\\sqrt{d_k}$. What is seen is a **long plateau**.",
        "*Not found:* a stall on every task. Saying the token before, $d_k = 64$: 9 of 10 right "
        f"{_reached('easy-scaled')} with the factor, {_reached('easy-unscaled')} without.",
        "Here every entry of q and k begins with variance 1. Another initialisation means another plateau.",
    )


def _positions() -> tuple[str, ...]:
    return (
        f"No mask, no positions: {_span('open-none', 'accuracy')} right, and it stays there. Attention is "
        "permutation-equivariant, exactly.",
        f"**Causal mask, no positions: {_span('causal-none', 'accuracy')}.** “Without positions a "
        "transformer cannot know order” is true only without a mask.",
        f"RoPE: 9 of 10 right {_reached('causal-rope')} with a mask, {_reached('open-rope')} without.",
        "The mask is a weak clock: on the repeating task, no positions under a mask came to "
        f"{_span('no-positions', 'accuracy')} in {recorded('no-positions').run.steps} steps, RoPE to "
        f"{_span('two-layers', 'accuracy')} in {recorded('two-layers').run.steps}.",
    )


_FOUND: dict[str, Callable[[], tuple[str, ...]]] = {
    "layers": _layers,
    "period": _period,
    "mask": _mask,
    "scale": _scale,
    "positions": _positions,
}
