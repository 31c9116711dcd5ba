"""All heads in one small picture: a PNG with a colour table, a pixel for each weight."""

import struct
import zlib
from functools import lru_cache

import numpy as np
from plotly.colors import sample_colorscale, unlabel_rgb

from core.figures.theme import SEQUENTIAL

_LEVELS = 255  # colours; the colour 0 is transparent, for what the mask hides


def thumbnails_png(weights: np.ndarray, visible: np.ndarray, n_columns: int) -> bytes:
    """Return the matrices side by side as a PNG, one pixel for each cell.

    Args:
        weights: ``[n, T, T]``, each in 0..1.
        visible: bool ``[T, T]``; hidden cells are transparent.
        n_columns: matrices in a row; they fill row by row.
    """
    n, n_tokens, _ = weights.shape
    n_rows = -(-n // n_columns)
    levels = np.zeros((n_rows * n_columns, n_tokens, n_tokens), dtype=np.uint8)
    scaled = np.rint(np.clip(weights, 0, 1) * (_LEVELS - 1)).astype(np.uint8) + 1
    levels[:n] = np.where(visible, scaled, 0)
    tiles = levels.reshape(n_rows, n_columns, n_tokens, n_tokens).swapaxes(1, 2)
    pixels = tiles.reshape(n_rows * n_tokens, n_columns * n_tokens)
    return _png(pixels)


@lru_cache(maxsize=1)
def _colours() -> tuple[bytes, bytes]:
    """The colour table and its transparency, as PNG wants them."""
    scale = sample_colorscale(SEQUENTIAL, np.linspace(0, 1, _LEVELS).tolist())
    colours = [(0, 0, 0), *(tuple(round(part) for part in unlabel_rgb(colour)) for colour in scale)]
    return bytes(part for colour in colours for part in colour), b"\x00"


def _png(pixels: np.ndarray) -> bytes:
    """An indexed PNG of ``[height, width]`` indices (PNG specification, sections 11.2 and 11.3.1)."""
    height, width = pixels.shape
    colours, transparency = _colours()
    rows = np.zeros((height, width + 1), dtype=np.uint8)  # each row begins with its filter, 0
    rows[:, 1:] = pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        (b"IHDR", header), (b"PLTE", colours), (b"tRNS", transparency),
        (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""),
    )  # fmt: skip
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
