#pragma once

#include <armadillo>
#include <optional>
#include <string>

#include "sections.hpp"

namespace lacp::bench {

/// A data set as a model sees it: scaled, in random order.
struct Shuffled {
  arma::mat X;
  arma::vec y;
};

/// Nothing, and a line that says so, where its file has not been fetched.
std::optional<Shuffled> shuffled(Context& context, const std::string& name);

}  // namespace lacp::bench
