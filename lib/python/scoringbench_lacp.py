"""lacp as a model of ScoringBench (arXiv 2603.29928, github.com/jonaslandsgesell/ScoringBench), whose package is needed.

    from scoringbench_lacp import LacpWrapper
    LacpWrapper().fit(X, y).predict_distribution(X_new)  # by 99 calibrated quantiles
"""
import numpy as np
from lacp import LacpRegressor
from scoringbench.univariate.wrappers.base import DistributionPrediction, ProbabilisticWrapper


class LacpWrapper(ProbabilisticWrapper):
    """Quantiles 0.01 to 0.99 of LacpRegressor, which gets the options. Of few rows the outer ones are infinite, which their
    grid cannot hold: those end at the range of y that the fit has seen."""

    def __init__(self, **options):
        self.options, self.shares = options, np.arange(1, 100) / 100

    def fit(self, X, y):
        self._set_train_range(y)
        self.model = LacpRegressor(**self.options).fit(X, y)
        return self

    def predict(self, X):
        return self.model.predict(X)

    def predict_distribution(self, X):
        quantiles = self.model.predict_quantile(X, self.shares)
        ends = np.where(np.isinf(quantiles), np.where(quantiles < 0, *self._y_train_range), quantiles)
        return DistributionPrediction.from_multi_quantile(np.sort(ends, axis=1), self.shares, mean=self.predict(X),
                                                          train_range=self._y_train_range)
