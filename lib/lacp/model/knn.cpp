#include <mlpack/core.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search.hpp>
namespace lacp { int knn_stub() { mlpack::KNN k; return k.SearchMode(); } }
