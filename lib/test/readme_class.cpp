// The class of lib/README.md, far out and by differences: what a user copies must be right.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"  // main may end without a return; this one is never called
#define main example_main
#include "readme/small.cpp"
#undef main
#pragma GCC diagnostic pop

int main() {
  const Softplus softplus{lacp::TransformationOptions{}};
  int wrong = 0;
  for (const double g : {-1e4, -800.0, -31.0, -29.0, -1.0, 0.0, 1.0, 40.0, 800.0, 1e4}) {
    const double h = 1e-5;
    const double slope = (softplus.log_scale(g + h) - softplus.log_scale(g - h)) / (2.0 * h);
    const double miss = std::abs(softplus.log_scale_slope(g) - slope);
    fmt::print("g {:7}: log s {:12.6f}, slope off by {:.1e}\n", g, softplus.log_scale(g), miss);
    if (!(miss < 1e-5) || !std::isfinite(softplus.log_scale(g))) ++wrong;  // eps·1e4 / h is 1e-7
  }
  if (std::abs(softplus.log_scale(0.0) - std::log(std::log(2.0))) > 1e-15) ++wrong;
  return wrong;
}
