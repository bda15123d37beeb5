#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/options.hpp"

namespace lacp {

class FittedScore;
class ModelReader;
struct FitInput;
struct FitResult;
struct Method;
struct TransformationClass;

/// How intervals are calibrated, as far as the coverage that they promise depends on it.
struct CalibrationPlan {
  Level level;
  std::size_t points = 0;  ///< calibration points
  QuantileRule rule = QuantileRule::ceiling;
  bool leave_one_out = false;               ///< each point is calibrated by the others
  const std::vector<Level>* all = nullptr;  ///< levels that the method was fitted for; none: this one
  BaselineOptions baselines = {};

  /// Points that calibrate one interval.
  std::size_t n() const { return points - (leave_one_out ? 1 : 0); }
};

/// Coverage of exchangeable points without ties: between these two, which are equal where it is known.
struct Promise {
  double least = 0.0, most = 1.0;

  bool operator==(const Promise&) const = default;
};

/// Of q̂ as one order statistic of all calibration scores: rank / (N + 1).
Promise promise_of_rank(const CalibrationPlan& plan);

/// Trains the transformation of a class (Section 3), and reads it back from a saved model.
FitResult fit_class(const Method& method, const FitInput& input);
std::shared_ptr<const FittedScore> read_class(const Method& method, ModelReader& in, std::size_t inputs);

/// A method: how a score of (x, y) is fitted. What a class of transformations is besides: `transformation`.
struct Method {
  std::string name;
  std::string about;     ///< what it does, in a line of words
  std::string equation;  ///< φ and s, or the score, in plain text
  int version = 0;       ///< raised when the same settings give other numbers of this method alone
  Learning learning = Learning::none;
  bool scale_family = false;  ///< intervals are f ± q·s(x), s > 0
  bool any_level = false;     ///< fitted for some levels, it has all of them (FittedScore::asked)
  bool every_row = false;     ///< rows that it was fitted on have scores of rows that it has not seen
  bool both_parts = false;    ///< needs no centre, so it learns from the first part, too

  /// Fits the score, and reads a fitted one from a saved model of this many attributes.
  FitResult (*fit)(const Method&, const FitInput&) = &fit_class;
  std::shared_ptr<const FittedScore> (*read)(const Method&, ModelReader&, std::size_t inputs) = &read_class;

  /// The coverage that its intervals promise, with one q̂ for both sides.
  Promise (*promise)(const CalibrationPlan&) = &promise_of_rank;

  std::shared_ptr<const TransformationClass> transformation = {};  ///< none: it is no such class
};

/// Whether its fit looks at the errors of the prediction, which must then not have seen its own rows.
bool learns_from_errors(const Method& method);

/// Whether it has quantiles of y at every level.
inline bool has_distribution(const Method& method) { return method.scale_family || method.any_level; }

/// The method of a class of transformations. `about` and `equation` are what `lacp methods` shows.
Method make_method(TransformationClass transformation, std::string name, std::string about = "",
                   std::string equation = "");

/// The seven methods of the paper, in the order of Table 1, then mixture: what the registry begins with.
std::deque<Method> paper_methods();

/// Beyond the paper, but a class of transformations: lacp::models adds it to the registry.
Method adapt_method();

/// Names of all methods: those of the paper, then those added.
std::vector<std::string> method_names();

/// Of those that are a class of transformations, with a φ to train or to state.
std::vector<std::string> class_names();

/// The method of that name, for good. UserError naming the nearest otherwise.
const Method& find_method(std::string_view name);

/// Its class of transformations; std::logic_error if it is none.
const TransformationClass& find_class(std::string_view name);

/// Adds a method, e.g. make_method<MyClass>("mine", Learning::size), before any thread is started.
void register_method(Method method);

}  // namespace lacp
