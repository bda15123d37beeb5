#include "lacp/network/kernels/kernels.hpp"

#include <atomic>
#include <cstdlib>
#include <string>

#include "lacp/base/error.hpp"

namespace lacp {

const Kernels scalar_kernels = {"scalar", plain::product, plain::transpose, plain::adam<float>};

namespace {

std::vector<const Kernels*> find_usable() {
  std::vector<const Kernels*> usable = {&scalar_kernels, &portable_kernels};
#if defined(__aarch64__)
  usable.push_back(&neon_kernels);  // every processor of this kind has it
#elif defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable.push_back(&avx2_kernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
    usable.push_back(&avx512_kernels);
#endif
  return usable;
}

const Kernels& find(std::string_view name) {
  std::string names;
  for (const Kernels* kernels : usable_kernels()) {
    if (kernels->name == name) return *kernels;
    names += (names.empty() ? "" : ", ") + std::string(kernels->name);
  }
  user_error("LACP_KERNELS: this processor has no kernels '{}'; it can run {}", name, names);
}

const Kernels& choose() {
  const char* name = std::getenv("LACP_KERNELS");
  return name != nullptr && *name != '\0' ? find(name) : *usable_kernels().back();
}

std::atomic<const Kernels*> in_use = nullptr;

}  // namespace

const std::vector<const Kernels*>& usable_kernels() {
  static const std::vector<const Kernels*> usable = find_usable();
  return usable;
}

const Kernels& kernels() {
  const Kernels* chosen = in_use.load(std::memory_order_relaxed);
  if (chosen == nullptr) in_use.store(chosen = &choose(), std::memory_order_relaxed);
  return *chosen;
}

void use_kernels(std::string_view name) {
  in_use.store(name.empty() ? nullptr : &find(name), std::memory_order_relaxed);
}

}  // namespace lacp
