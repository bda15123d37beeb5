#include "lacp/conformal/centred_parts.hpp"

namespace lacp {

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
  std::optional<Centre> of_second;
  if (protocol.redraw) of_second = fit("knn-train");
  Centre centre = fit(protocol.redraw ? "knn-test" : name_of(protocol.centre.kind));
  Stream folds = stream("folds");
  second.f =
      protocol.cross_fit != 0 && !protocol.redraw
          ? out_of_fold(second.X, second.y, protocol.cross_fit, protocol.centre, folds, protocol.groups)
          : predict(of_second ? *of_second : centre, second.X);
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
