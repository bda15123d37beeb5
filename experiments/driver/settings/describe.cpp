#include <algorithm>
#include <climits>
#include <set>
#include <string_view>
#include <utility>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "settings/settings.hpp"

namespace lacp {
namespace {

/// Names of the values of a choice.
template <class T>
using Choices = std::vector<std::pair<std::string_view, T>>;

struct Key {
  const char *name, *about;
  const char* unhashed = nullptr;  ///< of a group: ""
};

/// A list in which nothing is given twice.
std::vector<std::string> different_items(const YamlMap& map, const std::string& name) {
  std::vector<std::string> items = map.get<std::vector<std::string>>(name);
  std::set<std::string> seen;
  for (const std::string& item : items)
    if (!seen.insert(item).second) map.fail(name, fmt::format("{} is given twice", show_text(item)));
  return items;
}

Level read_level(const YamlMap& map, const std::string& name, const std::string& text) {
  try {
    return Level::parse(text);
  } catch (const UserError& error) {
    map.fail(name, error.what());
  }
}

template <class T>
void check_range(const YamlMap& map, const std::string& name, T value, const Range& range) {
  if (!range.holds(static_cast<double>(value)))
    map.fail(name, fmt::format("found {}; expected {}", value, range.text()));
}

/// Makes the list: one function for each kind of value.
class List {
 public:
  std::vector<Setting> all;

  template <class T>
  void number(const Key& key, T& field, Touches touches, const Range& range) {
    add(key, number_values<T>(range), fmt::format("{}", field), touches,
        [&field, range](const YamlMap& map, const std::string& name) {
          if constexpr (std::is_same_v<T, int>)
            field = static_cast<int>(std::clamp<long long>(map.get<long long>(name), INT_MIN, INT_MAX));
          else
            field = map.get<T>(name);
          check_range(map, name, field, range);
        });
    all.back().range = range, all.back().whole = std::is_integral_v<T>;
  }

  void flag(const Key& key, bool& field, Touches touches) {
    add(key, "true or false", field ? "true" : "false", touches,
        [&](const YamlMap& map, const std::string& name) { field = map.get<bool>(name); });
  }

  void text(const Key& key, std::string& field, Touches touches) {
    add(key, "a text", yaml_quoted(field), touches,
        [&](const YamlMap& map, const std::string& name) { field = map.get<std::string>(name); });
  }

  void level(const Key& key, Level& field, Touches touches) {
    add(key, one_level, field.text(), touches, [&](const YamlMap& map, const std::string& name) {
      field = read_level(map, name, map.get<std::string>(name));
    });
  }

  void levels(const Key& key, std::vector<Level>& field, Touches touches) {
    std::vector<std::string> texts;
    for (const Level& item : field) texts.push_back(item.text());
    add(key, fmt::format("a list, each {}, none twice", one_level), in_brackets(texts), touches,
        [&](const YamlMap& map, const std::string& name) {
          field.clear();
          constexpr std::size_t most = 500;
          const std::vector<std::string> items = different_items(map, name);
          if (items.size() > most)
            map.fail(name, fmt::format("found {} levels; expected at most {}", items.size(), most));
          for (const std::string& item : items) {
            field.push_back(read_level(map, name, item));
            if (std::ranges::count(field, field.back()) > 1)
              map.fail(name, fmt::format("{} is given twice", show_text(item)));
          }
        });
  }

  void names(const Key& key, std::vector<std::string>& field, Touches touches) {
    add(key, "a list of names, none twice", in_brackets(field), touches,
        [&](const YamlMap& map, const std::string& name) {
          field = different_items(map, name);
          for (const std::string& item : field)
            if (!is_name(item))
              map.fail(name, fmt::format("found {}; expected names of letters, digits, '_', '-', '.'",
                                         show_text(item)));
        });
  }

  void counts(const Key& key, std::vector<std::size_t>& field, Touches touches, const Range& range) {
    add(key, fmt::format("a list, each {}", number_values<std::size_t>(range)), in_brackets(field), touches,
        [&field, range](const YamlMap& map, const std::string& name) {
          field = map.get<std::vector<std::size_t>>(name);
          for (const std::size_t item : field) check_range(map, name, item, range);
          if (field.empty()) map.fail(name, "found an empty list; expected at least one number");
        });
  }

