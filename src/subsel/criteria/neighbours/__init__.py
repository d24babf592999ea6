"""Models by distance: nearest neighbours, centroids, margins."""

from subsel.criteria.neighbours.margin import Margin
from subsel.criteria.neighbours.nearest_centroid import NearestCentroid
from subsel.criteria.neighbours.nearest_neighbours import NearestNeighbours
from subsel.criteria.neighbours.prototype_accuracy import PrototypeAccuracy

__all__ = [
    "Margin",
    "NearestCentroid",
    "NearestNeighbours",
    "PrototypeAccuracy",
]
