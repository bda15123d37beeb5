#!/usr/bin/env python3
"""Tests of what others call lacp by: lib/python/test_adapters.py LACP. Exit code 77: there is no NumPy.

ScoringBench itself is not needed: a stand-in has the part of its interface that is used, as of a5b5dd6 (2026).
"""
import os
import sys
import types

try:
    import numpy as np
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)
from conformal_ranks import threshold


class StandIn:
    """ScoringBench's base class: a fit says the range of its targets."""

    _y_train_range = None

    def _set_train_range(self, y):
        self._y_train_range = float(np.min(y)), float(np.max(y))
        return self._y_train_range


class Distribution:
    """What a prediction is made by."""

    @classmethod
    def from_multi_quantile(cls, q, alphas, mean=None, *, train_range):
        self = cls()
        self.q, self.alphas, self.mean, self.train_range = q, alphas, mean, train_range
        return self


def stand_in():
    base = types.ModuleType("scoringbench.univariate.wrappers.base")
    base.DistributionPrediction, base.ProbabilisticWrapper = Distribution, StandIn
    name = ""
    for part in ("scoringbench", "univariate", "wrappers"):
        name = f"{name}.{part}".strip(".")
        sys.modules[name] = types.ModuleType(name)
    sys.modules[base.__name__] = base


def test_a_bound_exists_from_nine_scores_on():
    """For 0.9: at 8 none is valid, at 9 the largest is, where 0.9 · 10 must be 9 and not a little more."""
    for n in (1, 8):
        assert threshold(np.arange(1.0, n + 1), 0.9) == np.inf, n
    for n, rank in ((9, 9), (10, 10), (19, 18), (200, 181)):
        assert threshold(np.arange(1.0, n + 1), 0.9) == rank, n
    assert threshold(np.arange(1.0, 19), 0.95) == np.inf
    assert threshold(np.arange(1.0, 20), 0.95) == 19.0
    assert threshold([0.3, 0.1, 0.2], 0.5) == 0.2


def test_a_model_of_scoringbench():
    from scoringbench_lacp import LacpWrapper
    random = np.random.default_rng(1)
    X = random.uniform(-2, 2, size=(300, 2))
    y = X[:, 0] + random.normal(size=300) * 0.3
    found = LacpWrapper(method="fixed", n_jobs=1).fit(X, y).predict_distribution(X[:50])
    assert found.q.shape == (50, 99) and len(found.alphas) == 99 and found.mean.shape == (50,)
    assert (np.diff(found.q, axis=1) >= 0).all() and np.isfinite(found.q).all()
    assert found.train_range == (y.min(), y.max())
    assert 0.7 < (y[:50] < found.q[:, 89]).mean() <= 1
    few = LacpWrapper(method="fixed", n_jobs=1).fit(X[:30], y[:30]).predict_distribution(X[:5])
    assert np.isfinite(few.q).all(), "what is infinite ends at the range of y"


if __name__ == "__main__":
    os.environ["LACP"] = sys.argv[1]
    stand_in()
    test_a_bound_exists_from_nine_scores_on()
    test_a_model_of_scoringbench()
