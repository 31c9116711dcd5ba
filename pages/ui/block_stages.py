"""One block step by step: the arrays themselves, under the flow that they belong to."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from core.lessons.block import BlockTrace, norm_statistics, weights_of
from pages.ui.block_flow import flow
from pages.ui.head_stages import head_chip, side_by_side
from pages.ui.html import safe
from pages.ui.matrix import matrix

_MOST_TOKENS = 8  # rows that are written out; all are computed
_MOST_COLUMNS = 16  # of a token's vector
_MOST_HIDDEN = 8  # of the MLP's hidden layer
_MOST_HEADS = 4  # whose weights are drawn
_LONGEST = 10  # characters of a token beside its row


def stage(trace: BlockTrace) -> str:
    """Return the flow through the block, and every array of the step that is looked at."""
    settings = trace.settings
    draw = _STEPS[settings.norm_place][settings.step]
    return (
        f"<section class='lab-panel' aria-label='Step {trace.step_names[settings.step]}'>"
        f"{flow(trace)}<div class='lab-tight'>{draw(trace)}</div></section>"
    )


# --- the six steps -------------------------------------------------------------------------------


def _norm_1(trace: BlockTrace) -> str:
    if trace.settings.norm_place == "pre":
        return _norm(trace, ("x", trace.steps.x), ("norm 1", trace.steps.into_attention))
    return _norm(
        trace, ("x + attention", trace.steps.after_attention), ("norm 1: the new x", trace.steps.into_mlp)
    )


def _norm_2(trace: BlockTrace) -> str:
    if trace.settings.norm_place == "pre":
        return _norm(trace, ("x", trace.steps.after_attention), ("norm 2", trace.steps.into_mlp))
    return _norm(
        trace, ("x + MLP", trace.steps.after_mlp), ("norm 2: the block's output", trace.steps.output)
    )


def _norm(trace: BlockTrace, before: tuple[str, np.ndarray], after: tuple[str, np.ndarray]) -> str:
    llama = trace.settings.style == "llama"
    found = norm_statistics(before[1], trace.settings.style)
    eps = f"10<sup>−{-round(math.log10(trace.settings.build.norm_eps))}</sup>"
    if llama:
        rule = f"Each row is divided by its root mean square, √(mean x² + {eps}); its mean stays."
    else:
        rule = f"Each row loses its mean and is divided by √(variance + {eps})."
    root = trace.settings.d_model**0.5
    return _words(
        f"{rule} Afterwards each row is √D = {root:.2f} long. Gains are 1"
        f"{'' if llama else ' and biases 0'}, as before training. No row sees another."
    ) + side_by_side(
        _rows(before[0], before[1], trace),
        matrix(
            "of each row",
            np.stack(list(found.values()), axis=1)[:_MOST_TOKENS],
            rows=_names(trace),
            columns=list(found),
            of=(len(trace.tokens), len(found)),
        ),
        "→",
        _rows(after[0], after[1], trace),
    )


def _attention(trace: BlockTrace) -> str:
    settings, steps = trace.settings, trace.steps
    h, n_kv, d_k = settings.heads, settings.n_kv_heads, settings.d_k
    n = _MOST_TOKENS
    visible = np.tril(np.ones(steps.weights.shape[-2:], dtype=bool))[:n, :n]
    turned = "RoPE has turned q and k. " if settings.style == "llama" else ""
    shared = "" if n_kv == h else f"{h // n_kv} query heads share a KV head. "
    limit = float(np.abs(np.tril(trace.scaled)).max())

    def of_heads(values: np.ndarray, kind: str, words: str) -> str:
        pieces = [
            matrix(
                head_chip(head) + f" <small>{words.format(kv=trace.kv_head(head))}</small>",
                values[head, :n, :n],
                kind=kind,
                rows=_names(trace),
                visible=visible,
                of=values.shape[-2:],
                limit=limit,
            )
            for head in range(min(h, _MOST_HEADS))
        ]
        if h > _MOST_HEADS:
            pieces.append(f"<span class='lab-dim'>… {h} heads in all</span>")
        return side_by_side(*pieces)

    return (
        _words(
            f"Each head: softmax(q kᵀ / √{d_k}) v, causal. {turned}{shared}"
            "The only place where a token hears of another.",
            _shapes_of(trace, "w_q", "w_k", "w_v", "w_o"),
        )
        + side_by_side(
            _rows("what it reads", steps.into_attention, trace),
            "→",
            _rows("q, by heads", trace.side_by_side("q"), trace, parts=_owners(h, d_k)),
            _rows("k", trace.side_by_side("k"), trace, parts=_owners(n_kv, d_k)),
            _rows("v", trace.side_by_side("v"), trace, parts=_owners(n_kv, d_k)),
        )
        + of_heads(trace.scaled, "signed", f"q kᵀ / √{d_k}{'' if n_kv == h else ', KV head {kv}'}")
        + of_heads(steps.weights, "weight", "weights")
        + side_by_side(
            _rows("weights × v, by heads", trace.context, trace, parts=_owners(h, d_k)),
            "× W_O =",
            _rows("attention adds", steps.attention, trace),
        )
    )


def _add_1(trace: BlockTrace) -> str:
    steps = trace.steps
    return _sum_of(trace, steps.x, ("attention adds", steps.attention), steps.after_attention)


def _add_2(trace: BlockTrace) -> str:
    steps = trace.steps
    stream = steps.after_attention if trace.settings.norm_place == "pre" else steps.into_mlp
    return _sum_of(trace, stream, ("the MLP adds", steps.mlp), steps.after_mlp)


def _sum_of(trace: BlockTrace, x: np.ndarray, added: tuple[str, np.ndarray], new: np.ndarray) -> str:
    limit = float(np.abs([x, added[1], new]).max())  # one scale, so that colours add up too
    if not trace.settings.residual:
        return _words("Without the shortcut, what the sub-layer gives <b>replaces</b> x.") + side_by_side(
            _rows("x, lost", x, trace, limit=limit), "↦", _rows("the new x", new, trace, limit=limit)
        )
    pre = trace.settings.norm_place == "pre"
    one = "The derivative of x + f(x) is 1 + f′(x): "
    words = (
        f"x itself is added, <b>not</b> its norm. {one}the 1 leads straight back to the first layer."
        if pre
        else f"{one}the 1 leads past the sub-layer, but in post-norm each norm still stands on the way."
    )
    return _words(words) + side_by_side(
        _rows("x", x, trace, limit=limit),
        "+",
        _rows(added[0], added[1], trace, limit=limit),
        "=",
        _rows("the new x", new, trace, limit=limit),
    )


def _mlp(trace: BlockTrace) -> str:
    steps, llama = trace.steps, trace.linear is not None
    d, d_ff = trace.settings.d_model, trace.hidden.shape[-1]
    why = "8/3 · D, rounded up to a multiple of 4" if llama else "4 · D"
    limit = float(np.abs(trace.into_bend).max())
    read = _rows("what it reads", steps.into_mlp, trace)
    out = _rows("the MLP adds", steps.mlp, trace)
    words = _words(
        f"Each token by itself: {d} → {d_ff} → {d} entries (d_ff = {why}). "
        + (
            "SiLU bends one branch, and the other multiplies it, entry by entry."
            if llama
            else "GELU bends each hidden entry."
        ),
        _shapes_of(trace, "w1", "w3", "w2"),
    )
    if trace.linear is None:
        return (
            words
            + side_by_side(
                read,
                "→",
                _hidden("x W1 + b1", trace.into_bend, trace, limit),
                "GELU<br>→",
                _hidden("hidden", trace.hidden, trace, limit),
            )
            + side_by_side("× W2 + b2 =", out)
        )
    return (
        words
        + side_by_side(
            read,
            "→",
            _hidden("x W1", trace.into_bend, trace, limit),
            "SiLU<br>→",
            _hidden("SiLU(x W1)", trace.bent, trace, limit),
        )
        + side_by_side(
            "⊙",
            _hidden("x W3", trace.linear, trace, limit),
            "=",
            _hidden("hidden", trace.hidden, trace, None),
            "× W2 =",
            out,
        )
    )


_STEPS: dict[str, tuple[Callable[[BlockTrace], str], ...]] = {
    "pre": (_norm_1, _attention, _add_1, _norm_2, _mlp, _add_2),
    "post": (_attention, _add_1, _norm_1, _mlp, _add_2, _norm_2),
}


# --- pieces --------------------------------------------------------------------------------------


def _rows(
    title: str,
    values: np.ndarray,
    trace: BlockTrace,
    *,
    parts: Sequence[int] | None = None,
    limit: float | None = None,
    most: int = _MOST_COLUMNS,
) -> str:
    """Return an array with a row for each token, cut where there are many rows or columns."""
    limit = limit or float(np.abs(values).max())
    shown = values[:_MOST_TOKENS, :most]
    return matrix(title, shown, rows=_names(trace), parts=parts, limit=limit, of=values.shape)


def _hidden(title: str, values: np.ndarray, trace: BlockTrace, limit: float | None) -> str:
    return _rows(title, values, trace, limit=limit, most=_MOST_HIDDEN)


def _owners(n_heads: int, d_k: int) -> list[int]:
    """The head that each column belongs to."""
    return np.repeat(np.arange(n_heads), d_k).tolist()


def _names(trace: BlockTrace) -> list[str]:
    """Names of rows; the token that is looked at stands out."""
    names = []
    for i, token in enumerate(trace.tokens[:_MOST_TOKENS]):
        short = token if len(token) <= _LONGEST else token[: _LONGEST - 1] + "…"
        name = f"{i} {safe(short)}"
        names.append(f"<b>▸ {name}</b>" if i == trace.settings.token else name)
    return names


def _shapes_of(trace: BlockTrace, *names: str) -> str:
    """The shapes of some of the block's matrices, those that it has."""
    weights = weights_of(trace.settings).blocks[trace.settings.block]
    there = ((name, getattr(weights, name)) for name in names)
    shapes = (f"{name.upper()} {list(array.shape)}" for name, array in there if array is not None)
    return " · ".join(shapes)


def _words(text: str, shapes: str = "") -> str:
    small = f" <small class='lab-dim'>{shapes}</small>" if shapes else ""
    return f"<p class='lab-step-words'>{text}{small}</p>"
