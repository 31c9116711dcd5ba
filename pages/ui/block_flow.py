"""One block as a flow: the residual stream as a line, its sub-layers beside it."""

from core.lessons.block import BlockTrace


def flow(trace: BlockTrace) -> str:
    """Return the residual stream as a line, and what leaves it and comes back, with every shape."""
    settings = trace.settings
    t, d = len(trace.tokens), settings.d_model
    wide = _shape(t, d)
    name = "RMSNorm" if settings.style == "llama" else "LayerNorm"
    attention = f"{settings.heads} heads<br>weights {_shape(settings.heads, t, t)}"
    mlp = f"{'SwiGLU' if trace.linear is not None else 'GELU'}<br>hidden {_shape(t, trace.hidden.shape[-1])}"
    pieces = [_box(0, 1, f"block {settings.block}<br><strong>x</strong>", wide, "")]
    if settings.norm_place == "pre":
        for first, (label, inside) in ((0, ("Attention", attention)), (3, ("MLP", mlp))):
            n = 1 if first == 0 else 2
            pieces += [
                _shortcut(first + 1, 2, settings.residual),
                _box(first + 1, 2, f"<b>{name} {n}</b>", wide, _look(trace, first, "lab-out")),
                _box(first + 2, 2, f"<b>{label}</b>", inside, _look(trace, first + 1, "lab-on lab-return")),
                _sum(first + 3, settings.residual, label, wide, _look(trace, first + 2, "")),
            ]
    else:
        for first, (label, inside) in ((0, ("Attention", attention)), (3, ("MLP", mlp))):
            n = 1 if first == 0 else 2
            pieces += [
                _shortcut(first + 1, 1, settings.residual),
                _box(first + 1, 2, f"<b>{label}</b>", inside, _look(trace, first, "lab-out lab-return")),
                _sum(first + 2, settings.residual, label, wide, _look(trace, first + 1, "")),
                _box(first + 3, 1, f"<b>{name} {n}</b>", wide, _look(trace, first + 2, "lab-on")),
            ]
    return f"<div class='lab-flow' role='list' aria-label='The block as a flow'>{''.join(pieces)}</div>"


def _shape(*sizes: int) -> str:
    """A shape that stays on one line."""
    return f"<span class='lab-nobreak'>[{', '.join(map(str, sizes))}]</span>"


def _box(at: int, lane: int, label: str, small: str, look: str) -> str:
    return (
        f"<div role='listitem' class='lab-box {look}' style='--at:{at + 1};--lane:{lane}'>"
        f"{label}<small>{small}</small></div>"
    )


def _sum(at: int, residual: bool, added: str, wide: str, look: str) -> str:
    sign, words = ("+", f"x + {added}") if residual else ("↦", f"{added} alone")
    return _box(at, 1, f"<b class='lab-plus'>{sign}</b>", f"{words} {wide}", look)


def _shortcut(at: int, span: int, residual: bool) -> str:
    look = "lab-shortcut" if residual else "lab-shortcut lab-cut"
    return f"<i class='{look}' style='--at:{at + 1};--span:{span}'></i>"


def _look(trace: BlockTrace, step: int, look: str) -> str:
    return f"{look} lab-here" if trace.settings.step == step else look
