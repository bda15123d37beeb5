// What a caller of the C interface gives: tables and options, as the tool has them.
#pragma once

#include <string>

#include "common/yaml.hpp"
#include "python/lacp.h"
#include "tool/fit/fit.hpp"
#include "tool/predict/predict.hpp"
#include "tool/tool.hpp"

namespace lacp {

/// A table in memory. The parts of `source` are the others, so it stays where it is.
struct GivenTable {
  /// UserError for a table that cannot be one.
  explicit GivenTable(const lacp_table* given);
  GivenTable(const GivenTable&) = delete;
  GivenTable& operator=(const GivenTable&) = delete;

  std::string name = "X";
  CsvFormat format = {};
  CsvHeader header = {};
  MemoryTable memory = {};
  CsvSource source{"", name, format, header, &memory};
};

/// What a fit makes of its columns: a description, as of a yaml. `group` gets the name of their groups.
DatasetDescription description_of(const lacp_table& given, const GivenTable& table, std::string& group);

YamlMap read_options(const char* options);
FitOptions fit_options(const YamlMap& map);
PredictOptions predict_options(const YamlMap& map, const GivenTable& table);
UpdateOptions update_options(const YamlMap& map, const GivenTable& table);
EvaluateOptions evaluate_options(const YamlMap& map, const GivenTable& table);

}  // namespace lacp
