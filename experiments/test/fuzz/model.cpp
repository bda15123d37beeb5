// A saved model. The checksum would stop nearly every input, so each is also read with the right one behind
// it; the files of the corpus are saved models without theirs.
#include <bit>
#include <cstdint>

#include "lacp/base/model_bytes.hpp"
#include "lacp/table/table_model.hpp"
#include "target.hpp"

namespace lacp {
namespace {

void read(std::string_view bytes) {
  const LocalPredictor model = LocalPredictor::from_bytes(bytes, "model.lacp");
  const std::string newest = model.to_bytes();
  fuzz::require(LocalPredictor::from_bytes(newest, "model.lacp").to_bytes() == newest,
                "a model is the same once read and written");
  const arma::mat origin(model.attributes(), 1, arma::fill::zeros);
  try {
    const Intervals intervals = model.predict(origin, Level::parse("0.1"));
    fuzz::require(intervals.f.n_elem == 1 && intervals.half_width().n_elem == 1,
                  "an interval for each query");
  } catch (const UserError&) {  // a model for which the origin lies too far out
  }
}

/// A model for raw tables, which has the other one in it.
void read_table_model(std::string_view bytes) {
  const TableModel model = TableModel::from_bytes(bytes, "model.lacp");
  const std::string newest = model.to_bytes();
  fuzz::require(TableModel::from_bytes(newest, "model.lacp").to_bytes() == newest,
                "a model is the same once read and written");
  arma::mat origin(model.predictor().attributes(), 1, arma::fill::zeros);
  try {
    const TableIntervals intervals = model.predict(origin);
    fuzz::require(intervals.f.n_elem == 1 && intervals.lower.n_rows == model.levels().size(),
                  "an interval for each query and level");
  } catch (const UserError&) {  // as above
  }
}

std::string number(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }
std::string number(double value) { return number(std::bit_cast<std::uint64_t>(value)); }

/// A model with one attribute and one point, up to the widths of its network.
std::string head(const std::string& method) {
  const std::string one = number(std::uint64_t{1}), array = one + number(1.0);
  return "lacp model\n" + one + number(std::uint64_t{method.size()}) + method + array + array + number(1.0) +
         one + array + array + one + number(1.0) + '\0' + number(0.0) + number(0.0);
}

std::string text(const std::string& characters) {
  return number(std::uint64_t{characters.size()}) + characters;
}

/// A model for a table with one attribute, up to the predictor in it.
std::string table_head() {
  ModelWriter out("lacp table model\n", 5);
  write_columns(out,
                {.attributes = {{.name = "x", .if_missing = IfMissing::fill}}, .target = {{.name = "y"}}});
  const std::string none = number(std::uint64_t{0}), one = number(std::uint64_t{1});
  const std::string whole = out.whole();
  return whole.substr(0, whole.size() - sha256("").size()) + "," + '\1' + none + one + number(0.5) + one +
         text("0.1");
}

std::string around(const std::string& predictor) {
  // A predictor; no name of a prediction, what it explained, known rows in three lists, group or known
  // groups.
  const std::string content = table_head() + text(predictor) + std::string(9 * sizeof(std::uint64_t), '\0');
  return content + sha256(content);
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  read_or_refuse("model.lacp", [&] { read(bytes); });
  const std::string whole = std::string(bytes) + sha256(bytes);
  read_or_refuse("model.lacp", [&] { read(whole); });
  read_or_refuse("model.lacp", [&] { read_table_model(bytes); });
  read_or_refuse("model.lacp", [&] { read_table_model(whole); });
  // The same for the model within: what follows the description of one column.
  read_or_refuse("model.lacp", [&] { read_table_model(around(whole)); });
}

std::vector<std::string> fuzz::costly_inputs() {
  const std::string fixed = head("fixed"), exp = head("exp");
  const std::string zero = number(std::uint64_t{0}), one = number(std::uint64_t{1});
  constexpr std::uint64_t layers =
      most_input / 16 - 100;  // of width one: eight bytes for the width, two parameters
  std::string deep = exp + number(layers);
  for (std::uint64_t i = 0; i < layers; ++i) deep += one;
  deep +=
      std::string(2, '\0') + number(2 * layers + 2) + std::string(4 * (2 * layers + 2), '\0') + zero + zero;
  constexpr std::uint64_t width = most_input / 12 - 100;
  std::string wide = exp + one + number(width) + std::string(2, '\0') + number(3 * width + 1) +
                     std::string(4 * (3 * width + 1), '\0') + zero + zero;
  const std::string claim = exp + number(std::uint64_t{1'000'000'000});
  const std::string table = "lacp table model\n" + number(std::uint64_t{5}) + one + text("x");
  // A column with ever more levels.
  return {repeat(zero, table + std::string(2, '\1') + number(std::uint64_t{1'000'000'000})),
          repeat(zero, table_head().substr(0, table_head().size() - 19)),
          repeat("x", table),
          deep,
          wide,
          claim,
          repeat("x", claim),
          repeat(zero, fixed),
          repeat(one, exp),
          repeat(zero, exp)};
}

}  // namespace lacp
