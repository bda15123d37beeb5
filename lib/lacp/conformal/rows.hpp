#pragma once

#include "lacp/conformal/method.hpp"

/// Methods beyond the paper, for comparison: what the field uses. Each kind has a file in rows/, with its
/// reference and its equation.
namespace lacp {

Method knn_error_method();
Method mondrian_method();
Method cqr_method();
Method cqr_m_method();
Method cqr_r_method();
Method ml_method();
Method uniform_method();
Method rlcp_method();

}  // namespace lacp
