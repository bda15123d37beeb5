#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "datasets/description.hpp"

namespace lacp {

struct Dataset;

/// Hands data to tasks on any thread. A file is read once and held until every run that needs it is over; a
/// synthetic set is drawn again for each run, from the stream (seed, data set, run, "data").
class DataSource {
 public:
  explicit DataSource(std::uint64_t seed) : seed_(seed) {}

  /// Announces a data set that `runs` runs will ask for, with the fingerprint that their results will carry.
  void add(const DatasetDescription& description, std::size_t runs, const std::string& fingerprint);

  /// The data for one run. Throws what loading throws, to every run that asks; RunError if the file is no
  /// longer the one that the fingerprint is of.
  std::shared_ptr<const Dataset> get(const std::string& name, std::size_t run);

  /// One run does not need the data any more.
  void release(const std::string& name);

 private:
  struct Entry {
    DatasetDescription description;
    std::string fingerprint;
    std::mutex loading;
    std::shared_ptr<const Dataset> loaded;
    std::exception_ptr error;
    std::size_t runs_left = 0;
  };
  std::uint64_t seed_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
};

}  // namespace lacp
