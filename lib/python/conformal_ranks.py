"""The threshold of lacp for given scores, as the audit of conformal ranks asks for it (doi 10.5281/zenodo.21799203).

    from conformal_ranks import threshold
    threshold(range(1, 10), 0.9)  # 9.0
    threshold(range(1, 9), 0.9)   # inf: of 8 scores none is a bound for 9 new ones in 10

Nothing is computed here: a model with one width for all rows is calibrated by rows whose errors are the scores
(`lacp update --instead`), and where its interval ends is asked of `lacp predict`. Scores are different numbers from 0 on.
"""
import warnings

import numpy as np
from lacp import LacpRegressor


def threshold(scores, level):
    """Which score bounds a share `level` of new ones, or infinity."""
    scores, new = np.sort(np.ravel(scores).astype(float)), np.zeros((1, 2))
    known = np.arange(100.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few rows, and of a prediction that explains nothing
        model = LacpRegressor(method="fixed", prediction="x0", coverage=level, calibration_folds=0)
        model.fit(np.column_stack([0 * known, known]), known / 7)  # no whole numbers, to which ends would be rounded
        centre = model.predict_interval(new, coverage=0.5).mean()
        model.update(np.zeros((len(scores), 2)), centre + scores, instead=True, known="keep", sides="both")
        upper = model.predict_interval(new)[0, 1, 0]
    return float(np.inf if np.isinf(upper) else scores[np.argmin(np.abs(centre + scores - upper))])
