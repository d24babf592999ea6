"""Formulas as MathML, which browsers draw themselves: the site asks for nothing from elsewhere."""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
SPELLINGS = {  # what the converter does not know, in words that it does
    r"\\[bB]igg?(?![a-zA-Z])": "",
    r"\\dots(?![a-zA-Z])": r"\\ldots",
    r"\\mathrel\{(.)\}": r"\1",
}


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(self: Any, node: nodes.Element) -> None:
    self.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _block(self: Any, node: nodes.Element) -> None:
    self.body.append(
        f'<div class="formula" style="margin: 1rem 0; overflow-x: auto">{_mathml(node, as_block=True)}</div>'
    )
    raise nodes.SkipNode


def _mathml(node: nodes.Element, as_block: bool) -> str:
    formula = node.astext().strip()
    if as_block and ("\\\\" in formula or "&" in formula) and "\\begin" not in formula:
        formula = f"\\begin{{aligned}}{formula}\\end{{aligned}}"
    for unknown, known in SPELLINGS.items():
        formula = re.sub(unknown, known, formula)
    try:
        return str(latex2mathml.tex2mathml(formula, as_block=as_block))
    except Exception as error:
        LOGGER.warning("a formula cannot be drawn (%s): %s", error, formula, location=node)
        return f"<code>{_escaped(formula)}</code>"


def _escaped(text: str) -> str:
    """Text that is shown as it is."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
