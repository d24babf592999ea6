"""Write the numbers and the picture of ``docs/accelerator.md``: ``python docs/generate_accelerator.py FOLDER``.

The folder is what ``python -m benchmarks.accelerator --out FOLDER`` wrote. Text outside the marks stays as it is.
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import NullFormatter

HERE = Path(__file__).parent
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
ROWS = {
    "walkers_ridge": ("RFS1, 4,096 walkers, ridge, 2,000 x 500, about 20 columns", "evaluations_per_second", "one_core_end_to_end"),
    "kernel_ridge_leave_one_out": ("kernel ridge, leave-one-out, 500 rows", "evaluations_per_second", "one_core"),
    "nearest_neighbours": ("1-NN, 20,000 rows", "evaluations_per_second", "one_core"),
}  # fmt: skip


def number(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def table(found):
    """The four figures, in Markdown."""
    about = found["about"]
    lines = [f"{about['card']}, PyTorch {about['torch']}, numpy {about['numpy']}.", ""]
    lines += [
        "| job, end to end | device, evaluations a second | one core | ratio |",
        "|---|---|---|---|",
    ]
    for name, (title, device, core) in ROWS.items():
        case = found.get(name, {})
        if device in case:
            lines.append(
                f"| {title} | {number(case[device])} | {number(case[core])} | {case['ratio']:,.0f}x |"
            )
    step = found.get("forward_step", {})
    if "step_seconds" in step:
        times = f"{step['step_seconds']:.3g} s a step", f"{step['one_core_step_seconds']:.3g} s"
        lines.append(
            f"| forward step over 100,000 columns, ridge, 2,000 rows | {' | '.join(times)} | {step['ratio']:,.0f}x |"
        )
    if "moments_and_200_subsets" in (long := found.get("long_table", {})):
        seconds = long["moments_and_200_subsets"]
        lines += [
            "",
            f"Moments of 1,000,000 x 1,000 and the first 200 subsets of them: {seconds:.1f} s on the device.",
        ]
    return lines


def picture(rows, path):
    """Evaluations a second against rows, one panel per evaluator."""
    names = list(dict.fromkeys(row["evaluator"] for row in rows))
    figure, panels = plt.subplots(
        2, -(-len(names) // 2), figsize=(10, 5.5), sharey=True, squeeze=False
    )
    for panel in panels.ravel()[len(names) :]:
        panel.axis("off")
    for name, panel in zip(names, panels.ravel()):
        for key, label in (("device", "device"), ("one_core", "one core")):
            points = [(r["rows"], r[key]) for r in rows if r["evaluator"] == name and r[key]]
            if points:
                panel.loglog(*zip(*points), "o-", label=label, markersize=4)
        panel.set_title(name, fontsize=9)
        panel.set_xlabel("rows")
        panel.xaxis.set_minor_formatter(NullFormatter())
    panels[0, 0].legend(fontsize=8)
    for row in panels:
        row[0].set_ylabel("evaluations a second")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    found = json.loads((Path(sys.argv[1]) / "accelerator.json").read_text(encoding="utf8"))
    page = HERE / "accelerator.md"
    before, _, rest = page.read_text(encoding="utf8").partition(BEGIN)
    after = rest.partition(END)[2]
    lines = table(found)
    if isinstance(found.get("curves"), list):
        picture(found["curves"], HERE / "accelerator.png")
        lines += ["", "![Evaluations a second against the number of rows](accelerator.png)"]
    page.write_text("\n".join([before + BEGIN, *lines, END + after]), encoding="utf8")


if __name__ == "__main__":
    main()
