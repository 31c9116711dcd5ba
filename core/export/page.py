"""A picture as one HTML file: Plotly, our own reader of cells and the figure, nothing from outside."""

import base64
import json
from collections.abc import Mapping
from html import escape

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style id="lab-style">
:root {{
  --st-text-color: #16202e; --st-background-color: #fff; --st-secondary-background-color: #f3f5f9;
  --st-border-color: #d5dae3; --st-primary-color: #2a5db0; --st-font: system-ui, sans-serif;
}}
body {{
  font-family: system-ui, sans-serif; max-width: 1100px; margin: 1.5rem auto; padding: 0 1rem;
  color: #16202e; background: #fff;
}}
dl {{
  display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem;
  font-size: 0.9rem; overflow-wrap: anywhere;
}}
dd {{ margin: 0; }}
{css}
</style>
</head>
<body>
<h1>{title}</h1>
<div id="picture"></div>
<dl>{settings}</dl>
<script>{plotly}</script>
<script type="importmap">{{"imports": {imports}}}</script>
<script type="module">
import mount from "lab/live_plot.js"
mount({{ parentElement: document.getElementById("picture"), key: "picture", data: {data} }})
</script>
</body>
</html>
"""


def standalone_page(
    picture: Mapping[str, str | bool],
    *,
    title: str,
    settings: Mapping[str, str],
    scripts: Mapping[str, str],
    css: str,
    plotly_js: str,
) -> str:
    """Return a page that shows a picture with its cells readable, without any network.

    Args:
        picture: what our live plot gets: the figure as JSON, its text alternative, and HTML that
            stands beside and below it.
        title: of the page.
        settings: name -> value, listed under the picture.
        scripts: file name -> source of our live plot's modules.
        css: our style sheets.
        plotly_js: Plotly's own source.
    """
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in settings.items())
    return _PAGE.format(
        title=escape(title),
        settings=rows,
        css=css,
        plotly=plotly_js.replace("</script", "<\\/script"),
        imports=json.dumps({f"lab/{name}": _module(source) for name, source in scripts.items()}),
        data=_for_script({**picture, "key": "picture"}),
    )


def _module(source: str) -> str:
    """Return a module as a data address, its imports of neighbours by their names in the map."""
    named = source.replace('from "./', 'from "lab/')
    return "data:text/javascript;base64," + base64.b64encode(named.encode()).decode()


def _for_script(data: object) -> str:
    """Return JSON in which no text can end the script it stands in."""
    return json.dumps(data).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
