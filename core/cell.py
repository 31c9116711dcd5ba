"""One cell explained: every number between a query, a key and what the value adds to the output."""

from dataclasses import dataclass

import numpy as np

from core.trace import AttentionTrace


@dataclass(frozen=True)
class CellArithmetic:
    """The arithmetic of one weight, in order. Vectors are read-only views of the trace."""

    head: int
    query: int
    key: int
    query_token: str
    key_token: str
    q: np.ndarray  # [d_k] as used: turned by RoPE where it is on
    k: np.ndarray  # [d_k]
    products: np.ndarray  # [d_k] q * k, entry by entry
    score: float  # their sum
    scale: float
    scaled: float  # scale * score
    visible: bool  # what the mask says
    shift: float  # the largest visible scaled score of the row, subtracted before exp
    exponential: float  # exp(scaled - shift), 0 if hidden
    row_sum: float  # of the row's exponentials, 0 if no key is visible
    weight: float  # exponential / row_sum
    v: np.ndarray  # [d_v]
    share: np.ndarray  # [d_v] weight * v, what this key adds to the output
    context: np.ndarray  # [d_v] the output of this query in this head, the sum of all shares


def explain_cell(trace: AttentionTrace, head: int, query: int, key: int) -> CellArithmetic:
    """Return the arithmetic of one cell, worked out from q, k and v on their own.

    Args:
        trace: the computation.
        head: 0..H-1.
        query: the row, 0..Tq-1.
        key: the column, 0..Tk-1.
    """
    q, k, v = trace.q_rotated[head, query], trace.k_rotated[head, key], trace.v[head, key]
    visible = trace.mask[query]
    row = trace.scaled[head, query]
    shift = float(row[visible].max()) if visible.any() else 0.0
    row_sum = float(np.exp(row[visible] - shift).sum())
    products = q * k
    score = float(products.sum())
    scaled = trace.scale * score
    exponential = float(np.exp(scaled - shift)) if visible[key] else 0.0
    weight = exponential / row_sum if row_sum else 0.0
    return CellArithmetic(
        head=head,
        query=query,
        key=key,
        query_token=trace.query_tokens[query],
        key_token=trace.key_tokens[key],
        q=q,
        k=k,
        products=products,
        score=score,
        scale=trace.scale,
        scaled=scaled,
        visible=bool(visible[key]),
        shift=shift,
        exponential=exponential,
        row_sum=row_sum,
        weight=weight,
        v=v,
        share=weight * v,
        context=trace.context[head, query],
    )


def cell_in_view(trace: AttentionTrace) -> tuple[int, int, int]:
    """Return the chosen cell, or the largest weight of the last query if none is chosen."""
    if trace.settings.cell is not None:
        return trace.settings.cell
    head = trace.settings.head or 0
    query = trace.weights.shape[1] - 1
    return head, query, int(trace.weights[head, query].argmax())
