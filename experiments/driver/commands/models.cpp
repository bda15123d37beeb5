// `lacp fit`, `lacp predict` and `lacp evaluate`.
#include <memory>

#include "commands/commands.hpp"
#include "work/model_commands.hpp"

namespace lacp {
void add_model_commands(CLI::App& app, int& exit_code) {
  const auto fit = std::make_shared<FitRequest>();
  CLI::App* command = app.add_subcommand("fit", "Fit a model to a csv of your own, or to a data set");
  command
      ->add_option("DATA", fit->data, "a table (csv, csv.gz or xlsx), a data set, or its description (.yaml)")
      ->required()
      ->type_name("DATASET");
  command->add_option("--target", fit->target, "column to predict (default: the last one of numbers)")
      ->type_name("COLUMN");
  command->add_option("--model", fit->model, "file for the model")->required()->type_name("FILE");
  command->add_option("--method", fit->method, "one of `lacp methods` (default: adapt)")->type_name("METHOD");
  command->add_option("--levels", fit->levels, "levels α of the intervals (default: 0.05,0.1,0.32)")
      ->delimiter(',')
      ->type_name("LEVELS");
  command->add_option("--coverage", fit->coverage, "the same as the coverage 1 - α, e.g. 0.95,0.9")
      ->delimiter(',')
      ->type_name("SHARES");
  command->add_option("--group", fit->group, "column that says which rows belong together; no attribute")
      ->type_name("COLUMN");
  command->add_option("--seed", fit->seed, "where all random numbers begin (default: 1)")->type_name("N");
  command->add_option("--set", fit->set, "settings of an experiment, e.g. --set training.epochs=20")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  command
      ->add_option("--datasets-folder", fit->datasets_folder,
                   "folder of data set descriptions (default: ./datasets, or LACP_DATASETS)")
      ->type_name("FOLDER");
  add_quiet(*command);
  command->callback([fit, &exit_code] { exit_code = fit_model(*fit); });

  const auto request = std::make_shared<PredictRequest>();
  const auto unseen = std::make_shared<std::string>("error");
  const auto add = [&](const char* name, const char* help, const char* table, const char* skip_bad,
                       auto action) {
    CLI::App* added = app.add_subcommand(name, help);
    added->add_option("MODEL", request->model, "what `lacp fit` wrote")->required()->type_name("FILE");
    added->add_option("TABLE", request->table, table)->required()->type_name("FILE");
    added->add_option("--unseen", *unseen, "categories that the fit has not seen (default: error)")
        ->check(CLI::IsMember({"error", "zeros"}))
        ->type_name("error|zeros");
    added->add_flag("--skip-bad", request->skip_bad, skip_bad);
    added
        ->add_option("--jobs", request->jobs,
                     "threads (default: SLURM_CPUS_PER_TASK, or as many as processors)")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    add_quiet(*added);
    added->callback([request, unseen, action, &exit_code] {
      request->unseen_zeros = *unseen == "zeros";
      exit_code = action(*request);
    });
    return added;
  };
  CLI::App* predict =
      add("predict", "Predict the rows of a csv: intervals from a fitted model",
          "csv or csv.gz with the columns of the fit, in any order",
          "rows that cannot be predicted go to OUTPUT.bad.csv, with the reason", predict_table);
  predict->add_option("--output", request->output, "csv for the intervals (default: standard output)")
      ->type_name("FILE");
  add("evaluate", "Compare the intervals of a fitted model with what happened",
      "csv or csv.gz with the columns of the fit and the target",
      "rows that cannot be predicted are left out and counted", evaluate_table);
}

}  // namespace lacp
