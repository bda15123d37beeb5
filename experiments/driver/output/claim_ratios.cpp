#include "output/claim_ratios.hpp"

#include <algorithm>

namespace lacp {

void add_ratios(Claim& claim, const Results& results, const std::vector<std::string>& methods,
                const std::vector<Level>& levels, const SizeBase& base, const std::string& quantity) {
  for (const SizeRatio& s : size_ratios(results, methods, levels, base))
    if (s.ratio.n >= 2)
      claim.numbers.push_back({results.experiment.name, s.dataset, s.method, s.alpha, quantity, s.ratio, ""});
}

void judge_ratio(ClaimNumber& n) {
  n.finding = !n.significant() ? "undecided" : n.value.mean < 1.0 ? "smaller" : "larger";
}

void judge_ratios(Claim& claim) {
  correct(claim);
  std::ranges::for_each(claim.numbers, judge_ratio);
}

Tally tally(const Claim& claim, const std::function<bool(const ClaimNumber&)>& belongs) {
  Tally t;
  for (const ClaimNumber& n : claim.numbers) {
    if (!belongs(n)) continue;
    ++t.total;
    if (n.finding == "smaller") ++t.smaller;
    if (n.finding == "larger") ++t.larger;
    t.least = std::min(t.least, n.value.mean);
    t.most = std::max(t.most, n.value.mean);
  }
  return t;
}

std::string ratio_table(const Claim& claim, std::vector<std::string> header,
                        const std::function<std::vector<std::string>(const ClaimNumber&)>& row,
                        const std::function<std::string(const ClaimNumber&)>& column) {
  const std::size_t leading = header.size();
  for (const ClaimNumber& n : claim.numbers)
    if (std::ranges::find(header, column(n)) == header.end()) header.push_back(column(n));
  TextTable table{std::move(header), {}, claim.id};
  for (const ClaimNumber& n : claim.numbers) {
    const std::vector<std::string> key = row(n);
    auto found = std::ranges::find_if(
        table.rows, [&](const auto& fields) { return std::equal(key.begin(), key.end(), fields.begin()); });
    if (found == table.rows.end()) {
      table.rows.push_back(key);
      table.rows.back().resize(table.header.size(), "–");
      found = table.rows.end() - 1;
    }
    const auto place =
        std::find(table.header.begin() + static_cast<std::ptrdiff_t>(leading), table.header.end(), column(n));
    (*found)[static_cast<std::size_t>(place - table.header.begin())] = percent(n.value, n.significant());
  }
  return to_markdown(table);
}

}  // namespace lacp
