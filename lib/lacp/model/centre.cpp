#include "lacp/model/centre.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::string_view name_of(CentreKind kind) {
  constexpr std::string_view names[] = {"knn", "mlp", "boosted"};
  return names[static_cast<std::size_t>(kind)];
}

Centre fit_centre(const arma::mat& X, const arma::vec& y, const CentreOptions& options, Stream& stream) {
  if (options.kind == CentreKind::mlp) return MlpRegressor::fit(X, y, options.mlp, stream);
  if (options.kind == CentreKind::boosted) return BoostedTrees::fit(X, y, options.boosted, stream);
  return KnnRegressor::fit(X, y, options.knn, stream);
}

arma::vec predict(const Centre& centre, const arma::mat& X) {
  return std::visit([&](const auto& model) { return model.predict(X); }, centre);
}

arma::vec out_of_fold(const arma::mat& X, const arma::vec& y, std::size_t folds, const CentreOptions& options,
                      Stream& stream, const std::vector<std::size_t>& groups) {
  const std::size_t n = y.n_elem;
  require_points(n, options, folds);
  std::vector<std::size_t> starts;  // of the groups
  for (std::size_t i = 0; i < n; ++i)
    if (groups.empty() || i == 0 || groups[i] != groups[i - 1]) starts.push_back(i);
  if (starts.size() < folds)
    user_error("{} cannot be divided into {} folds; lower predictor.cross_fit",
               counted(starts.size(), "group"), folds);
  starts.push_back(n);
  const arma::uvec all = arma::regspace<arma::uvec>(0, n - 1);
  arma::vec f(n);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::size_t begin = starts[(starts.size() - 1) * fold / folds],
                      end = starts[(starts.size() - 1) * (fold + 1) / folds];
    const arma::uvec others = arma::join_cols(all.head(begin), all.tail(n - end));
    const Centre centre = fit_centre(X.cols(others), y(others), options, stream);
    f.subvec(begin, end - 1) = predict(centre, X.cols(begin, end - 1));
  }
  return f;
}

void require_finite(const arma::vec& f, const arma::mat& X, std::span<const std::string> attributes) {
  for (arma::uword n = 0; n < f.n_elem; ++n) {
    if (std::isfinite(f(n))) continue;
    const arma::uword worst = arma::abs(X.col(n)).index_max();
    run_error(
        "the prediction is no finite number for a row that lies far out: {} is {:.3g} standard deviations from its mean; correct the row, leave it out, or choose another predictor.kind",
        attributes.empty() ? fmt::format("attribute {}", worst + 1) : show_text(attributes[worst]),
        X(worst, n));
  }
}

void require_points(std::size_t points, const CentreOptions& options, std::size_t folds) {
  if (folds != 0) {
    if (points < folds)
      user_error("{} cannot be divided into {} folds; lower predictor.cross_fit", counted(points, "point"),
                 folds);
    points -= (points + folds - 1) / folds;
  }
  const KnnOptions& knn = options.knn;
  if (options.kind == CentreKind::knn)
    usable_grid(knn.points == 0 ? points : std::min(knn.points, points), knn);
  if (options.kind == CentreKind::mlp) held_out_points(points, options.mlp);
}

}  // namespace lacp
