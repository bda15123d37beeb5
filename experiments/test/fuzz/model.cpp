// A saved model. The checksum would stop nearly every input, so each is also read with the right one behind
// it; the files of the corpus are saved models without theirs.
#include <bit>
#include <cstdint>

#include "lacp/base/model_bytes.hpp"
#include "table/table_model.hpp"
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

/// What has been written so far, as inputs are: without a checksum.
std::string content_of(ModelWriter out) {
  const std::string whole = out.whole();
  return whole.substr(0, whole.size() - sha256("").size());
}

std::string number(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

/// A model with one attribute and one neighbour, up to the layers of its network.
ModelWriter up_to_layers() {
  ModelWriter out(predictor_magic, LocalPredictor::file_format);
  const arma::vec one = {1.0};
  out.array(std::string("exp"));
  out.number(std::uint64_t{1});
  for (int i = 0; i < 4; ++i) out.number(std::uint8_t{0});  // neighbours; no sides, update, or whole numbers
  out.array(std::vector<arma::uword>{});
  out.number(std::uint8_t{0});
  out.array(one);
  out.array(one);
  out.number(1.0);
  out.matrix(one);
  out.array(one);
  out.number(std::uint64_t{1});
  out.number(1.0);
  out.number(std::uint8_t{0});
  out.number(0.0);
  out.number(0.0);
  return out;
}

/// The same up to its scores.
std::string with_layers(const std::vector<std::size_t>& widths, std::size_t parameters) {
  ModelWriter out = up_to_layers();
  out.array(widths);
  out.number(std::uint8_t{0});
  out.number(std::uint8_t{0});
  out.array(arma::fvec(parameters, arma::fill::zeros));
  out.array(arma::vec());
  return content_of(out);
}

/// A model for a table with one attribute, up to the names of its columns.
std::string up_to_names() {
  ModelWriter out("lacp table model\n", TableModel::file_format);
  write_columns(out,
                {.attributes = {{.name = "x", .if_missing = IfMissing::fill}}, .target = {{.name = "y"}}});
  out.number(',');
  out.number(std::uint8_t{1});
  return content_of(out);
}

std::size_t tried = 0, models = 0;  // how many of those tried were models

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  const std::string whole = std::string(bytes) + sha256(bytes);
  ++tried;
  for (const std::string_view each : {bytes, std::string_view(whole)}) {
    read_or_refuse("model.lacp", [&] { read(each); });
    read_or_refuse("model.lacp", [&] {
      read_table_model(each);
      ++models;
    });
  }
}

std::vector<std::string> fuzz::costly_inputs() {
  require(tried < 8 || models > 0, "no case is a model of the format that is read: write them anew");
  constexpr std::size_t layers = most_input / 16 - 100;  // of width one: its width, and two parameters
  constexpr std::size_t width = most_input / 12 - 100;
  const std::string zero = number(0), one = number(1), many = number(1'000'000'000);
  const std::string exp = content_of(up_to_layers()), table = up_to_names();
  std::vector<std::string> inputs = {
      with_layers(std::vector<std::size_t>(layers, 1), 2 * layers + 2),
      with_layers({width}, 3 * width + 1),
      exp + many,
      repeat("x", exp + many),
      repeat(one, exp),
      repeat(zero, exp),
      repeat(zero, table + many),  // names
      repeat(zero, table + zero + zero + one + number(3) + "0.1" +
                       number(LocalPredictor::file_format)),  // a predictor
      repeat(zero,
             table.substr(0, 25) + one + one + "x" + std::string(2, '\1') + many),  // values of a column
  };
  for (const std::string& input : inputs) {
    const auto said = [&](auto reader) {
      try {
        reader(input + sha256(input), "model.lacp");
        return std::string();
      } catch (const UserError& error) {
        return std::string(error.what());
      }
    };
    const std::string message = input.starts_with(predictor_magic)
                                    ? said([](const auto&... of) { LocalPredictor::from_bytes(of...); })
                                    : said([](const auto&... of) { TableModel::from_bytes(of...); });
    require(message.find("older") == message.npos, "a costly input is refused for its format");
  }
  return inputs;
}

}  // namespace lacp
