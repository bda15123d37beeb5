#include "work/pack.hpp"

#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "store/manifest.hpp"
#include "store/pack.hpp"

namespace lacp {

int pack_results(const std::vector<std::filesystem::path>& folders) {
  for (const auto& folder : folders) load_manifest(folder);  // is it one?
  int code = exit_done;
  for (const auto& folder : folders) {
    const Packing packing = pack_cells(folder);
    for (const std::string& reason : packing.left) tell("{}; it was not packed\n", reason);
    if (!packing.left.empty()) code = exit_failed;
    say("{}: {} packed, in {}\n", folder.string(), counted(packing.cells, "cell"),
        counted(packing.packs.size(), "file"));
  }
  return code;
}

}  // namespace lacp
