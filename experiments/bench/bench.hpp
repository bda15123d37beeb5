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
#include "lacp/base/random.hpp"
#include "lacp/model/mlp.hpp"

namespace lacp::bench {

/// What is printed while it is measured, and the bare numbers for programs that read them.
class Report {
 public:
  /// Prints a heading and a remark.
  void section(const std::string& title, const std::string& remark);

  /// Prints a table in markdown.
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
  std::filesystem::path lacp;    ///< the program, for whole protocols
  std::filesystem::path source;  ///< folder of the experiments' yamls
};

void training_steps(Context& context);   ///< a step against its lower bound, and each method's steps
void adam_passes(Context& context);      ///< our Adam against ensmallen's
void knn_selection(Context& context);    ///< the whole cross-validation of K, and mlpack's ways of searching
void boosting(Context& context);         ///< boosted trees: fit, predictions, and how good they are
void csv_reading(Context& context);      ///< from bytes to numbers
void predicting(Context& context);       ///< rows of a table: csv, neighbours, network
void leave_one_out(Context& context);    ///< evaluation of up to a million points
void many_tasks(Context& context);       ///< run, status and table of a grid of ten thousand tasks
void whole_protocols(Context& context);  ///< paper.yaml and release.yaml, on one thread and on two

/// The shortest time of one call of each function, in seconds. The functions take turns, so that a change of
/// the machine's speed meets all of them; calls that are short are timed several at once. Goes on until every
/// function was timed three times and `budget` seconds are over.
std::vector<double> shortest(const std::vector<std::function<void()>>& functions, double budget);

/// The same for one function.
double shortest(const std::function<void()>& function, double budget);

/// Keeps the compiler from leaving out the work that leads to a value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// What a program used.
struct Usage {
  double wall = 0.0, cpu = 0.0;  // seconds
  double peak = 0.0;             // bytes of memory
};

/// Runs a program on every core, without its output, and waits for it. RunError if it ends with anything but
/// exit_done or exit_failed: a task that failed is part of the work, since the released code's settings make
/// some trainings diverge.
Usage run_child(const std::vector<std::string>& command);

/// Nothing, and a line that says so, where the file of a data set has not been fetched.
std::optional<DatasetDescription> fetched(Context& context, const std::string& name);

/// A data set as a model sees it: scaled, in random order.
struct Shuffled {
  arma::mat X;
  arma::vec y;
};
std::optional<Shuffled> shuffled(Context& context, const std::string& name);  ///< nothing as above

/// The passes of a training step through a network, each by itself.
struct Passes {
  Passes(const MlpShape& shape, std::size_t batch, Stream& stream);

  void forward() { keep(net.forward(X)); }
  void backward() { net.backward(by_output); }  ///< with the gradient

  Mlp net;
  arma::fmat X, by_output;
  double forward_operations = 0.0, backward_operations = 0.0;  ///< of the matrix products
};

}  // namespace lacp::bench
