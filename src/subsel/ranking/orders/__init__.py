"""Orders that add one column after the other, each in view of those before it."""

from subsel.ranking.orders.associations import associations
from subsel.ranking.orders.cfs import cfs, cfs_pearson
from subsel.ranking.orders.cmi_buckets import cmi_buckets, information_clusters, information_union
from subsel.ranking.orders.cmim import cmim
from subsel.ranking.orders.fcbf import fcbf
from subsel.ranking.orders.gram_schmidt import gram_schmidt
from subsel.ranking.orders.gram_schmidt_relief import gram_schmidt_relief
from subsel.ranking.orders.jmi import disr, jmi
from subsel.ranking.orders.markov_blanket import iamb, koller_sahami
from subsel.ranking.orders.mrmr import mrmr, mrmr_regression
from subsel.ranking.orders.redundancy import mifs, mifs_max, mrmr_difference, mrmr_quotient
from subsel.ranking.orders.sequential_filter import sequential_filter

__all__ = [
    "associations",
    "cfs",
    "cfs_pearson",
    "cmi_buckets",
    "cmim",
    "disr",
    "fcbf",
    "gram_schmidt",
    "gram_schmidt_relief",
    "iamb",
    "information_clusters",
    "information_union",
    "jmi",
    "koller_sahami",
    "mifs",
    "mifs_max",
    "mrmr",
    "mrmr_difference",
    "mrmr_quotient",
    "mrmr_regression",
    "sequential_filter",
]
