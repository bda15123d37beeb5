#include "lacp/base/blas.hpp"

#ifdef LACP_HAS_OPENBLAS
extern "C" {
void openblas_set_num_threads(int count);
char* openblas_get_config(void);
char* openblas_get_corename(void);
}
#endif

namespace lacp {

#ifdef LACP_HAS_OPENBLAS
void use_one_blas_thread() { openblas_set_num_threads(1); }

std::string blas_version() {
  std::string version = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const std::size_t second_blank = version.find(' ', version.find(' ') + 1);
  return version.substr(0, second_blank) + " (" + openblas_get_corename() + ")";
}
#else
void use_one_blas_thread() {}
std::string blas_version() { return "BLAS without a version"; }
#endif

}  // namespace lacp
