#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdlib>

/// What this thread has allocated, in all: how often, and how many bytes. Counted by taking the place of the
/// C library's functions, which Armadillo calls too. A sanitizer brings its own, and other C libraries have
/// no way on to the original: tests that count are left out there. For one file of a program.
inline thread_local std::size_t allocations = 0, allocated = 0;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LACP_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations, allocated += size;
  return __libc_malloc(size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  ++allocations, allocated += size;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif
