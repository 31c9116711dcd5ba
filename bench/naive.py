"""The plain way, to compare with: one chart for each head, and the whole script again at each change.

It draws the same weights at the same sizes as our playground and nothing else: no cell, no checks,
no link. Sizes come from its address: ?heads=8&tokens=32.
"""

import plotly.graph_objects as go
import streamlit as st

from core.settings import AttentionSettings
from core.trace import trace_attention

BESIDE = 4  # charts in a row

st.set_page_config(layout="wide")
heads, tokens = int(st.query_params.get("heads", 4)), int(st.query_params.get("tokens", 16))
d_k = st.slider("d_k", 2, 128, 16, step=2)
text = " ".join(f"w{i}" for i in range(tokens))
trace = trace_attention(AttentionSettings(text=text, heads=heads, d_k=d_k))
for first in range(0, heads, BESIDE):
    row = range(first, min(first + BESIDE, heads))
    for head, column in zip(row, st.columns(BESIDE), strict=False):
        heatmap = go.Heatmap(
            z=trace.weights[head],
            x=trace.key_tokens,
            y=trace.query_tokens,
            zmin=0,
            zmax=1,
            colorscale="Viridis",
        )
        figure = go.Figure(heatmap, layout={"title": f"head {head}", "height": 320})
        figure.update_yaxes(autorange="reversed")
        column.plotly_chart(figure, key=f"head {head}")
