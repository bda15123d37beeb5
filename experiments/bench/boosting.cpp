#include <cmath>

#include "lacp/base/sums.hpp"
#include "lacp/model/boosted.hpp"
#include "sections.hpp"
#include "shuffled.hpp"
#include "timing.hpp"

namespace lacp::bench {

void boosting(Context& context) {
  context.report.section(
      "Boosted trees",
      "100 rounds on 80 % of the rows, without early stopping; the error is the root mean square on the others, in units of the mean |y|.");
  Frame table({"data set", "rows", "d", "fit, s", "a prediction, µs", "error"});
  for (const std::string name : {"homes", "CASP", "facebook_1", "blog_data"}) {
    const std::optional<Shuffled> data = shuffled(context, name);
    if (!data) continue;
    const arma::uword rows = data->y.n_elem * 4 / 5, others = data->y.n_elem - rows;
    const arma::mat X = data->X.head_cols(rows), X_new = data->X.tail_cols(others);
    const arma::vec y = data->y.head(rows), y_new = data->y.tail(others);
    const auto fit = [&] {
      Stream unused(1);
      return BoostedTrees::fit(X, y, {.validation_share = 0.0}, unused);
    };
    const double seconds = shortest([&] { keep(fit()); }, context.budget);
    const BoostedTrees model = fit();
    const double prediction =
        shortest([&] { keep(model.predict(X_new)); }, context.budget) / static_cast<double>(others);
    const arma::vec r = model.predict(X_new) - y_new;
    const double error = std::sqrt(dot_of(r.memptr(), r.memptr(), r.n_elem) / static_cast<double>(others));
    table.add({name, std::to_string(rows), std::to_string(X.n_rows), display(seconds, 3),
               display(1e6 * prediction, 2), display(error, 4)});
    context.report.number("boosted/" + name, seconds);
    context.report.number("boosted_error/" + name, error);
  }
  context.report.table(table);
}

}  // namespace lacp::bench
