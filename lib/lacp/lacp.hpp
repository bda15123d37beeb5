#pragma once

/// The paper's library, whole: rows are split and scaled, f is fitted on the first part, φ on the second, and
/// the third calibrates. lib/README.md has an example. LocalPredictor, which does all of it, and methods
/// beyond the paper: models/models.hpp, of lacp::models.
#include "lacp/base/error.hpp"              // UserError, RunError
#include "lacp/classes/make_method.hpp"     // a class of transformations of one's own
#include "lacp/conformal/intervals.hpp"     // Bounds, quantile, Level
#include "lacp/conformal/registry.hpp"      // find_method, register_method
#include "lacp/data/scaling.hpp"            // Scaling
#include "lacp/data/split.hpp"              // split_rows
#include "lacp/knn/knn.hpp"                 // KnnRegressor
#include "lacp/training/fit_localizer.hpp"  // FitInput, FitResult
