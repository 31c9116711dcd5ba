"""What goes wrong in a block, on the numbers of the page."""

import numpy as np

from core.lessons import block_wrong
from core.lessons.block import BlockTrace, without_looks
from pages.ui import cache
from pages.ui.html import mistakes, number, safe, vector


def block_mistakes(trace: BlockTrace) -> str:
    """Return the usual mistakes, each failing on these numbers."""
    items = (
        ("The norm of x is kept as x", _residual_card(trace)),
        ("SiLU around the product, or on the other branch", _silu_card(trace)),
        ("A pre-norm model run as post-norm", _place_card(trace)),
        ("eps outside the root", _eps_card()),
        ("The final norm forgotten", _final_card(trace)),
        ("LayerNorm over the tokens", _tokens_card(trace)),
    )
    return f"<div class='lab-thirds'>{mistakes(items)}</div>"


def _residual_card(trace: BlockTrace) -> str:
    right, wrong = block_wrong.normalised_residual()
    ours, theirs = block_wrong.block_on_normalised_residual(trace)
    return (
        "<p><code>x = norm(x); x = x + f(x)</code> adds to the norm. The stream itself must be kept: "
        "<code>x = x + f(norm(x))</code>.</p>"
        f"<p>x = (3, 4), f adds (0.5, −0.5): <span class='lab-good'>{vector(right)}</span>, "
        f"not <span class='lab-bad'>{vector(wrong)}</span>.</p>"
        f"<p>This block's output is off by up to <b class='lab-bad'>{_size(ours, theirs)}</b>.</p>"
    )


def _silu_card(trace: BlockTrace) -> str:
    each = block_wrong.entry(trace.settings.a, trace.settings.b)
    return (
        f"<p>a = {_plain(each.a)}, b = {_plain(each.b)}:</p><ol class='lab-steps'>"
        f"<li><span>SiLU(a) · b</span><b class='lab-good'>{number(each.product)}</b></li>"
        f"<li><span>SiLU(a · b)</span><b class='lab-bad'>{number(each.around)}</b></li>"
        f"<li><span>a · SiLU(b), W1 and W3 swapped</span><b class='lab-bad'>{number(each.swapped)}</b></li>"
        "</ol>"
        "<p>All three have the same shape, and W1 and W3 too.</p>"
    )


def _place_card(trace: BlockTrace) -> str:
    token = trace.settings.token
    right, wrong = cache.other_norm_place(without_looks(trace.settings))
    return (
        "<p>The figure of 2017 has the norm after each sum; GPT-2 and LLaMA have it before each sub-layer. "
        "The weights fit both.</p>"
        f"<p>Likeliest after token {token}: <b class='lab-good'>{_likeliest(trace, right)}</b>; "
        f"run as post-norm <b class='lab-bad'>{_likeliest(trace, wrong)}</b>. "
        f"Probabilities differ by up to <b class='lab-bad'>{_size(right, wrong)}</b>.</p>"
    )


def _eps_card() -> str:
    right, wrong = block_wrong.eps_outside()
    return (
        "<p><code>x / (√mean(x²) + eps)</code> agrees to six digits on ordinary vectors, and not on faint "
        "ones.</p>"
        f"<p>x = (0.0003, 0.0004), eps = 10<sup>−6</sup>: <span class='lab-good'>{vector(right)}</span>, "
        f"outside <span class='lab-bad'>{vector(wrong)}</span>.</p>"
        "<p>No eps at all: a row of zeros is 0/0.</p>"
    )


def _final_card(trace: BlockTrace) -> str:
    token = trace.settings.token
    right, wrong = (each[token] for each in cache.without_final_norm(without_looks(trace.settings)))
    shares = block_wrong.largest_shares(right, wrong)
    return (
        "<p>In pre-norm nothing has ever normed the stream itself; the final norm does, once.</p>"
        f"<p>Largest logit <b class='lab-good'>{number(right.max())}</b>, without it "
        f"<b class='lab-bad'>{number(wrong.max())}</b>. Largest probability: "
        f"<b class='lab-good'>{number(shares[0])}</b> against <b class='lab-bad'>{number(shares[1])}</b>.</p>"
    )


def _tokens_card(trace: BlockTrace) -> str:
    if len(trace.tokens) == 1:
        return "<p>With one token it cannot be seen here; every entry would become 0.</p>"
    right, wrong = block_wrong.over_tokens(trace)
    last = len(trace.tokens) - 1
    return (
        "<p>The mean over the wrong axis mixes tokens: the future leaks past the causal mask.</p>"
        f"<p>Turn the sign of token {last} “{safe(trace.tokens[last])}”: token 0 moves by "
        f"<b class='lab-good'>{number(right)}</b>; with a norm over tokens by "
        f"<b class='lab-bad'>{number(wrong)}</b>.</p>"
    )


def _likeliest(trace: BlockTrace, shares: np.ndarray) -> str:
    row = shares[trace.settings.token]
    best = int(row.argmax())
    return f"“{safe(trace.vocabulary[best])}” {row[best]:.4f}"


def _size(a: np.ndarray, b: np.ndarray) -> str:
    return number(float(np.abs(a - b).max()))


def _plain(x: float) -> str:
    return f"{x:g}".replace("-", "−")
