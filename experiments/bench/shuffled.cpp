#include "shuffled.hpp"

#include <fmt/format.h>

#include "datasets/load.hpp"
#include "lacp/data/scaling.hpp"

namespace lacp::bench {

std::optional<Shuffled> shuffled(Context& context, const std::string& name) {
  const DatasetDescription description = context.catalog.find(name);
  if (!at_hand(description)) {
    context.report.say(
        fmt::format("{} is missing and left out; `lacp datasets fetch {}` gets it.", name, name));
    return {};
  }
  const Dataset data = load_dataset(description);
  const Scaling scaling = Scaling::fit(data.X, data.y);
  Stream shuffle(11);
  const arma::uvec order(shuffle.permutation<arma::uword>(data.y.n_elem));
  return Shuffled{scaling.attributes(data.X.cols(order)), scaling.targets(data.y.elem(order))};
}

}  // namespace lacp::bench