  template <class T>
  void choice(const Key& key, T& field, Touches touches, const Choices<T>& choices) {
    std::vector<std::string> known;
    for (const auto& [name, value] : choices) known.emplace_back(name);
    const auto chosen = std::ranges::find(choices, field, &std::pair<std::string_view, T>::second);
    add(key, join(known, " or "), std::string(chosen->first), touches,
        [&field, choices, known](const YamlMap& map, const std::string& name) {
          const std::string found = map.get<std::string>(name);
          const auto place = std::ranges::find(known, found);
          if (place == known.end())
            map.fail(name, fmt::format("found {}{}; expected {}", show_text(found),
                                       did_you_mean(found, known), join(known, " or ")));
          field = choices[static_cast<std::size_t>(place - known.begin())].second;
        });
  }

  /// By name: names, or shares.
  template <class T>
  void pairs(const Key& key, std::map<std::string, T>& field, Touches touches) {
    constexpr bool shares = std::is_same_v<T, double>;
    std::vector<std::string> texts;
    for (const auto& [name, value] : field) {
      if constexpr (shares)
        texts.push_back(fmt::format("{}: {}", yaml_quoted(name), value));
      else
        texts.push_back(fmt::format("{}: {}", yaml_quoted(name), yaml_quoted(value)));
    }
    add(key,
        shares ? "a mapping of names, each to " + number_values<T>(share_or_all)
               : "a mapping of names to names",
        fmt::format("{{{}}}", join(texts, ", ")), touches, [&](const YamlMap& map, const std::string& name) {
          const YamlMap inner = map.map(name);
          field.clear();
          for (const std::string& item : inner.keys()) {
            field[item] = inner.get<T>(item);
            if constexpr (shares) check_range(inner, item, field[item], share_or_all);
          }
          inner.finish();
        });
  }

  template <class F>
  void group(const Key& key, const F& members) {
    add(key, "", "", Touches::nothing, {});
    const std::string outside = std::exchange(prefix_, all.back().key + ".");
    members();
    prefix_ = outside;
  }

 private:
  static constexpr const char* one_level = "a decimal strictly between 0 and 1";

  template <class T>
  static std::string in_brackets(const std::vector<T>& items) {
    return fmt::format("[{}]", fmt::join(items, ", "));
  }

  template <class T>
  static std::string number_values(const Range& range) {
    const std::string text = range.text();  // "a number ..."
    return std::is_integral_v<T> ? "a whole" + text.substr(1) : text;
  }

  void add(const Key& key, std::string values, std::string text, Touches touches,
           std::function<void(const YamlMap&, const std::string&)> read) {
    all.push_back({prefix_ + key.name, key.about, std::move(values), std::move(text), touches, key.unhashed,
                   std::nullopt, false, std::move(read)});
  }

