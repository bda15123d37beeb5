#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/claims.hpp"

// Claims, and an ablation, in words.
namespace lacp {

/// (1) The intervals are marginally valid.
Claim claim_validity(const Results& results);
/// (2) All trained classes are more efficient (smaller) than `fixed`.
Claim claim_efficiency(const Results& results);
/// (3) The choice of the class is not crucial, and for linear, exp and sigma it is an identity.
Claim claim_class(const Results& results);
/// (4) ERC fitted to the residuals is unstable.
Claim claim_error_fit(const Results& results);
/// `mixture` is smaller than the single classes.
Claim claim_mixture(const Results& results);
/// The intervals adapt: coverage and size against the local error.
Claim claim_adaptivity(const Results& results);

/// All claims about one experiment, in this order.
std::vector<Claim> claims_about(const Results& results);

/// (5) ℓ_all against ℓ_α: each of `singles` was trained for one level, `base` for all.
Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles);
/// What more data for the KNN and other inputs change: sizes of `a` relative to those of `b`, data set by
/// data set, by the names that the published table has for them.
Claim claim_protocols(const Results& a, const Results& b);

/// claims.csv.
std::string claims_csv(const std::vector<Claim>& claims);

/// A markdown document for the first level of an ablation: the changes that make a difference, what makes the
/// error fit unstable, and every size.
std::string ablation_document(const Frame& rows);

/// One sentence: what calms the error fit. "" if nothing does.
std::string ablation_summary(const Frame& rows);

/// Writes ablation.csv and README.md into `folder`.
void write_ablation(const Frame& rows, const std::filesystem::path& folder);

}  // namespace lacp
