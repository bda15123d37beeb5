#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "lacp/base/model_bytes.hpp"
#include "lacp/knn/knn.hpp"
#include "models/stack/stack.hpp"
#include "models/trees/forest.hpp"

namespace lacp {

/// The point prediction f, the centre of the intervals f ± q·s(x): one of the regressions. (A predictor is
/// all of it, centre and intervals.) Threads may predict at the same time.
using Centre = std::variant<KnnRegressor, MlpRegressor, BoostedTrees, Stack>;

std::string_view name_of(CentreKind kind);  ///< "knn"; also of the stream that its random numbers come from
inline CentreKind kind_of(const Centre& centre) { return static_cast<CentreKind>(centre.index()); }

/// Fits the chosen kind on scaled attributes X (d × n) and targets. No held-out part divides a group.
Centre fit_centre(const arma::mat& X, const arma::vec& y, const CentreOptions& options, Stream& stream,
                  const Groups& groups = {}, std::size_t jobs = 1);

/// f(x) for each column of X.
arma::vec predict(const Centre& centre, const arma::mat& X, std::size_t jobs = 1);

/// f of every point by a centre fitted without it: of the `folds` runs, two or more, each by all the others.
arma::vec out_of_fold(const arma::mat& X, const arma::vec& y, std::size_t folds, const CentreOptions& options,
                      Stream& stream, const Groups& groups = {});

/// RunError if a prediction is not finite: a network has no value for a column of X that lies too far out. It
/// names the farthest attribute, by its number from 1 where there are no names.
void require_predictions(const arma::vec& f, const arma::mat& X,
                         std::span<const std::string> attributes = {});

/// A point prediction as a part of a model file, and back. A reader refuses what no fit makes.
void write(ModelWriter& out, const Centre& centre);
Centre read_centre(ModelReader& in, CentreKind kind, std::size_t attributes);
void write(ModelWriter& out, const KnnRegressor& model);
KnnRegressor read_knn(ModelReader& in, std::size_t attributes);

}  // namespace lacp
