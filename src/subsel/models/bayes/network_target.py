"""The posterior of a network with two hidden layers, as a target for Hamiltonian Monte Carlo."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from subsel.models.bayes.scale_priors import CommonScale, HeavyTailedScales, stretched

__all__ = ["Layers", "NetworkTarget", "layers", "network_output"]

BROAD = 10.0  # standard deviation of the bias of the output
ARD_SHAPE = 1.0  # tails of the prior of an input's width: a weight has Student's t with 2 degrees of freedom
RESCALED = 100  # inputs of a sweep whose widths may jump


class Layers(NamedTuple):
    """Weights and biases of the two hidden layers and of the output."""

    U: np.ndarray
    a: np.ndarray
    V: np.ndarray
    b: np.ndarray
    w: np.ndarray
    c: np.ndarray


def layers(position: np.ndarray, n: int, G: int, H: int) -> Layers:
    """View a vector as the weights of n inputs, G and H hidden units.

    >>> [part.shape for part in layers(np.zeros(25), n=3, G=2, H=4)]
    [(3, 2), (2,), (2, 4), (4,), (4,), (1,)]
    """
    ends = np.cumsum([n * G, G, G * H, H, H])
    U, a, V, b, w, c = np.split(position, ends)
    return Layers(U.reshape(n, G), a, V.reshape(G, H), b, w, c)


def network_output(X: np.ndarray, net: Layers) -> np.ndarray:
    """Give the log odds of each row.

    >>> network_output(np.ones((1, 3)), layers(np.ones(25), n=3, G=2, H=4)).round(2)
    array([4.98])
    """
    return np.tanh(np.tanh(X @ net.U + net.a) @ net.V + net.b) @ net.w + net.c


class NetworkTarget:
    """All weights are the position; the widths, one per input and one per kind of weight, the hyperparameters.

    The widths are held for ``n_held`` sweeps, for with weights still near their start they would collapse.

    >>> target = NetworkTarget(np.ones((2, 1)), np.array([0.0, 1.0]), np.ones(2), (2, 1), width=1.0, n_held=0)
    >>> round(target.density(np.zeros(target.size), np.empty(target.size)), 4)
    -1.3863
    """

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray,
        hidden: tuple[int, int],
        width: float,
        n_held: int,
    ) -> None:
        m, n = X.shape
        self.X, self.y, self.weights, self.hidden, self.n_held = (
            np.ascontiguousarray(X),
            y,
            weights,
            hidden,
            n_held,
        )
        G, H = hidden
        self.size = n * G + G + G * H + H + H + 1
        self.inputs = HeavyTailedScales(n, ARD_SHAPE, width)
        self.others = [CommonScale(s) for s in (1.0, G**-0.5, 1.0, H**-0.5)]  # a, V, b, w
        self._precision, self._steps = np.empty(self.size), np.empty(self.size)
        self._squares = weights @ self.X**2 / 4
        self._G, self._H, self._DG, self._DH = (np.empty((m, k)) for k in (G, H, G, H))
        self._spread()

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Begin with a small random network."""
        return rng.standard_normal(self.size) * np.minimum(
            self._precision**-0.5, 1 / np.sqrt(self.X.shape[1])
        )

    def refresh(self, position: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the widths."""
        if self.n_held > 0:
            self.n_held -= 1
            return
        net = self._layers(position)
        self.inputs.refresh(net.U, rng)
        for scale, part in zip(self.others, net[1:5]):
            scale.refresh(part, rng)
        self._rescale(net, rng)
        self._stretch(net, rng)
        self._spread()

    def scales(self) -> np.ndarray:
        """Step by the width that the prior and a rough bound on the curvature of the likelihood allow."""
        return self._steps

    def density(self, position: np.ndarray, gradient: np.ndarray) -> float:
        """Give the log posterior; back-propagate its gradient."""
        net, slope = self._layers(position), self._layers(gradient)
        G, H, DG, DH = self._G, self._H, self._DG, self._DH
        np.tanh(np.add(np.matmul(self.X, net.U, out=G), net.a, out=G), out=G)
        np.tanh(np.add(np.matmul(G, net.V, out=H), net.b, out=H), out=H)
        f = H @ net.w + net.c
        residual = self.weights * (self.y - expit(f))
        np.matmul(residual, H, out=slope.w)
        slope.c[0] = residual.sum()
        value = float(self.weights @ (self.y * f - np.logaddexp(0, f)))
        np.subtract(1, np.multiply(H, H, out=H), out=H)
        np.multiply(np.multiply(residual[:, None], net.w, out=DH), H, out=DH)
        np.matmul(G.T, DH, out=slope.V)
        DH.sum(axis=0, out=slope.b)
        np.matmul(DH, net.V.T, out=DG)
        DG *= np.subtract(1, np.multiply(G, G, out=G), out=G)
        np.matmul(self.X.T, DG, out=slope.U)
        DG.sum(axis=0, out=slope.a)
        pull = self._precision * position
        gradient -= pull
        return value - 0.5 * float(pull @ position)

    def draw(self, position: np.ndarray) -> np.ndarray:
        """Keep the weights and the width of each input."""
        return np.concatenate([position, self.inputs.precisions**-0.5])

    def _rescale(self, net: Layers, rng: np.random.Generator) -> None:
        """Propose the widths of some inputs from their prior, weights keeping their ratios to them; the likelihood decides.

        Given the weights, a width moves a little at a time; this lets the width of an input that does not matter jump.
        """
        first = self.X @ net.U + net.a
        value = self._likelihood(first, net)
        proposed = self.inputs.propose(rng)
        for j in rng.permutation(len(proposed))[:RESCALED]:
            precision = proposed[j]
            factor = np.sqrt(self.inputs.precisions[j] / precision)
            trial = first + np.outer(self.X[:, j], (factor - 1) * net.U[j])
            other = self._likelihood(trial, net)
            if np.log(rng.random()) < other - value:
                first, value, self.inputs.precisions[j] = trial, other, precision
                net.U[j] *= factor

    def _stretch(self, net: Layers, rng: np.random.Generator) -> None:
        """Draw the common width of each layer once more, with all that is below it."""
        _, v, _, w = self.others
        first = self.X @ net.U
        factor = stretched(
            self.inputs, net.U, lambda f: self._likelihood(f * first + net.a, net), rng
        )
        hidden = np.tanh(factor * first + net.a)
        second = hidden @ net.V
        factor = stretched(
            v, net.V, lambda f: self._top(np.tanh(f * second + net.b) @ net.w + net.c), rng
        )
        third = np.tanh(factor * second + net.b) @ net.w
        stretched(w, net.w, lambda f: self._top(f * third + net.c), rng)

    def _likelihood(self, first: np.ndarray, net: Layers) -> float:
        """Give the log likelihood from the activations of the first layer."""
        return self._top(np.tanh(np.tanh(first) @ net.V + net.b) @ net.w + net.c)

    def _top(self, f: np.ndarray) -> float:
        """Give the log likelihood from the log odds."""
        return float(self.weights @ (self.y * f - np.logaddexp(0, f)))

    def _layers(self, position: np.ndarray) -> Layers:
        return layers(position, self.X.shape[1], *self.hidden)

    def _spread(self) -> None:
        """Write the precision of each weight and its step.

        The curvature of the likelihood is at most a quarter of the squared slope of the output by the weight, which is
        estimated from the widths of the layers above.
        """
        precision, curvature = self._layers(self._precision), self._layers(self._steps)
        precision.U[:] = self.inputs.precisions[:, None]
        for part, scale in zip(precision[1:5], self.others):
            part[...] = scale.precision
        precision.c[:] = BROAD**-2
        _, v, _, w = (1 / scale.precision for scale in self.others)
        quarter = self.weights.sum() / 4
        first, second = self.hidden[1] * w * v, w
        curvature.U[:] = (self._squares * first)[:, None]
        curvature.a[:], curvature.V[:], curvature.b[:] = (
            quarter * first,
            quarter * second,
            quarter * second,
        )
        curvature.w[:], curvature.c[:] = quarter, quarter
        self._steps[:] = 1 / np.sqrt(self._precision + self._steps)
