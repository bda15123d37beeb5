#pragma once

/// How Armadillo's templates are compiled in this file.
static inline const char* armadillo_definitions() {
  return ""
#ifdef ARMA_USE_WRAPPER
         "wrapper "
#endif
#ifdef ARMA_USE_LAPACK
         "lapack "
#endif
#ifdef ARMA_USE_BLAS
         "blas "
#endif
#ifdef ARMA_USE_OPENMP
         "openmp "
#endif
#ifdef ARMA_NO_DEBUG
         "no-debug "
#endif
      ;
}
