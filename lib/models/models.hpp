#pragma once

/// The front door: fitting, predicting, saving, with matrices. See lib/models/README.md for an example; the parts of
/// the method have headers of their own. Raw tables: table/table_model.hpp, of lacp::table.
#include "lacp/base/error.hpp"             // UserError, RunError
#include "lacp/base/files.hpp"             // read_file
#include "models/predictor/predictor.hpp"  // LocalPredictor, Intervals, Level
