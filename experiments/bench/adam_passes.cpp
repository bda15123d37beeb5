#include <ensmallen.hpp>

#include "lacp/base/random.hpp"
#include "lacp/model/adam.hpp"
#include "sections.hpp"
#include "timing.hpp"

namespace lacp::bench {

void adam_passes(Context& context) {
  context.report.section("One Adam step on flat parameters",
                         "The fused pass of this library and ensmallen's update policy, float.");
  Frame table({"parameters", "ours, µs", "ensmallen, µs", "ensmallen / ours"});
  for (const std::size_t count : {42401u, 424010u}) {
    arma::fvec gradient(count), ours(count, arma::fill::zeros);
    Stream stream(5);
    for (float& g : gradient) g = static_cast<float>(stream.uniform());
    Adam<float> adam({}, count);
    arma::fmat theirs(count, 1, arma::fill::zeros);
    const arma::fmat gradient_matrix = gradient;
    ens::AdamUpdate update(1e-8, 0.9, 0.999);
    ens::AdamUpdate::Policy<arma::fmat, arma::fmat> policy(update, count, 1);
    const std::vector<double> best = shortest(
        {[&] { keep(adam.step(ours, gradient)); }, [&] { policy.Update(theirs, 1e-3, gradient_matrix); }},
        context.budget);
    table.add({std::to_string(count), display(1e6 * best[0], 1), display(1e6 * best[1], 1),
               display(best[1] / best[0], 2)});
    context.report.number("adam/" + std::to_string(count), best[0]);
    context.report.number("adam_ensmallen/" + std::to_string(count), best[1]);
  }
  context.report.table(table);
}

}  // namespace lacp::bench
