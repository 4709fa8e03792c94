"""Documents of the library: dictionaries that show themselves."""

from __future__ import annotations

import json


class Report(dict):
    """A document of the library, such as a plan: a dictionary, which notebooks show as tables.

    >>> Report({"name": "a", "layers": [{"operator": "Conv"}]})
    {
      "name": "a",
      "layers": [
        {
          "operator": "Conv"
        }
      ]
    }
    """

    def __repr__(self) -> str:
        return json.dumps(self, indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        return "\n".join(_shown(name, value) for name, value in self.items())


def _shown(name: str, value) -> str:
    heading = f"<b>{_escaped(str(name))}</b>"
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return f"<p>{heading}</p>{table(value)}"
    return f"<p>{heading} {_escaped(value if isinstance(value, str) else json.dumps(value))}</p>"


def table(rows: list) -> str:
    """Dictionaries as a table in HTML."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{_escaped(str(name))}</th>" for name in columns)
    lines = "".join(f"<tr>{''.join(_cell(row.get(name)) for name in columns)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def _cell(value) -> str:
    if value is None:
        return "<td></td>"
    text = value if isinstance(value, str) else f"{value:.6g}" if isinstance(value, float) else json.dumps(value)
    return f"<td>{_escaped(text)}</td>"


def _escaped(text: str) -> str:
    # Notebooks alone need the module, whose tables are large.
    import html

    return html.escape(text)
