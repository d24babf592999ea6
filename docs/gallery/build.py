"""Draw the pictures of the page that shows the gallery without the site: ``python docs/gallery/build.py``.

The examples are the files ``examples/plot_*.py``; the site runs them itself.
"""

import re
import runpy
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # after the choice of where to draw

HERE = Path(__file__).parent
SECTION = re.compile(r"^# %%\n# (.+)$", re.MULTILINE)


def main() -> None:
    """Run the examples and keep their pictures, one for each section."""
    lines = [
        "# Gallery",
        "",
        "Drawn by `make gallery` from the wine data with seven columns of noise beside it.",
        "",
    ]
    for example in sorted((HERE / "examples").glob("plot_*.py")):
        titles = SECTION.findall(example.read_text(encoding="utf8"))
        runpy.run_path(str(example))
        lines += [
            f"## [{example.read_text(encoding='utf8').splitlines()[1]}](examples/{example.name})",
            "",
        ]
        for title, number in zip(titles, plt.get_fignums(), strict=True):
            picture = f"{example.stem.removeprefix('plot_')}_{number}.png"
            plt.figure(number).savefig(HERE / picture, dpi=110)
            lines += [f"{title}:", "", f"![{title}]({picture})", ""]
        plt.close("all")
    (HERE / "README.md").write_text("\n".join(lines), encoding="utf8")


if __name__ == "__main__":
    main()
