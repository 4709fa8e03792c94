"""A row as any door gives it, and what is compared of two rows."""

import json
import math
import struct
from typing import NamedTuple, Optional


class Row(NamedTuple):
    """What a door says about one picture; a part that it does not tell is None."""

    #: The row that `apus predict` writes. It has the shortest text of every number, so equal texts are equal bits.
    text: Optional[str]
    #: What went wrong, with the stage in front.
    error: Optional[str] = None
    #: The code of the error.
    code: Optional[str] = None
    #: The class, the label and the bits of the numbers of each item of an answer.
    items: Optional[list] = None


def bits(number: float) -> str:
    """The bits of a number of 32 bits. NaN stands for numbers that are not there."""
    return "none" if math.isnan(number) else struct.pack(">f", number).hex()


def item(index: int, label, confidence: float, box) -> list:
    return [index, label, bits(confidence), *map(bits, box)]


def of_command(text: str) -> tuple:
    """The id and the row of a line of the command."""
    row = json.loads(text)
    error = row["error"]
    if error is not None:
        return row["id"], Row(None, f"{error['stage']}: {error['message']}", error["code"], [])
    objects = row["objects"] if "objects" in row else row["predictions"]
    items = [item(o["index"], o["label"], o["confidence"], o.get("box", [math.nan] * 4)) for o in objects]
    return row["id"], Row(text, None, None, items)


def difference(wanted: Row, found: Row, has_code: bool, has_items: bool) -> Optional[str]:
    """What differs first; None for rows that are the same."""
    names = ["text", "error"] + ["code"] * has_code + ["items"] * has_items
    for name in names:
        if getattr(wanted, name) != getattr(found, name):
            return f"{name}: {getattr(found, name)!r}, and from the command {getattr(wanted, name)!r}"
    return None
