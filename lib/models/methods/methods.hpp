#pragma once

namespace lacp {

/// Adds the methods of this room to those of the paper: adapt, knn_error, mondrian, cqr, ml, forest. A second
/// call does nothing. Whoever links LocalPredictor has them before `main` begins.
bool register_models();

}  // namespace lacp
