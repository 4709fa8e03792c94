"""A picture with what was found in it, for notebooks. It needs Pillow."""

from __future__ import annotations

import os
from io import BytesIO
from typing import Optional

_COLORS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#808000")
_LARGEST_EDGE = 1024


def png(answer) -> Optional[bytes]:
    """The picture with boxes, points and lines of text in it; None when there is nothing to draw, or no Pillow."""
    if answer.error is not None or not any(item.box or item.points for item in answer.items):
        return None
    try:
        image = _picture(answer.picture)
    except (ImportError, OSError, ValueError, TypeError):
        return None
    if image is None:
        return None
    _draw(image, answer)
    image.thumbnail((_LARGEST_EDGE, _LARGEST_EDGE))
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _picture(picture):
    """The upright picture in RGB; None when it is not known."""
    from PIL import Image, ImageOps

    if picture is None:
        return None
    if isinstance(picture, (bytes, bytearray, memoryview)):
        picture = BytesIO(picture)
    if isinstance(picture, (str, os.PathLike, BytesIO)):
        picture = Image.open(picture)
    elif not isinstance(picture, Image.Image):
        picture = Image.fromarray(picture)
    return ImageOps.exif_transpose(picture).convert("RGB")


def _draw(image, answer) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    width = max(2, max(image.size) // 300)
    for position, item in enumerate(answer.items):
        color = _COLORS[(item.index if item.index is not None else position) % len(_COLORS)]
        if answer.kind == "text":
            corners = [(point.x, point.y) for point in item.points]
            draw.line([*corners, *corners[:1]], fill=color, width=width)
            continue
        for point in item.points:
            x, y = point.x * image.width, point.y * image.height
            draw.ellipse((x - width, y - width, x + width, y + width), fill=color)
        if item.box is not None:
            _draw_box(draw, item, image.size, color, width)


def _draw_box(draw, item, size: tuple, color: str, width: int) -> None:
    left, upper, right, lower = item.box.pixels(size)
    draw.rectangle((left, upper, max(left, right), max(upper, lower)), outline=color, width=width)
    label = item.label if item.label is not None else "" if item.index is None else str(item.index)
    confidence = "" if item.confidence is None else f" {item.confidence:.2f}"
    draw.text((left + width + 1, upper + width), label + confidence, fill=color)
