"""The colours of all pages, light and dark: text can be read on what it stands on, and marks can be seen."""

import re
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import pairwise
from typing import Final

import pytest

TEXT, MARK = 4.5, 3.0  # the least contrast by WCAG 2, level AA
FILES: Final = {
    "site": resources.files("tournaments.report") / "templates" / "report.css",
    "viewer": resources.files("referee.viewer") / "web" / "replay.css",
}
SHADE: Final = r"background: rgb\(var\(--heat\) / ([.0-9]+)\)"
Colour = tuple[float, float, float]


def palettes(css: str) -> Iterator[dict[str, str]]:
    """Yield the variables of the light page and those of the dark one."""
    roots = re.findall(r":root \{.*?\}", css, re.DOTALL)[:2]
    light, dark = (dict(re.findall(r"--([a-z0-9]+): ([^;]+);", each)) for each in roots)
    yield light
    yield light | dark


def colour(text: str) -> Colour:
    """Return a colour as shares of red, green and blue."""
    if not text.startswith("#"):  # three numbers
        red, green, blue = (int(each) / 255 for each in text.split())
        return red, green, blue
    digits = text[1:7] if len(text) > 4 else "".join(2 * each for each in text[1:])
    red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    return red, green, blue


def laid(over: Colour, under: Colour, share: float) -> Colour:
    """Return what a colour that covers a share of another looks like."""
    red, green, blue = (share * each + (1 - share) * below for each, below in zip(over, under, strict=True))
    return red, green, blue


def luminance(given: Colour) -> float:
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in given
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def pairs(name: str, palette: Mapping[str, str], css: str) -> Iterator[tuple[str, float, float]]:
    """Yield what stands on what, with its contrast and the least that it needs."""
    known = {key: colour(value) for key, value in palette.items() if re.match("#|[0-9]+ [0-9]", value)}
    places = {key: known[key] for key in ("page", "faint", "felt", "face") if key in known}
    written = {
        "page": ["text", "soft", "warn", "mark", "c0"],
        "faint": ["text", "soft", "c0"],
        "felt": ["text", "soft"],
        "face": ["black", "red", "blue", "green"],
    }
    for place, ground in places.items():
        for key in written[place]:
            if key in known:
                yield f"{key} on {place}", contrast(known[key], ground), TEXT
        if place != "face":
            yield f"edge on {place}", contrast(known["edge"], ground), MARK
    if name == "viewer":
        plate = laid(known["page"], known["felt"], int(palette["plate"][7:], 16) / 255)
        for key in ("text", "soft", "mark"):
            yield f"{key} on a plate", contrast(known[key], plate), TEXT
        return
    for number in range(6):  # lines and dots of the plots
        yield f"c{number} on page", contrast(known[f"c{number}"], known["page"]), MARK
    shades = re.findall(SHADE, css)
    assert len(shades) == 5
    for share in map(float, shades):
        yield (
            f"text on heat {share}",
            contrast(known["text"], laid(known["heat"], known["page"], share)),
            TEXT,
        )


@pytest.mark.parametrize("name", FILES)
def test_what_is_read_stands_out_from_what_it_is_on(name: str) -> None:
    css = FILES[name].read_text()
    weak = [
        (scheme, what, round(found, 2))
        for scheme, palette in zip(("light", "dark"), palettes(css), strict=True)
        for what, found, least in pairs(name, palette, css)
        if found < least
    ]
    assert weak == []


def test_it_measures_as_the_standard_does() -> None:
    assert round(contrast(colour("#fff"), colour("#000")), 2) == 21
    assert round(contrast(colour("#777"), colour("#ffffff")), 2) == 4.48


def test_the_shades_of_the_crosstable_differ_in_lightness_too() -> None:
    css = FILES["site"].read_text()
    shares = [float(each) for each in re.findall(SHADE, css)]
    for palette in palettes(css):
        heat, page = colour(palette["heat"]), colour(palette["page"])
        steps = [contrast(page, laid(heat, page, share)) for share in (0.0, *shares)]
        assert all(more / less > 1.05 for less, more in pairwise(steps)), steps
