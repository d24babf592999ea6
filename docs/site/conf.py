"""How Sphinx builds the site; the pages are staged by ``build.py``."""

import re
from pathlib import Path
from typing import Any

import subsel

project = "subsel"
author = "The subsel developers"
copyright = "the subsel developers"
release = version = subsel.__version__
extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "math_without_scripts",
]
sphinx_gallery_conf = {
    "examples_dirs": str(Path(__file__).parent.parent / "gallery" / "examples"),
    "gallery_dirs": "gallery",
    "capture_repr": (),
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
}
html_math_renderer = "mathml"

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "subsel"
html_static_path: list[str] = []
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "collapse_navigation": True,
    "navigation_depth": 2,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"index": [], "start": [], "changelog": [], "reference/api/**": []}


def setup(app: Any) -> None:
    """Leave out what scikit-learn adds to classes by itself."""
    app.connect("autodoc-skip-member", _of_scikit_learn)


def _of_scikit_learn(
    app: Any, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    return True if re.fullmatch(r"set_\w+_request|_\w*", name) else None
