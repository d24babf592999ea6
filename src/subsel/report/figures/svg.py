"""A drawn figure as inline SVG that follows the page's colours, and whose points say what they are."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from subsel.report.figures.display import COLOURS, Display

__all__ = ["draw", "inline_svg"]

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def draw(name: str, make: Callable[..., Display], size: tuple[float, float]) -> tuple[str, str]:
    """Draw a display on axes of its own, away from any global state; give its SVG and its text alternative.

    Parameters
    ----------
    name : str
        Unlike that of any other picture of the page.
    make : callable
        Given axes as ``ax``, draws a display on them.
    size : pair of float
        Width and height in inches.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    display = make(ax=figure.subplots())
    return inline_svg(figure, name, display.tips_, display.describe()), display.describe()


def inline_svg(figure: Any, name: str, tips: Mapping[str, Sequence[str]], description: str) -> str:
    """Give a figure as an SVG element for HTML: no fixed size, colours of the page, names that clash with no other."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(
            buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
    root = ElementTree.fromstring(_own_names(buffer.getvalue(), name))
    _strip(root)
    root.set("role", "group" if tips else "img")
    root.set("aria-label", description)
    for gid, texts in tips.items():
        _tell(root, f"{name}-{gid}", texts)
    return _themed(ElementTree.tostring(root, encoding="unicode"))


def _strip(root: ElementTree.Element) -> None:
    """Take away what would act on the whole page, and the size."""
    for child in list(root):
        if child.tag == f"{{{SVG}}}metadata" or child.find(f"{{{SVG}}}style") is not None:
            root.remove(child)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)


def _own_names(svg: str, name: str) -> str:
    """Put the picture's name before every id and every reference to one."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'xlink:href="#([^"]+)"', rf'xlink:href="#{name}-\1"', svg)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)


def _tell(root: ElementTree.Element, gid: str, texts: Sequence[str]) -> None:
    """Wrap each point of a group: it can be reached by keyboard, is read aloud, and has a tooltip."""
    group = next((g for g in root.iter(f"{{{SVG}}}g") if g.get("id") == gid), None)
    if group is None:
        return
    waiting = list(texts)
    for parent in list(group.iter()):
        for place, child in enumerate(list(parent)):
            if child.tag == f"{{{SVG}}}use" and waiting:
                parent[place] = _point(child, waiting.pop(0))


def _point(drawn: ElementTree.Element, text: str) -> ElementTree.Element:
    point = ElementTree.Element(
        f"{{{SVG}}}g", {"class": "point", "tabindex": "-1", "role": "img", "aria-label": text}
    )
    ElementTree.SubElement(point, f"{{{SVG}}}title").text = text
    point.append(drawn)
    return point


def _themed(svg: str) -> str:
    """Let the page decide on the colours, and on the font."""
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    svg = re.sub(r"font: ([0-9.]+px) [^;\"]*", r"font-size: \1", svg)
    svg = re.sub(r"[ ]*\n[ ]*", " ", svg)
    for colour, value in COLOURS.items():
        svg = svg.replace(value, f"var(--{colour})")
    return svg
