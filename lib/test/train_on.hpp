// A training on errors that depend on x.
#pragma once

#include <doctest/doctest.h>

#include "heteroskedastic.hpp"

namespace lacp {

inline TrainingResult train_on(const Sample& sample, const char* method, const TrainingOptions& options,
                               const NetworkOptions& network = {.hidden = {32, 32}}, std::uint64_t seed = 2) {
  TrainingResult result =
      train(find_class(method), {}, network, options, sample.X, sample.log_a, streams(seed));
  REQUIRE_FALSE(result.failure);
  return result;
}

inline const TrainingOptions small_steps{.adam = {.learning_rate = 5e-4}, .epochs = 30, .batch = 64};

}  // namespace lacp
