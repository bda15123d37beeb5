#include <algorithm>

#include "common/crps.hpp"
#include "common/gnuplot.hpp"
#include "lacp/base/text.hpp"
#include "tool/predict/predict.hpp"

namespace lacp {

void DistributionScore::add(const arma::vec& quantiles, double y, bool whole) {
  const arma::vec known = finite_quantiles(quantiles);
  crps += crps_score(known, y);
  if (known.has_nan()) return;
  // The share of the quantiles below a number, equal ones by half.
  const auto share_below = [&](double at) {
    double below = 0.5;
    for (const double q : known) {
      if (q < at) below += 1.0;
      if (q == at) below += 0.5;
    }
    return below / 100.0;
  };
  // The ends of what is known are those of the distribution (Czado, Gneiting and Held, 2009).
  const double low = y - 0.5 < known.min() ? 0.0 : share_below(y - 0.5),
               high = y + 0.5 > known.max() ? 1.0 : share_below(y + 0.5);
  if (!whole || low == high) {  // or no quantile lies between the two
    pit[std::min(static_cast<std::size_t>(share_below(y) * bins), bins - 1)] += 1.0;
    return;
  }
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const double begin = static_cast<double>(bin) / bins, end = static_cast<double>(bin + 1) / bins;
    pit[bin] += std::max(0.0, std::min(high, end) - std::max(low, begin)) / (high - low);
  }
}

std::string pit_text(const DistributionScore& score, std::size_t rows) {
  std::string text;
  const double most = std::max(*std::ranges::max_element(score.pit), 1.0);
  for (std::size_t bin = 0; bin < score.bins; ++bin)
    text +=
        fmt::format("  {:.1f}–{:.1f}  {:.3f}  {}\n", static_cast<double>(bin) / score.bins,
                    static_cast<double>(bin + 1) / score.bins, score.pit[bin] / static_cast<double>(rows),
                    std::string(static_cast<std::size_t>(std::lround(40.0 * score.pit[bin] / most)), '#'));
  return text;
}

void draw_pit(const std::filesystem::path& file, const DistributionScore& score, std::size_t rows,
              const TableModel& model) {
  const auto n = static_cast<double>(rows),
             calibration = static_cast<double>(model.predictor().calibration_size());
  // The share of a tenth varies with the rows at hand, and with those that calibrated.
  const double chance = 1.96 * std::sqrt(0.1 * 0.9 * (1.0 / n + 1.0 / calibration));
  double most = 0.1 + chance;
  std::string data;
  for (std::size_t bin = 0; bin < score.bins; ++bin) {
    most = std::max(most, score.pit[bin] / n);
    data += fmt::format("{},{:.6f}\n", (static_cast<double>(bin) + 0.5) / score.bins, score.pit[bin] / n);
  }
  draw_picture(
      file, "pit",
      fmt::format("by_chance = {:.6f}\ntop = {:.6f}\n$bins << EOD\n{}EOD\n", chance, 1.1 * most, data) +
          gnuplot_text("share_label", "share of " + counted(rows, "row")) +
          gnuplot_text("shade", method_shade(model.predictor().method(), 0.6)));
}

}  // namespace lacp