  std::string prefix_;
};

}  // namespace

std::vector<Setting> describe(Experiment& e) {
  List v;
  using enum Touches;
  v.text({"title", "what the experiment is, in a few words; heads its tables and its report"}, e.title,
         nothing);
  v.number({"seed", "where all random numbers begin; the same seed gives the same numbers"}, e.seed, all,
           not_negative);
  v.number(
      {"runs", "repetitions, each with a split and random numbers of its own; results are means over them"},
      e.runs, nothing, Range{1, 100000});
  v.names({"datasets", "data sets to run on; required; `lacp datasets` lists them"}, e.datasets, nothing);
  v.names({"methods", "methods to compare; required; `lacp methods` lists them"}, e.methods, nothing);
  v.levels(
      {"levels",
       "levels α at which intervals are made; required; an interval at α may miss the truth with probability α"},
      e.levels, all);
  v.group({"split", "how the rows are divided, at random in each run"}, [&] {
    v.number({"proper", "share of the rows that the point prediction is fitted on"}, e.split.proper, all,
             share);
    v.number({"train", "share of the rows that methods are trained on"}, e.split.train, all, share);
    v.number({"test", "share of the rows that calibrate and score intervals; the three shares add up to 1"},
             e.split.test, all, share);
    v.flag({"whole_batches", "cut every part to a multiple of training.batch, as the released code does"},
           e.whole_batches, all);
    v.pairs(
        {"sample",
         "share of a data set's rows that take part, drawn at random in each run, {data set: share}; all rows of the others",
         "{}"},
        e.sample, all);
  });
  v.group({"predictor", "the point prediction f, the centre of the intervals"}, [&] {
    const Touches knn = e.predictor.kind == CentreKind::knn ? all : nothing;
    v.choice(
        {"kind",
         "the regression: K nearest neighbours, as in the paper (knn), a network with squared loss (mlp), or gradient-boosted trees (boosted)",
         "knn"},
        e.predictor.kind, all,
        Choices<CentreKind>{
            {"knn", CentreKind::knn}, {"mlp", CentreKind::mlp}, {"boosted", CentreKind::boosted}});
    v.counts({"grid", "numbers of neighbours K to choose from, increasing; for knn alone, as the next four"},
             e.predictor.knn.grid, knn, from_one);
    v.choice(
        {"selection",
         "how K is chosen: by cross-validation, or by the error on the last fifth of the sample, once, as the released code does (hold_out)"},
        e.predictor.knn.selection, knn,
        Choices<KnnSelection>{{"cross_validation", KnnSelection::cross_validation},
                              {"hold_out", KnnSelection::hold_out}});
    const bool folded = e.predictor.knn.selection == KnnSelection::cross_validation;
    v.number({"folds", "parts of the cross-validation; not used by hold_out"}, e.predictor.knn.folds,
             folded ? knn : nothing, Range{2, 1000});
    v.number({"points", "at most this many points, drawn at random, make the KNN model; 0: all"},
             e.predictor.knn.points, knn, not_negative);
    v.flag({"redraw_per_part",
            "draw the points and choose K again for each part of the split, as the released code does"},
           e.predictor.redraw_per_part, knn);
    v.number({"rounds", "trees of boosted, at most; a held-out part of the rows decides", "100"},
             e.predictor.boosted.rounds, e.predictor.kind == CentreKind::boosted ? all : nothing,
             Range{1, 100000});
    v.flag(
        {"choose_once",
         "with boosted and cross_fit: all folds take the number of trees that is best for one; up to 5,000 rows for all, and leaves of 5 and of 2 rows are tried",
         "false"},
        e.predictor.boosted.choose_once,
        e.predictor.kind == CentreKind::boosted && e.predictor.cross_fit != 0 ? all : nothing);
    v.number(
        {"cross_fit",
         "K: the rows of split.proper and split.train together fit f and train methods, which see the errors of K-fold out-of-fold predictions; 0: either part has its own task, as in the paper",
         "0"},
        e.predictor.cross_fit, all, Range{0, 1000});
  });
  v.group({"transformation", "numbers inside the transformations of the score A"}, [&] {
    v.number({"gamma", "γ in A / (g² + γ), which keeps erc from dividing by zero"}, e.transformation.gamma,
             trained, positive);
    v.flag({"minus_g", "log A − g instead of log A + g in linear and sigma, as the released code has it"},
           e.transformation.released.minus_g, trained);
    v.number(
        {"log_offset", "added to A inside the logarithm of linear and sigma; the released code has 1e-8"},
        e.transformation.released.log_offset, trained, not_negative);
    v.number(
        {"logit_clamp",
         "c: the inverse of sigma cuts its argument to [c, 1 − c]; 0: does not; the released code has 0.001"},
        e.transformation.released.logit_clamp, trained, Range{0.0, 0.49});
  });
  v.group({"network", "the network g, which makes the size of an interval depend on x"}, [&] {
    v.counts({"hidden", "units of each hidden layer, from the first to the last"}, e.network.hidden, trained,
             Range{1, 100000});
    v.flag({"linear_first", "one more hidden layer, in front and without ReLU, as in the released code"},
           e.network.released.linear_first, trained);
    v.flag({"divide_by_origin", "g(x)/g(0) instead of g(x), as in the released code"},
           e.network.released.divide_by_origin, trained);
  });
  v.group({"training", "how g is trained"}, [&] {
    v.number({"learning_rate", "step size of Adam"}, e.training.adam.learning_rate, trained, positive);
    v.number({"beta1", "Adam's decay per step of the mean of the gradient"}, e.training.adam.beta1, trained,
             share);
    v.number({"beta2", "Adam's decay per step of the mean of the squared gradient"}, e.training.adam.beta2,
             trained, share);
    v.number({"epsilon", "added by Adam to the number that it divides by"}, e.training.adam.epsilon, trained,
             positive);
    v.number({"epochs", "passes over the training rows, at most; training.selection chooses how many"},
             e.training.epochs, trained, Range{1, 1000000});
    // Where parts are cut to whole batches, the batch shapes the data of every method.
    v.number(
        {"batch",
         "rows per training step; with split.whole_batches also what parts are cut to, for every method"},
        e.training.batch, e.whole_batches ? all : trained, Range{2, 1000000});
    v.flag({"shuffle", "a new order of the rows in every epoch; false: one order, as in the released code"},
           e.training.released.shuffle, trained);
    v.flag({"drop_partial_batch", "leave out the last rows of an epoch where they do not fill a batch"},
           e.training.released.drop_partial_batch, trained);
    const Objective objective = e.training.objective.kind;
    const Touches averaged = objective == Objective::adaptation ? nothing : size;
    v.choice(
        {"objective",
         "what is minimised: the mean size over all levels, or at training.level alone, or what makes sizes follow the local error as training.adaptation says (not for mixture)"},
        e.training.objective.kind, size,
        Choices<Objective>{{"all_levels", Objective::all_levels},
                           {"one_level", Objective::one_level},
                           {"adaptation", Objective::adaptation}});
    v.level({"level", "the level α of objective one_level; not used by all_levels"},
            e.training.objective.level, objective == Objective::one_level ? size : nothing);
    v.number(
        {"adaptation",
         "θ of objective adaptation: sizes follow the local error to the power of θ; 0 would be the method fixed",
         "0.5"},
        e.training.objective.adaptation, objective == Objective::adaptation ? size : nothing, share_or_all);
    v.flag(
        {"square_root",
         "minimise the mean of the half-width, sqrt(φ⁻¹); false: the mean of φ⁻¹, as in the released code"},
        e.training.objective.released.square_root, averaged);
    v.choice(
        {"loss",
         "minimise the mean size itself, or its logarithm: the same minimum, and no overflow on the way"},
        e.training.objective.loss, averaged,
        Choices<Loss>{{"plain", Loss::plain}, {"logarithm", Loss::logarithm}});
    v.flag({"count_diagonal", "count the pairs of a point with itself, as zeros, as the released code does"},
           e.training.objective.released.count_diagonal, averaged);
    v.flag({"squared_error_fit", "fit g² instead of g to the score A, as the released code does"},
           e.training.objective.released.squared_error_fit, error_fit);
    v.group({"selection", "how many epochs: best by validation; all but adapt then train on all rows"}, [&] {
      auto& s = e.training.selection;
      v.number({"validation_share", "share of the training rows that validate"}, s.validation_share, trained,
               share);
      v.number(
          {"fit_rows",
           "while epochs are chosen, at most this many rows are fitted on and all others validate; 0: no limit"},
          s.released.fit_rows, trained, not_negative);
      v.number({"validation_rows", "at most this many rows validate; 0: no limit"},
               s.released.validation_rows, trained, not_negative);
      v.choice(
          {"criterion",
           "what validation measures: the mean size at training.selection.level, or the Winkler score in units of that of fixed, averaged over the levels; adapt and adapt_25 to adapt_100 always take winkler",
           "size"},
          s.criterion, criterion,
          Choices<Criterion>{{"size", Criterion::size}, {"winkler", Criterion::winkler}});
      v.level({"level", "the level α at which validation measures the mean size"}, s.level,
              s.criterion == Criterion::size ? criterion : nothing);
      v.number({"patience", "stop after this many epochs without gain"}, s.patience, trained, from_one);
      v.number({"least_gain", "relative gain that counts: score < (1 − least_gain) · best so far"},
               s.least_gain, trained, Range{0.0, 0.99});
      v.flag({"count_from_zero", "train again for one epoch fewer than the best, as the released code does"},
             s.released.count_from_zero, trained);
      v.number({"decimals",
                "decimals that validation scores are rounded to before they are compared; -1: not rounded"},
               s.released.decimals, trained, Range{-1, 15});
    });
  });
  v.group({"baselines", "numbers of the methods beyond the paper", ""}, [&] {
    v.group({"knn_error", "the error over σ̂ + β", ""}, [&] {
      v.number({"neighbours", "σ̂ is the mean error of this many nearest training points", "25"},
               e.rows.knn_error.neighbours, local_error, Range{1, 1000000});
      v.number({"beta", "β, added to σ̂, in units of the mean |y|", "0.01"}, e.rows.knn_error.beta,
               Touches::knn_error, positive);
    });
    v.group({"mondrian", "a quantile for each bin of σ̂", ""}, [&] {
      v.number(
          {"bins", "at most this many; fewer where bins would be too small for the smallest level", "10"},
          e.rows.mondrian.bins, Touches::mondrian, Range{1, 1000000});
    });
    v.group({"rlcp", "calibration weighted by a kernel", ""}, [&] {
      v.number(
          {"bandwidth", "width of the kernel, in units of the median distance between training points", "1"},
          e.rows.rlcp.bandwidth, Touches::rlcp, positive);
    });
  });
  v.group({"evaluation", "how intervals are calibrated and scored on the test part"}, [&] {
    v.choice(
        {"mode",
         "each scored point is calibrated by the others of the pool (leave_one_out), or a random half calibrates and the other half is scored (halves), so that validity is a measurement"},
        e.evaluation.mode, all,
        Choices<EvaluationMode>{{"leave_one_out", EvaluationMode::leave_one_out},
                                {"halves", EvaluationMode::halves}});
    v.number(
        {"calibration_share", "with halves: share of the pool that calibrates; the others are scored", "0.5"},
        e.evaluation.calibration_share, e.evaluation.mode == EvaluationMode::halves ? all : nothing, share);
    v.number({"pool", "number of test points that take part, from the first on; 0: all"}, e.evaluation.pool,
             all, not_negative);
    v.number({"scored", "this many points of the pool, drawn at random, are scored; 0: all"},
             e.evaluation.scored, all, not_negative);
    v.choice(
        {"quantile",
         "which of N sorted calibration scores is q: the ⌈(N+1)(1−α)⌉-th (ceiling), or index int((1−α)N) from zero, as in the released code (floor_index)"},
        e.evaluation.quantile, all,
        Choices<QuantileRule>{{"ceiling", QuantileRule::ceiling},
                              {"floor_index", QuantileRule::floor_index}});
    v.choice(
        {"sides",
         "one quantile of the error serves both sides, or each side has its own, at α/2, which suits skewed errors (each); methods whose intervals are not f ± q·s(x) always take both",
         "both"},
        e.evaluation.sides, scaled, Choices<Sides>{{"both", Sides::both}, {"each", Sides::each}});
    v.flag(
        {"excess_risk",
         "also measure the excess risk of target coverage (ert, ert_error): whether x tells who is covered; takes up to some seconds per task",
         "false"},
        e.evaluation.excess_risk, all);
  });
  v.group({"keep_intervals", "intervals of the first run that are kept whole, for figures"}, [&] {
    v.names({"datasets", "data sets whose intervals are kept"}, e.keep_intervals.datasets, nothing);
    v.level({"level", "the level α of the intervals that are kept"}, e.keep_intervals.level, kept);
  });
  v.group({"reference", "a published table to compare with"}, [&] {
    v.text({"file", "csv of the published numbers, relative to the experiment's yaml; empty: none"},
           e.reference.file, nothing);
    v.pairs({"names", "data sets that the published table has under another name, {ours: theirs}"},
            e.reference.names, nothing);
    v.text(
        {"beside",
         "csv of published sizes, or Winkler scores (a column winkler), relative to the experiment's yaml: shown beside ours, without a test; empty: none",
         "\"\""},
        e.reference.beside, nothing);
  });
  v.group(
      {"report",
       "its place in `lacp report` of a folder of experiments; based_on and --name do not hand it on", ""},
      [&] {
        v.choice(
            {"role",
             "protocol: has tables, figures and claims; main: so has this, and claims are told from it; many_runs: of its base, kept as manifest.yaml and table.csv alone; single_level: is only compared with its base",
             "protocol"},
            e.report.role, nothing,
            Choices<ReportRole>{{"protocol", ReportRole::protocol},
                                {"main", ReportRole::main},
                                {"many_runs", ReportRole::many_runs},
                                {"single_level", ReportRole::single_level}});
        v.text({"base", "name of the experiment that it is compared with; empty: the first on the same rows",
                "\"\""},
               e.report.base, nothing);
      });
  return std::move(v.all);
}

}  // namespace lacp
