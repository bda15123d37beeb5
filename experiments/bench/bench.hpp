#pragma once

#include <armadillo>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/frame.hpp"
#include "datasets/catalog.hpp"

namespace lacp::bench {

/// What is printed while it is measured, and the bare numbers for programs that read them.
class Report {
 public:
  void section(const std::string& title, const std::string& remark);
  void table(const Frame& table);
  void say(const std::string& text);

  /// Keeps a number under a name such as step/18/16 (seconds, unless the name says otherwise).
  void number(const std::string& name, double value);

  /// Writes all numbers as a csv with the columns name and value.
  void write(const std::filesystem::path& file) const;

 private:
  std::vector<std::pair<std::string, double>> numbers_;
};

/// What all measurements share.
struct Context {
  Report& report;
  Catalog catalog;
  double budget = 0.5;           ///< seconds for each comparison
  std::filesystem::path lacp;    ///< the program, for whole runs
  std::filesystem::path source;  ///< the folder experiments
};

void training_steps(Context& context);  ///< a step against its lower bound, and each method's steps
void boosting(Context& context);        ///< boosted trees: fit, predictions, and how good they are
void predicting(Context& context);      ///< rows of a table: csv, neighbours, network
void many_tasks(Context& context);      ///< run, status and table of a grid of ten thousand tasks

/// The shortest time of one call of each function, in seconds. The functions take turns, so that a change of
/// the machine's speed meets all of them; calls that are short are timed several at once. Goes on until every
/// function was timed three times and `budget` seconds are over.
std::vector<double> shortest(const std::vector<std::function<void()>>& functions, double budget);

double shortest(const std::function<void()>& function, double budget);

/// Keeps the compiler from leaving out the work that leads to a value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Nothing, and a line that says so, where the file of a data set has not been fetched.
std::optional<DatasetDescription> fetched(Context& context, const std::string& name);

/// A data set as a model sees it: scaled, in random order.
struct Shuffled {
  arma::mat X;
  arma::vec y;
};
std::optional<Shuffled> shuffled(Context& context, const std::string& name);  ///< nothing as above

}  // namespace lacp::bench
