"""Writes the results of the gallery as a page, as a table in Markdown, and as JSON."""

import base64
import datetime
import html
import io
import json
import pathlib

from PIL import Image

import comparing

THUMBNAIL = (360, 300)
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1200px; padding: 0 1em; color: #222 }
article { border-top: 1px solid #ccc; display: grid; gap: 1.5em; grid-template-columns: 360px 1fr; padding: 1em 0 }
h2 { font-size: 1.1em; margin: 0 0 .3em } dl { display: grid; grid-template-columns: 8em 1fr; margin: 0 }
dt { color: #666 } dd { margin: 0; overflow-wrap: anywhere } img { max-width: 100% } .agrees, .runs { color: #17672b }
.differs, .failed { color: #a01c1c } .asks { color: #8a5a00 } p { margin: .3em 0 } code { font-size: .9em }
"""


def purpose(result):
    """What `apus inspect` says that the network is for."""
    told = result.get("purpose") or {}
    return f"{told['name']}: {told.get('evidence') or told.get('reading', '')}" if told.get("name") else "not told"


def agreement(result):
    if "figures" in result:
        return comparing.spoken(result["figures"])
    return result.get("reason", "")


def speed(result):
    measured = result.get("times")
    if not measured:
        return ""
    return (f"{measured['apus'] * 1000:.1f} ms a picture; the package {measured['package'] * 1000:.1f} ms: "
            f"{measured['ratio']:.2f} times as fast")


def expectation(result):
    """The reason that entries.json gives for an outcome other than agreement."""
    return result["entry"]["expected"].partition(": ")[2]


def line(result):
    """A result on one line."""
    words = [result["entry"]["name"] + ":", result["outcome"], agreement(result), speed(result)]
    expected = result["entry"]["expected"].partition(":")[0]
    if result["outcome"] not in (expected, "runs"):
        words.append(f"(entries.json: {expected})")
    return " ".join(word for word in words if word)


def command(entry):
    """What is added to `apus predict FILE`."""
    words = list(entry["arguments"])
    if "labels_file" in entry:
        words += ["--labels", "FILE"]
    if "preprocess" in entry:
        words += ["--preprocess", "FILE"]
    if "recipe" in entry:
        words.append(f"in {entry['recipe']}")
    return " ".join(words)


def thumbnail(result):
    """The first picture that Apus wrote, or else the first that it looked at, as the source of an <img>."""
    rows = result.get("rows")
    if not rows:
        return ""
    written = [row["own"]["file"] for row in rows if row["own"].get("file")]
    picture = Image.open(written[0] if written else rows[0]["path"])
    if picture.mode == "RGBA":
        background = Image.new("RGBA", picture.size, "#7fa98f")
        picture = Image.alpha_composite(background, picture)
    picture = picture.convert("RGB")
    picture.thumbnail(THUMBNAIL)
    content = io.BytesIO()
    picture.save(content, "JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(content.getvalue()).decode()


def in_words(kind, answer):
    """An answer that a picture does not show."""
    if kind == "text":
        return f"“{answer['text']}”"
    if kind == "classes":
        best = max(answer["scores"], key=answer["scores"].get)
        return f"{best} {answer['scores'][best]:.3f}"
    if kind == "numbers":
        return ", ".join(f"{number:.5f}" for number in answer["numbers"])
    if kind == "vector":
        numbers = [f"{number:.3f}" for number in answer["vector"][:6]]
        return f"{len(answer['vector'])} numbers: {', '.join(numbers)}, …"
    return ""


def article(result):
    entry = result["entry"]
    facts = {
        "Package": f"{entry['package']}, {entry['path']}",
        "Size": f"{result['bytes']:,} bytes" if "bytes" in result else "",
        "Purpose": purpose(result),
        "Preprocessing": (result.get("preprocessing") or {}).get("description", ""),
        "With": command(entry),
        "Agreement": agreement(result),
        "Reason": expectation(result),
        "Note": entry.get("note", ""),
        "Speed": speed(result),
        "Answers": "; ".join(f"{row['picture']} {words}" for row in result.get("rows", [])
                             if (words := in_words(entry["answer"], row["own"]))),
    }
    told = "".join(f"<dt>{name}</dt><dd>{html.escape(text)}</dd>" for name, text in facts.items() if text)
    source = thumbnail(result)
    picture = f'<img src="{source}" alt="">' if source else ""
    title = f'{html.escape(entry["name"])} <span class="{result["outcome"]}">{result["outcome"]}</span>'
    return f'<article id="{entry["name"]}"><div>{picture}</div><div><h2>{title}</h2><dl>{told}</dl></div></article>'


def count(results):
    outcomes = [result["outcome"] for result in results]
    kinds = [f"{outcomes.count(kind)} {text}" for kind, text in
             (("agrees", "agree with their package"), ("runs", "ran"), ("differs", "differ"),
              ("asks", "need what Apus does not know or have"), ("failed", "failed")) if kind in outcomes]
    packages = len({result["entry"]["package"] for result in results})
    return f"{len(results)} networks of {packages} packages: {', '.join(kinds)}."


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(results, date, threads):
    lines = [f"{count(results)} Measured on {date}, with {threads} threads.", "",
             "| network | package | task | out of the box | with | outcome | figures or reason | speed |",
             "| --- | --- | --- | --- | --- | --- | --- | ---: |"]
    for result in results:
        entry = result["entry"]
        told = (result.get("purpose") or {}).get("name") or "not told"
        ratio = f"{result['times']['ratio']:.2f}" if "times" in result else ""
        figures = agreement(result) if "figures" in result or not expectation(result) else ""
        why = "; ".join(filter(None, (figures, expectation(result))))
        added = f"`{command(entry)}`" if command(entry) else ""
        cells = [entry["name"], entry["package"], entry["task"], told, added, result["outcome"], why, ratio]
        lines.append("| " + " | ".join(cell(text) for text in cells) + " |")
    return "\n".join(lines) + "\n"


def write(results, folder: pathlib.Path, threads):
    folder.mkdir(parents=True, exist_ok=True)
    date = datetime.date.today().isoformat()
    body = "\n".join(article(result) for result in results)
    heading = f"<h1>Gallery of networks</h1><p>{count(results)} {date}, {threads} threads.</p>"
    (folder / "index.html").write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery of networks</title>'
        f"<style>{STYLE}</style>{heading}{body}</html>\n")
    (folder / "table.md").write_text(table(results, date, threads))
    (folder / "results.json").write_text(json.dumps({"date": date, "results": results}, ensure_ascii=False, indent=1))
