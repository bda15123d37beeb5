#pragma once

#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sha256.hpp"
#include "models/predictor/predictor.hpp"
#include "random_rows.hpp"
#include "said.hpp"
#include "table/columns.hpp"

namespace lacp {

struct Rows {
  arma::mat X;
  arma::vec y;
};

/// Two standard normal attributes, and y = of(x₀, x₁, ξ), where ξ is standard normal, too.
template <class Of>
Rows made_rows(std::size_t n, Stream& stream, const Of& of) {
  Rows rows{gaussian(2, n, stream), arma::vec(n)};
  for (arma::uword i = 0; i < n; ++i) rows.y(i) = of(rows.X(0, i), rows.X(1, i), stream.normal());
  return rows;
}

/// y = 10 + 2 x₀ + |x₁| + (0.2 + |x₀|)·ξ: errors that grow with |x₀|.
inline Rows made_rows(std::size_t n, Stream& stream) {
  return made_rows(n, stream, [](double x0, double x1, double noise) {
    return 10.0 + 2.0 * x0 + std::abs(x1) + (0.2 + std::abs(x0)) * noise;
  });
}

inline Rows made_rows(std::size_t n, std::uint64_t seed) {
  Stream stream(seed);
  return made_rows(n, stream);
}

inline std::string checksum(const arma::mat& values) {
  return sha256({reinterpret_cast<const char*>(values.memptr()), values.n_elem * sizeof(double)});
}

/// The share of these targets that lie in their intervals.
inline double share_inside(const Intervals& intervals, const arma::vec& y) {
  const arma::uvec inside = intervals.lower() <= y && y <= intervals.upper();
  return static_cast<double>(arma::accu(inside)) / static_cast<double>(y.n_elem);
}

/// A model through its file, whose bytes it must have.
inline LocalPredictor reloaded(const LocalPredictor& model) {
  LocalPredictor loaded = LocalPredictor::from_bytes(model.to_bytes(), "model");
  CHECK(loaded.to_bytes() == model.to_bytes());
  return loaded;
}

inline Columns reloaded(const Columns& columns) {
  const auto saved = [](const Columns& each) {
    ModelWriter out("columns\n", 1);
    write_columns(out, each);
    return out.whole();
  };
  const std::string bytes = saved(columns);
  ModelReader in(bytes, "m.lacp", "columns\n", 1);
  Columns loaded = read_columns(in);
  CHECK(saved(loaded) == bytes);
  return loaded;
}

inline bool same(const Intervals& a, const Intervals& b) {
  return arma::all(a.f == b.f) && arma::all(a.lower() == b.lower()) && arma::all(a.upper() == b.upper());
}

/// A table in memory that lives as long as its users.
struct Table {
  explicit Table(std::string_view text, CsvFormat how = {})
      : bytes(text), format(std::move(how)), header(read_csv_header(bytes, name, format)) {}
  CsvSource source() const { return {bytes, name, format, header}; }
  std::string bytes, name = "t.csv";
  CsvFormat format;
  CsvHeader header;
};

/// Of n different rows.
inline Split split_of_fit(std::size_t n, const PredictorSettings& settings) {
  const arma::vec numbers = arma::regspace(1.0, static_cast<double>(n));
  return split_of_fit(numbers.t(), numbers, settings).split;
}

/// A fit that takes little time.
inline PredictorSettings quick_settings(std::string method, CentreKind kind = CentreKind::knn,
                                        std::size_t folds = 0) {
  PredictorSettings settings{.method = std::move(method), .cross_fit = folds};
  settings.centre = {.kind = kind, .mlp = {.hidden = {8}, .epochs = 3}, .boosted = {.rounds = 10}};
  settings.network.hidden = {8};
  settings.training.epochs = 3;
  return settings;
}

}  // namespace lacp
