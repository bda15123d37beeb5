#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/text_table.hpp"
#include "output/results.hpp"

namespace lacp {

/// What a change of a protocol's settings does to the size of one method on one data set at one level.
struct AblationRow {
  std::string group;    ///< experiments that were run on the same data sets
  std::string variant;  ///< name of the change
  std::string protocol;
  std::string changed;  ///< "training.epochs: 10 → 50", found by comparing the manifests; "" for the protocol
  std::string dataset, method, alpha;
  std::size_t runs_wanted = 0;
  Moments base, size;    ///< of the protocol as it is, and changed
  PairedInterval ratio;  ///< size / base, paired by run: geometric mean with its 95 % interval
  double p_holm = 1.0;   ///< of the ratio, corrected; set where rows are shown

  bool is_base() const { return variant == protocol; }
  /// False if every run is as it was: the method does not know the setting.
  bool touched() const { return ratio.lower != 1.0 || ratio.upper != 1.0; }
  std::size_t failed() const { return runs_wanted - size.n; }
  double spread() const { return size.deviation / size.mean; }
  double base_spread() const { return base.deviation / base.mean; }
};

/// Compares the experiments <group>/<variant>/<protocol> with <group>/<protocol>/<protocol>. Data sets are
/// paired by the name that the published table has for them. UserError if the protocol itself is not there.
std::vector<AblationRow> ablate(const std::filesystem::path& group);

/// The rows of one changed experiment, e.g. of a variant against its protocol.
std::vector<AblationRow> ablation_rows(const std::string& group, const std::string& name,
                                       const Results& variant, const Results& base);

TextTable ablation_csv(const std::vector<AblationRow>& rows);
std::vector<AblationRow> read_ablation_csv(const std::filesystem::path& file);

/// A markdown document for the first level: the changes that make a difference, what makes the error fit
/// unstable, and every size.
std::string ablation_document(const std::vector<AblationRow>& rows);

/// One sentence: what calms the error fit. "" if nothing does.
std::string ablation_summary(const std::vector<AblationRow>& rows);

/// Writes ablation.csv and README.md into `folder`.
void write_ablation(const std::vector<AblationRow>& rows, const std::filesystem::path& folder);

}  // namespace lacp
