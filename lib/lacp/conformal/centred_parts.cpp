#include "lacp/conformal/centred_parts.hpp"

namespace lacp {
namespace {

/// So that enough rows are behind it to learn from their errors, and no group is on both sides.
std::size_t start_of_last(std::size_t n, const std::vector<std::size_t>& groups) {
  std::size_t begin = n - many_rows_to_boost / 2;
  while (!groups.empty() && begin > 1 && groups[begin] == groups[begin - 1]) --begin;
  return begin;
}

}  // namespace

CentredParts centre_parts(const arma::mat& X, const arma::vec& y, const Split& split,
                          const CentreProtocol& protocol,
                          const std::function<Stream(std::string_view purpose)>& stream) {
  const arma::uvec first_rows(split.proper);
  const Scaling scaling = Scaling::fit(X.cols(first_rows), y(first_rows));
  const auto part = [&](const std::vector<arma::uword>& of) {
    const arma::uvec rows(of);
    return CentredPart{.X = scaling.attributes(X.cols(rows)), .y = scaling.targets(y(rows))};
  };
  CentredPart first = part(split.proper), second = part(split.train), third = part(split.test);
  const auto fit = [&](std::string_view purpose) {
    Stream drawn = stream(purpose);
    return fit_centre(first.X, first.y, protocol.centre, drawn);
  };
  const bool folds = protocol.cross_fit != 0 && !protocol.redraw,
             once =
                 folds && protocol.centre.kind == CentreKind::boosted && protocol.centre.boosted.choose_once;
  std::optional<Centre> of_second;
  if (protocol.redraw) of_second = fit("knn-train");
  std::optional<CrossBoosted> boosted;
  if (once && protocol.errors && second.y.n_elem > many_rows_to_boost) {
    const std::size_t begin = start_of_last(second.y.n_elem, protocol.groups);
    boosted = boost_before(second.X, second.y, begin, protocol.centre.boosted);
    second.X.shed_cols(0, begin - 1);
    second.y.shed_rows(0, begin - 1);
  } else if (once && (protocol.errors || second.y.n_elem <= few_rows_to_boost))
    boosted =
        boost_folds(second.X, second.y, fold_starts(second.y.n_elem, protocol.cross_fit, protocol.groups),
                    protocol.centre.boosted, protocol.jobs);
  Centre centre = boosted ? Centre(std::move(boosted->trees))
                          : fit(protocol.redraw ? "knn-test" : name_of(protocol.centre.kind));
  Stream drawn = stream("folds");
  if (boosted)
    second.f = std::move(boosted->out);
  else if (folds && protocol.errors)
    second.f = out_of_fold(second.X, second.y, protocol.cross_fit, protocol.centre, drawn, protocol.groups);
  else
    second.f = predict(of_second ? *of_second : centre, second.X);
  require_finite(second.f, second.X, protocol.attributes);
  third.f = predict(centre, third.X);
  return {.scaling = scaling,
          .first = std::move(first),
          .second = std::move(second),
          .third = std::move(third),
          .centre = std::move(centre),
          .of_second = std::move(of_second)};
}

}  // namespace lacp
