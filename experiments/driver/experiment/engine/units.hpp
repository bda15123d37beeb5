#pragma once

#include "datasets/catalog.hpp"
#include "experiment/store/manifest.hpp"

namespace lacp {

/// The units of these runs of a data set, computed from its data, with the hash of what made them. Throws
/// what loading throws; RunError if the data is not what the manifest has.
Units computed_units(const Manifest& manifest, const Catalog& catalog, const std::string& dataset,
                     const std::vector<std::size_t>& runs);

/// Brings units.csv of a folder up to date, where predictor.cross_fit makes a unit of its own: computes the
/// units that it lacks, or has of other settings or data. Those of data sets that cannot be read stay
/// as they are, which is told.
void update_units(const std::filesystem::path& folder, const Catalog& catalog);

}  // namespace lacp
