#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacp/base/level.hpp"

/// All settings of the library, and the range of each number. A struct `ReleasedCode` holds what exists to do
/// as the paper's released code does, where that differs from the text; its defaults are the text.
/// lib/released_code.md explains each.
namespace lacp {

/// Values that a number may take.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;       ///< the bounds themselves are not allowed
  bool with_high = false;  ///< of an open range the upper one is

  bool holds(double value) const;  ///< never nan or an infinity
  std::string text() const;        ///< "a number above 0"
};
inline constexpr Range share{.low = 0.0, .high = 1.0, .open = true};
inline constexpr Range share_or_all{.low = 0.0, .high = 1.0, .open = true, .with_high = true};
inline constexpr Range positive{.low = 0.0, .open = true};
inline constexpr Range not_negative{.low = 0.0};
inline constexpr Range from_one{.low = 1.0};
inline constexpr const char* found_none = "found none; expected at least one";

/// A setting that cannot work.
struct SettingProblem {
  std::string key;      ///< the field as C++ has it, dotted where it lies deeper: "adam.learning_rate"
  std::string message;  ///< "found 0; expected a number from 1"
};

/// Looks at one setting after the other, keeps the first problem, and knows the range of each number. Each
/// struct of options has a `check_of`, the one place that states its ranges. Whoever takes such options asks:
/// the functions of this library, which throw, and a reader of yaml, which adds file and line.
class SettingCheck {
 public:
  template <class T>
  SettingCheck& number(std::string_view key, const T& field, const Range& range) {
    ranges_.emplace_back(&field, range);
    return within(key, static_cast<double>(field), range);
  }
  SettingCheck& numbers(std::string_view key, const std::vector<std::size_t>& field, const Range& range);
  SettingCheck& that(std::string_view key, bool holds, std::string_view message);
  SettingCheck& part(std::string_view key, const SettingCheck& inside);  ///< of a struct inside
  const std::optional<SettingProblem>& problem() const { return problem_; }

  /// Of a number, or of each number of a list, that was looked at, by its address.
  const Range& range_of(const void* field) const;

 private:
  SettingCheck& within(std::string_view key, double value, const Range& range);

  std::optional<SettingProblem> problem_;
  std::vector<std::pair<const void*, Range>> ranges_;
};

/// UserError "<whose>: <key>: <message>" if there is a problem.
void refuse(std::string_view whose, const SettingCheck& check);

/// How K is chosen.
enum class KnnSelection {
  cross_validation,  ///< k-fold cross-validation over the whole sample
  hold_out,          ///< the released code: the last fifth of the sample, once
};

struct KnnOptions {
  std::vector<std::size_t> grid = {2, 4, 8, 16, 32};  ///< values of K to try, increasing
  KnnSelection selection = KnnSelection::cross_validation;
  std::size_t folds = 5;   ///< of the cross-validation
  std::size_t points = 0;  ///< at most this many points, drawn at random, make the model; 0: all
};
SettingCheck check_of(const KnnOptions& knn);

/// Gradient-boosted trees with squared loss; defaults of scikit-learn's HistGradientBoostingRegressor.
struct BoostedOptions {
  std::size_t rounds = 100;       ///< trees, at most
  double learning_rate = 0.1;     ///< share of a leaf's mean residual that is taken over
  std::size_t leaves = 31;        ///< of a tree, at most
  std::size_t least_rows = 20;    ///< in a leaf
  std::size_t bins = 255;         ///< different values of an attribute, at most
  double validation_share = 0.2;  ///< of the rows decide on the number of rounds; 0: all rounds are made
  std::size_t patience = 30;      ///< stop after this many rounds without gain on these rows
  double columns = 1.0;           ///< share of the attributes that may split a tree, drawn for each
};
SettingCheck check_of(const BoostedOptions& boosted);

/// Kingma and Ba (2015), with PyTorch's defaults and PyTorch's placement of epsilon.
struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;    ///< decay of the mean of the gradient
  double beta2 = 0.999;  ///< decay of the mean of its square
  double epsilon = 1e-8;
};
SettingCheck check_of(const AdamOptions& adam);

/// A network as a regression of its own, with squared loss.
struct MlpRegressorOptions {
  std::vector<std::size_t> hidden = {100, 100, 100, 100, 100};
  AdamOptions adam = {};
  std::size_t epochs = 100;  ///< at most
  std::size_t batch = 64;
  double validation_share = 0.2;  ///< of the points choose the number of epochs
  std::size_t patience = 10;      ///< stop after this many epochs without gain on these points
};
SettingCheck check_of(const MlpRegressorOptions& mlp);

/// Which regression makes the point prediction f, the centre of the intervals.
enum class CentreKind { knn, mlp, boosted, stack };

struct CentreOptions {
  CentreKind kind = CentreKind::knn;
  KnnOptions knn = {};
  MlpRegressorOptions mlp = {};
  BoostedOptions boosted = {};
};
SettingCheck check_of(const CentreOptions& centre);

/// Section 3: "split into three parts, one to define the KNN point-prediction algorithm, one for training
/// Φ_θ, and one for testing". Shares of the rows; they sum to 1.
struct SplitOptions {
  double proper = 0.4;  ///< the proper training set: what the prediction f is fitted on
  double train = 0.4, test = 0.2;
};
SettingCheck check_of(const SplitOptions& split);

/// How a table is written. Records end with LF or CRLF; in a cell in double quotes, a quote is doubled.
struct CsvFormat {
  char delimiter = ',';            ///< one character; ' ' stands for any run of blanks
  bool header = true;              ///< the first record holds the names of the columns
  std::vector<std::string> names;  ///< to use instead, one per column; empty: the header's, or c1, c2, ...
};

