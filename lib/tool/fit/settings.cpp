// The settings that the options of `lacp fit` make.
#include <algorithm>
#include <cmath>

#include "common/message.hpp"
#include "common/settings/model_settings.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "models/stack/centre.hpp"
#include "tool/fit/fit.hpp"

namespace lacp {
namespace {

/// Of an experiment, and no settings of a fit.
void refuse_other_settings(const std::vector<std::string>& set) {
  const std::vector<std::string> groups = {"split", "predictor", "transformation", "network", "training"};
  for (const std::string& item : set) {
    const std::string key = item.substr(0, item.find('=')), group = key.substr(0, key.find('.'));
    for (const auto& [other, option] :
         {std::pair("seed", "seed"), {"levels", "coverage"}, {"methods", "method"}})
      if (key == other) option_error("set", item, fmt::format("a fit has an option for this, {}", option));
    if (key == "evaluation.sides") continue;
    if (std::ranges::find(groups, group) == groups.end() || key == "split.whole_batches" ||
        key == "predictor.redraw_per_part")
      option_error("set", item,
                   fmt::format("is no setting of a fit; expected a key of {}", join(groups, ", ")));
  }
}

/// The settings of an experiment that a fit has, too.
struct FitSettings : ModelSettings {
  Sides sides = Sides::both;
};

void set_values(FitSettings& fit, const std::vector<std::string>& overrides) {
  SettingList list;
  describe_model(list, fit);
  list.group("evaluation", "how intervals are calibrated", [&] { describe_sides(list, fit.sides); });
  YamlMap map = YamlMap::parse("{}", "--set");
  override_values(map, overrides);
  read_settings(map, list.all);
  check_model(map, fit);
}

bool shares_are_given(const std::vector<std::string>& set) {
  return std::ranges::any_of(set, [](const std::string& item) { return item.starts_with("split."); });
}

/// The settings with those shares of a split that are not given: they take what is left, in proportion.
std::vector<std::string> with_other_shares(std::vector<std::string> set, const PredictorSettings& start) {
  double left = 1.0, others = 0.0;
  std::vector<std::pair<std::string, double>> open;
  for (const auto& [name, share] : {std::pair{"split.proper=", start.proper},
                                    {"split.train=", start.train},
                                    {"split.test=", start.calibration}}) {
    const auto given =
        std::ranges::find_if(set, [&name = name](const std::string& item) { return item.starts_with(name); });
    if (given == set.end()) {
      open.emplace_back(name, share);
      others += share;
    } else
      left -= parse_double(given->substr(given->find('=') + 1)).value_or(0.0);
  }
  if (open.size() == 3 || left <= 0.0) return set;
  for (const auto& [name, share] : open) set.push_back(fmt::format("{}{:.12g}", name, left * share / others));
  return set;
}

Copies copies_of(const std::string& named) {
  if (named == "keep") return Copies::keep;
  return named == "drop" ? Copies::drop : Copies::by_itself;
}

}  // namespace

PredictorSettings settings_of(const FitOptions& options) {
  refuse_other_settings(options.set);
  find_method(options.method);
  const PredictorSettings start = PredictorSettings::recommended();
  FitSettings fit;
  fit.training.selection.level = start.training.selection.level;
  static_cast<CentreOptions&>(fit.predictor) = start.centre;
  fit.predictor.cross_fit = start.cross_fit;
  set_values(fit, with_other_shares(options.set, start));
  return {.method = options.method,
          .seed = options.seed,
          .proper = fit.split.proper,
          .train = fit.split.train,
          .calibration = fit.split.test,
          .centre = fit.predictor,
          .cross_fit = fit.predictor.cross_fit,
          .sides = options.sides == "each" ? Sides::each : fit.sides,
          .copies = copies_of(options.copies),
          .transformation = fit.transformation,
          .network = fit.network,
          .training = fit.training,
          .jobs = thread_count(options.jobs, 64)};
}

void share_rows(PredictorSettings& settings, const std::vector<Level>& levels, std::size_t units,
                const FitOptions& options) {
  if (shares_are_given(options.set)) return;
  // They are part of the model, and tell coverage to .0013. Classes have their own, as many as there are.
  constexpr double most_calibrating = 50'000;
  const double all = static_cast<double>(units);
  double wanted = settings.calibration;
  if (options.by.empty()) wanted = std::min(wanted, most_calibrating / all);
  for (const Level& level : levels) {
    const double least = (settings.sides == Sides::each ? 2.0 : 1.0) / level.value();  // and a row to spare
    // One that needs more than half is infinite anyway: the others should not pay for it.
    if (least <= 0.5 * all) wanted = std::max(wanted, std::min(0.5, (least + 1.0) / all));
  }
  settings.calibration = wanted;
  settings.proper = settings.train = (1.0 - wanted) / 2.0;
}

bool uses_every_row(const FitOptions& options, const PredictorSettings& settings, std::size_t rows,
                    std::size_t units) {
  if (!settings.groups.empty() && units < 3)
    user_error("--group {}: has {}; expected at least 3", show_text(options.group), counted(units, "group"));
  if (options.calibration == "split") return false;
  if (options.calibration.empty())
    return !shares_are_given(options.set) && every_row_pays(settings, rows, units);
  if (!find_method(settings.method).every_row)
    user_error("--calibration every-row: not for --method {}", settings.method);
  if (settings.cross_fit == 0) user_error("--calibration every-row: not for predictor.cross_fit=0");
  if (shares_are_given(options.set)) user_error("--calibration every-row: leave out --set split");
  return true;
}

void read_limits(const std::string& clip, Columns& columns) {
  const std::vector<std::string> ends = split_text(clip, ',');
  const auto refuse = [&] { option_error("clip", clip, "expected limits of the target, as 0,100 or 0,"); };
  const auto read = [&](std::size_t i, double otherwise) {
    if (trim(ends[i]).empty()) return otherwise;
    const auto number = parse_double(trim(ends[i]));
    if (!number) refuse();
    return number.value_or(otherwise);
  };
  if (ends.size() != 2) refuse();
  columns.least = read(0, columns.least);
  columns.most = read(1, columns.most);
  if (!(columns.least < columns.most)) refuse();
}

std::string as_set_options(const PredictorSettings& settings, const std::vector<std::string>& given) {
  std::string text = fmt::format("predictor.kind={} predictor.cross_fit={}", name_of(settings.centre.kind),
                                 settings.cross_fit);
  if (settings.centre.kind == CentreKind::boosted || settings.centre.kind == CentreKind::stack)
    text += fmt::format(" predictor.rounds={}", settings.centre.boosted.rounds);
  if (!settings.every_row) text += fmt::format(" split.test={}", settings.calibration);
  text += fmt::format(" training.epochs={} training.selection.level={}", settings.training.epochs,
                      settings.training.selection.level.text());
  for (const std::string& item : given)
    if (text.find(item.substr(0, item.find('=') + 1)) == std::string::npos) text += " " + item;
  return text;
}

}  // namespace lacp
