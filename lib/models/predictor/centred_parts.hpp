#pragma once

#include <armadillo>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/data/scaling.hpp"
#include "lacp/data/split.hpp"
#include "models/stack/centre.hpp"

namespace lacp {

/// Scaled points, and what the centre predicts for them.
struct CentredPart {
  arma::mat X;
  arma::vec y, f = {};
};

/// The parts of a split as all methods see them: scaled by the first, which fits the centre and has no f.
struct CentredParts {
  Scaling scaling;
  CentredPart first, second, third;
  Centre centre;
  std::optional<Centre> of_second = {};   ///< that of the second part, if it has one of its own
  Groups groups_first = {}, groups = {};  ///< of the rows of the first two parts
};

struct CentreProtocol {
  const CentreOptions& centre;
  std::size_t cross_fit = 0;  ///< if not 0: f of the second part is out of this many folds
  bool every_row = false;     ///< the third part are rows of the second, and a stack is fitted in two repeats
  bool redraw = false;        ///< the released code: each part has a centre of its own, drawn anew
  std::span<const std::string> attributes = {};  ///< their names, for messages
  Groups groups_first = {}, groups = {};         ///< of the rows of the first two parts
  bool errors = true;  ///< those of the second part are looked at; if not, they may be as small as they like
  std::size_t jobs = 1;  ///< threads, for a stack
};

/// From rows X (d × n) and targets, with streams by purpose. RunError if an f of the second is not finite.
CentredParts centre_parts(const arma::mat& X, const arma::vec& y, const Split& split,
                          const CentreProtocol& protocol,
                          const std::function<Stream(std::string_view purpose)>& stream);

/// Of a fit with these settings: the shares of its parts, and random numbers of a method, or, with "", those
/// that all methods share. Its split is declared in predictor.hpp.
struct PredictorSettings;
SplitOptions shares(const PredictorSettings& settings);
Stream stream_of(const PredictorSettings& settings, std::string_view method, std::string_view purpose);

/// The score of settings.method, with its sides, by the second part, and by the first without cross_fit.
/// TrainingError if the training diverges.
struct EpochReport;
struct FitResult;
FitResult fit_score(const CentredParts& parts, const PredictorSettings& settings,
                    const std::function<void(const EpochReport&)>& on_epoch = {});

/// What a split deals out: the rows of each group, or each row, without those left out, which are sorted.
using RowUnits = std::vector<std::vector<arma::uword>>;
RowUnits units_of(std::size_t n, const std::vector<arma::uword>& left_out,
                  const std::vector<std::size_t>& groups);

/// The row of a unit that calibrates.
arma::uword one_of(const std::vector<arma::uword>& unit, Stream& drawn);

/// UserError unless there is one for each of n rows, or none.
void require_groups(const std::vector<std::size_t>& groups, std::size_t n);

}  // namespace lacp
