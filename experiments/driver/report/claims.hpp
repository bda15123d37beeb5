#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/claims.hpp"

// Claims, and an ablation, in words.
namespace lacp {

// The claims that analysis/claims.hpp judges.
Claim claim_validity(const Results& results);
Claim claim_efficiency(const Results& results);
Claim claim_class(const Results& results);
Claim claim_error_fit(const Results& results);
Claim claim_mixture(const Results& results);
Claim claim_adaptivity(const Results& results);
Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles);
Claim claim_protocols(const Results& a, const Results& b);

/// All claims about one experiment, in this order.
std::vector<Claim> claims_about(const Results& results);

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
