#include "engine/run_task.hpp"
#include "lacp/base/error.hpp"

namespace lacp {
namespace {

std::shared_ptr<const Dataset> load(const DatasetDescription& description, const std::string& fingerprint) {
  auto data = std::make_shared<const Dataset>(load_dataset(description));
  if (data_fingerprint(description, data->fingerprint) != fingerprint)
    run_error("{}: was changed after the run began; run again", description.source->original.string());
  return data;
}

}  // namespace

void DataSource::add(const DatasetDescription& description, std::size_t runs,
                     const std::string& fingerprint) {
  auto entry = std::make_unique<Entry>();
  entry->description = description;
  entry->fingerprint = fingerprint;
  entry->runs_left = runs;
  entries_[description.name] = std::move(entry);
}

std::shared_ptr<const Dataset> DataSource::get(const std::string& name, std::size_t run) {
  Entry& entry = *entries_.at(name);
  if (is_synthetic(entry.description)) {
    Stream stream(StreamName{seed_, name, run, "", "data"});
    return std::make_shared<const Dataset>(generate_synthetic(entry.description, stream));
  }
  const std::lock_guard lock(entry.loading);
  if (entry.error) std::rethrow_exception(entry.error);
  try {
    if (!entry.loaded) entry.loaded = load(entry.description, entry.fingerprint);
  } catch (...) {
    entry.error = std::current_exception();
    throw;
  }
  return entry.loaded;
}

void DataSource::release(const std::string& name) {
  Entry& entry = *entries_.at(name);
  const std::lock_guard lock(entry.loading);
  if (--entry.runs_left == 0) entry.loaded.reset();
}

}  // namespace lacp
