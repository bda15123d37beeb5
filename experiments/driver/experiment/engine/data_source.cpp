#include "experiment/engine/run_task.hpp"
#include "lacp/base/error.hpp"

namespace lacp {

void DataSource::add(const DatasetDescription& description, std::size_t runs,
                     const std::string& fingerprint) {
  Entry& entry = entries_[description.name];
  entry.description = description;
  entry.fingerprint = fingerprint;
  entry.runs_left = runs;
}

std::shared_ptr<const Dataset> DataSource::get(const std::string& name, std::size_t run) {
  Entry& entry = entries_.at(name);
  if (is_synthetic(entry.description)) {
    Stream stream(StreamName{seed_, name, run, "", "data"});
    return std::make_shared<const Dataset>(generate_synthetic(entry.description, stream));
  }
  const std::lock_guard lock(entry.loading);
  if (entry.error) std::rethrow_exception(entry.error);
  if (entry.loaded) return entry.loaded;
  try {
    auto data = std::make_shared<const Dataset>(load_dataset(entry.description));
    if (data_fingerprint(entry.description, data->fingerprint) != entry.fingerprint)
      run_error("{}: was changed after the run began; run again",
                entry.description.source->original.string());
    return entry.loaded = data;
  } catch (...) {
    entry.error = std::current_exception();
    throw;
  }
}

void DataSource::release(const std::string& name) {
  Entry& entry = entries_.at(name);
  const std::lock_guard lock(entry.loading);
  if (--entry.runs_left == 0) entry.loaded.reset();
}

}  // namespace lacp
