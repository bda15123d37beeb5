#pragma once

/// The front door: reading a csv, fitting, predicting, saving. See lib/README.md for an example; the parts of
/// the method have headers of their own.
#include "lacp/base/error.hpp"             // UserError, RunError
#include "lacp/base/files.hpp"             // read_file
#include "lacp/conformal/predictor.hpp"    // LocalPredictor, Intervals, Level
#include "lacp/conformal/table_model.hpp"  // TableModel, for raw tables
#include "lacp/data/csv.hpp"               // read_csv
