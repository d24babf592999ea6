"""Sources that a stranger can look up, read from docstrings as numpydoc means them."""

import pytest

from subsel.cli.commands.docstrings import author_and_year, reference_list, sources


def two_papers():
    """Does something [1]_.

    Parameters
    ----------
    width : int
        How wide.

    References
    ----------
    .. [1] Somol, Pudil, Novovicova and Paclik, *Adaptive floating search methods in feature selection*, Pattern
       Recognition Letters 20, 1999.
    .. [2] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 4 (Reunanen).

    Examples
    --------
    >>> 1 + 1  # .. [3] Nobody, *Not a reference*, 2020.
    2
    """


class AtTheEnd:
    """Ends with its reference.

    References
    ----------
    .. [1] Gilad-Bachrach, Navot & Tishby, in Guyon et al. (eds.), *Feature Extraction*, 2006, section 29.2.1.
    """


class Without:
    """Mentions Whitney (1971) in passing, and references nothing."""


def test_every_entry_is_read_whole():
    """Entries come in order, on one line each, and the section ends where the next begins."""
    first, second = reference_list(two_papers.__doc__)
    assert first.startswith("Somol, Pudil") and first.endswith(
        "Pattern Recognition Letters 20, 1999."
    )
    assert second.endswith("chapter 4 (Reunanen).")


def test_sources_name_author_and_year():
    """All references are named, in their order; no section gives nothing."""
    assert sources(two_papers.__doc__) == "Somol et al. 1999; Guyon et al. 2006"
    assert sources(AtTheEnd.__doc__) == "Gilad-Bachrach et al. 2006"
    assert sources(Without.__doc__) == sources(None) == sources("") == ""


def test_the_same_source_is_named_once():
    """Two chapters of one book are one source."""
    doc = "A.\n\nReferences\n----------\n" + "".join(
        f".. [{i}] Guyon et al. (eds.), *Feature Extraction*, 2006, chapter {i}.\n" for i in (1, 2)
    )
    assert sources(doc) == "Guyon et al. 2006"
    assert len(reference_list(doc)) == 2


ENTRIES = {
    "Whitney, *A direct method*, IEEE Transactions on Computers 20, 1971.": "Whitney 1971",
    "Marill and Green, *On the effectiveness*, 1963.": "Marill & Green 1963",
    'Kira & Rendell, "A practical approach to feature selection", *ICML*, 1992.': "Kira & Rendell 1992",
    'Greene et al., "Spatially Uniform ReliefF", *BioData Mining*, 2009.': "Greene et al. 2009",
    "Kittler, *Feature set search*, in Chen (ed.), *Pattern Recognition*, 1978.": "Kittler 1978",
    "Guyon, Gunn, Nikravesh, Zadeh (eds.), *Feature Extraction*, Springer 2006, chapter 3.": "Guyon et al. 2006",
    "P. Pudil, J. Novovicova, J. Kittler, *Floating search methods*, 1994.": "Pudil et al. 1994",
    "van der Laan, M. J. and Hubbard, A., *Multiple testing*, 2006.": "van der Laan & Hubbard 2006",
    "Robnik-Šikonja & Kononenko, *Analysis of ReliefF*, Machine Learning 53, 2003.": "Robnik-Šikonja & Kononenko 2003",
    "Guyon, *Design of the 2003 challenge*, 2006.": "Guyon 2006",
    "Nogueira, Sechidis, Brown, On the Stability of Feature Selection, JMLR 18 (2018).": "Nogueira et al. 2018",
    "Holm 1979.": "Holm 1979",
    "Saha and Rajasekaran, *Randomized feature selection*, sections 3.3 and 6.3.": "Saha & Rajasekaran",
}


@pytest.mark.parametrize(("entry", "cited"), ENTRIES.items())
def test_a_reference_is_cited_as_text_does(entry, cited):
    """Surnames and the year of publication, not that of a title; initials, editors and pages are left out."""
    assert author_and_year(entry) == cited
