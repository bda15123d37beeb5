#pragma once

#include "engine/table_stream.hpp"

namespace lacp {

/// Of `lacp predict`.
struct PredictOptions : StreamOptions {
  std::filesystem::path output, figure;
  std::string names, figure_over;
  bool doubles = false;
  std::vector<std::string> coverage, quantiles, upper, lower;
  std::uint64_t samples = 0, seed = 1;
};

/// A number of a row by one of the models that predict it: an end of an interval, or a bound.
struct Place {
  std::size_t model, level;
  bool upper;

  double at(const ManyIntervals& found, arma::uword n) const {
    return (upper ? found[model].upper : found[model].lower)(level, n);
  }
};

/// Numbers of a row that increase, those below one half first.
struct Increasing {
  std::vector<Place> places = {};
  std::size_t below = 0;

  arma::mat at(const ManyIntervals& found, arma::uword n) const {
    arma::mat values(places.size(), 1);
    for (std::size_t k = 0; k < places.size(); ++k) values(k, 0) = places[k].at(found, n);
    increase(values, below);
    return values;
  }
};

/// What is asked of a model: its views, and which of their numbers are written.
class Asked {
 public:
  /// UserError for shares that are none, and for what the model does not have. The options are kept by
  /// reference.
  Asked(const TableModel& model, const PredictOptions& options);

  const std::vector<TableModel>& models() const { return models_; }
  const std::vector<std::string>& names() const { return names_; }  ///< of the numbers of a row
  const std::vector<Level>& intervals() const { return both_; }     ///< levels of the first of the models
  std::string about() const;                                        ///< "intervals at 3 levels, 2 quantiles"

  /// One line for each row, with the columns to keep. An empty interval has empty cells.
  std::string lines_of(const ManyIntervals& found) const;

 private:
  void add_samples(const arma::mat& quantiles, std::size_t line,
                   const std::function<void(double)>& number) const;
  void tell_infinite(const std::vector<Level>& levels, Ends ends) const;

  const PredictOptions& options_;
  bool whole_;
  std::vector<Level> both_;  // of intervals with two ends; these are asked of the first model
  std::vector<TableModel> models_;
  std::vector<Place> places_;
  std::vector<std::string> names_;
  Increasing quantiles_, grid_;
};

}  // namespace lacp
