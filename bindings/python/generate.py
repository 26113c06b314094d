"""Writes python/privet/mechanisms.py: a class for each mechanism of the registry, with the page of its Rust type.

Run it in an environment that has the built package: ``python generate.py``. With ``--check`` it only says whether the file is
up to date.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from privet import _privet

HERE = Path(__file__).resolve().parent
TARGET = HERE / "python" / "privet" / "mechanisms.py"
SOURCES = HERE.parent.parent / "crates"

HEAD = '''"""Every mechanism, as a class with the name of its Rust type.

This file is written by generate.py from the registry and from the pages of the Rust types; a test keeps it so.
"""

from __future__ import annotations

from privet._mechanism import Mechanism
from privet.domains import Categories, Circle, Interval, Rectangle, Vectors, Words

'''

# For each kind of domain: the class, and what an example makes of it.
DOMAINS = {
    "binary": ("Categories", "privet.Binary()", "[True, False, True]"),
    "categories": ("Categories", 'privet.Categories(["walk", "bus", "car"])', '["bus", "car", "bus"]'),
    "words": ("Words", "privet.Words(12)", '["oak", "elm", "oak"]'),
    "interval": ("Interval", "privet.Interval(0, 1)", "[0.25, 0.5, 0.75]"),
    "circle": ("Circle", "privet.Circle(360)", "[10.0, 90.0, 350.0]"),
    "rectangle": ("Rectangle", "privet.Rectangle(0, 1, 0, 1)", "[[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]"),
    "vector": ("Vectors", "privet.Vectors(3)", "[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]"),
}


def rust_files() -> dict[str, str]:
    """The source file of each mechanism, by its id."""
    found = {}
    for path in sorted(SOURCES.glob("privet-*/src/**/*.rs")):
        text = path.read_text()
        if "MechanismInfo {" not in text:
            continue
        for name in re.findall(r'^\s+id: "([a-z0-9-]+)",$', text, re.MULTILINE):
            found.setdefault(name, text)
    return found


def page_of(text: str) -> tuple[str, str]:
    """The name and the page of the type that a file is about."""
    blocks = re.findall(r"((?:^///[^\n]*\n)+)(?:#\[[^\n]*\n)*pub (?:type|struct) (\w+)", text, re.MULTILINE)
    for block, name in blocks:
        if "# What it protects" in block:
            return name, "\n".join(line[3:].removeprefix(" ") for line in block.splitlines())
    raise SystemExit("a mechanism has no page")


def in_python(page: str) -> str:
    """A Rust page for Python: no links, headings underlined, and without the Rust example."""
    page = page.split("# Example")[0]
    page = re.sub(r"\[`(?:\w+::)*(\w+)`\](?:\([^)]*\))?", r"`\1`", page).replace("\\", "\\\\")
    lines = []
    for line in page.strip().splitlines():
        if line.startswith("# "):
            lines += ["", line[2:], "-" * len(line[2:])]
        else:
            lines.append(line)
    return "\n".join(lines)


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def takes(row: dict[str, object], option: str) -> bool:
    """Whether the mechanism takes an option: one that it does not take is refused by name."""
    if row["domain"] == "vector":
        return option == "delta" and row["guarantee"] == "approximate"
    domain = eval(DOMAINS[str(row["domain"])][1], {"privet": __import__("privet")})
    try:
        _privet.Mechanism(row["id"], domain._core, 1.0, **{option: 1e-5 if option == "delta" else 8})
    except ValueError as error:
        return "takes no" not in str(error)
    return True


def class_of(row: dict[str, object], name: str, page: str) -> str:
    kind, domain, values = DOMAINS[str(row["domain"])]
    options = [(option, type_) for option, type_ in (("delta", "float"), ("bins", "int")) if takes(row, option)]
    parameters = "".join(
        f", {option}: {type_}" + (" | None = None" if option == "bins" else "") for option, type_ in options
    )
    passed = "".join(f", {option}={option}" for option, _ in options)
    if kind == "Vectors":
        parameters += ", radius: float | None = None"
        passed += ", radius=radius"
    given = "".join(f", {option}=1e-5" for option, _ in options if option == "delta")
    example = f"""
Example
-------
>>> import privet
>>> mechanism = privet.{name}(domain={domain}, epsilon=1.0{given})
>>> reports = mechanism.randomize({values})
>>> len(reports), reports.report_bytes == mechanism.report_bytes
(3, True)
>>> mechanism.guarantee.epsilon <= 1.0
True"""
    body = textwrap.indent(page + "\n" + example, "    ").lstrip()
    body = "\n".join(line.rstrip() for line in body.splitlines())
    return f'''
class {name}(Mechanism):
    """{body}
    """

    _id = "{row["id"]}"

    def __init__(self, *, domain: {kind}, epsilon: float{parameters}) -> None:
        super().__init__(domain=domain, epsilon=epsilon{passed})
'''


def generated() -> str:
    files = rust_files()
    classes, names, aliases = [], [], []
    for row in _privet.registry_rows():
        text = files[row["id"]]
        name, page = page_of(text)
        # A type that makes several mechanisms lends them its page, not its name.
        if len(re.findall(r"MechanismInfo = MechanismInfo \{", text)) > 1 or name in names:
            plain = camel(row["id"])
            is_like = plain.lower().startswith(name.lower())
            name = name + plain[len(name) :] if is_like else plain
        classes.append(class_of(row, name, in_python(page)))
        names.append(name)
        short = [synonym for synonym in row["synonyms"] if re.fullmatch(r"[a-z]{2,5}", synonym)]
        aliases += [(synonym.upper(), name) for synonym in short]
    listed = "".join(f'    "{name}",\n' for name in sorted(names + [alias for alias, _ in aliases]))
    short_names = "".join(f"{alias} = {name}\n" for alias, name in aliases)
    members = "".join(f"    {name},\n" for name in names)
    everything = f"MECHANISMS: tuple[type[Mechanism], ...] = (\n{members})\n"
    offered = f'__all__ = [\n    "MECHANISMS",\n{listed}]\n\n'
    return HEAD + offered + "\n".join(classes) + f"\n\n# The names that the papers use.\n{short_names}\n{everything}"


if __name__ == "__main__":
    text = generated()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if TARGET.read_text() == text else "mechanisms.py is out of date: run generate.py")
    TARGET.write_text(text)