/// Which scores calibrate a side of the intervals f ± q·s(x), and those of `forest`, where ends stand for f.
enum class Sides {
  both,  ///< |y − f| / s for both sides, at α
  each,  ///< (f − y) / s below and (y − f) / s above, either at α/2: for skewed errors
};

/// How a method learns its transformation.
enum class Learning {
  none,        ///< it has no network
  size,        ///< by the objective of the settings
  error_fit,   ///< by fitting the errors
  adaptation,  ///< by ℓ_1, and epochs by the Winkler score, whatever is set
  own,         ///< by a loss of its own
};

/// Numbers that the transformations depend on.
struct TransformationOptions {
  double gamma = 1e-8;  ///< γ of Φ_erc (Section 3); the paper only says γ > 0, the released code uses 1e-8
  struct ReleasedCode {
    bool minus_g = false;      ///< log A − g in Φ_linear and Φ_sigma, and e^{+g} in their inverses
    double log_offset = 0.0;   ///< log(A + 1e-8) in Φ_linear and Φ_sigma
    double logit_clamp = 0.0;  ///< Φ_sigma is inverted with B clamped to [c, 1 − c], c = 0.001
  } released = {};
};
SettingCheck check_of(const TransformationOptions& transformation);

/// The localisation network g.
struct NetworkOptions {
  std::vector<std::size_t> hidden = {100, 100, 100, 100, 100};
  struct ReleasedCode {
    bool linear_first = false;      ///< see MlpShape
    bool divide_by_origin = false;  ///< g(x)/g(0) in place of g(x)
  } released = {};
};
SettingCheck check_of(const NetworkOptions& network);

/// Which function of the mean size ℓ is minimised.
enum class Loss {
  plain,      ///< ℓ itself, Section 2.7
  logarithm,  ///< log ℓ: the same minimiser, with a gradient that stays bounded where ℓ overflows
};

enum class Objective {
  all_levels,  ///< ℓ_all, Section 2.7
  one_level,   ///< ℓ_α of one level, Section 2.7
};

/// What the size objective averages.
struct ObjectiveOptions {
  Objective kind = Objective::all_levels;
  Level level = Level::parse("0.1");  ///< of one_level
  Loss loss = Loss::logarithm;        ///< of the size objectives, all levels or one; an error fit has its own
  struct ReleasedCode {
    bool square_root = true;         ///< false: φ⁻¹ instead of its square root
    bool count_diagonal = false;     ///< pairs n = m are zero but counted, mean over B² pairs
    bool squared_error_fit = false;  ///< (g² − A)² instead of (g − A)²
  } released = {};
};

/// What makes one epoch better than another: less of this, by leave-one-out on the validation rows.
enum class Criterion {
  size,     ///< mean interval size at one level
  winkler,  ///< Winkler score in units of that of `fixed`, mean over several levels
};

/// How the number of epochs is chosen before the final training on all rows.
struct SelectionOptions {
  double validation_share = 0.2;  ///< of the rows of the training part
  Criterion criterion = Criterion::size;
  Level level = Level::parse("0.05");  ///< of the criterion size
  /// Of winkler; those too small for the rows are left out.
  std::vector<Level> levels = {Level(0.05), Level(0.1), Level(0.32)};
  Sides sides = Sides::both;  ///< of the intervals that winkler scores: those that will be given out
  std::size_t patience = 10;  ///< stop after this many epochs without gain
  double least_gain = 0.0;    ///< relative gain that counts: score < (1 − least_gain) · best so far
  struct ReleasedCode {
    std::size_t fit_rows = 0;         ///< if not 0: at most this many rows are fitted on, all others validate
    std::size_t validation_rows = 0;  ///< if not 0: at most this many validation rows are scored (96)
    bool count_from_zero = false;     ///< retrains argmin epochs counted from zero: one too few
    int decimals = -1;                ///< of scores before they are compared (3); −1: not rounded
  } released = {};
};

/// Whether intervals with a quantile for either side are scored.
inline bool two_sided(const SelectionOptions& selection) {
  return selection.criterion == Criterion::winkler && selection.sides == Sides::each;
}

struct TrainingOptions {
  AdamOptions adam = {};
  std::size_t epochs = 50;  ///< at most
  std::size_t batch = 16;   ///< Section 3
  ObjectiveOptions objective = {};
  SelectionOptions selection = {};
  QuantileRule quantile = QuantileRule::ceiling;
  struct ReleasedCode {
    bool shuffle = true;              ///< a new order in every epoch; false: one order is kept
    bool drop_partial_batch = false;  ///< the last rows of an epoch, where they do not fill a batch
  } released = {};
};
SettingCheck check_of(const TrainingOptions& training);

/// Numbers that the methods beyond the paper depend on (baselines.hpp).
struct BaselineOptions {
  struct KnnError {
    std::size_t neighbours = 25;  ///< σ̂ is the mean error of this many points, or of all if they are fewer
    double beta = 0.01;           ///< β, added to σ̂, in units of mean |y|
  } knn_error = {};
  struct Mondrian {
    std::size_t bins = 10;  ///< at most
  } mondrian = {};
};
SettingCheck check_of(const BaselineOptions& baselines);

/// The options as a method that learns so takes them: Learning::adaptation has its own criterion.
TrainingOptions training_for(Learning learning, TrainingOptions training);

}  // namespace lacp
