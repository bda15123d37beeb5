#pragma once

#include <cstddef>

/// What this thread has allocated, in all: how often, and how many bytes. main.cpp counts by taking the place
/// of the C library's functions, which Armadillo calls too. A sanitizer brings its own, and other C libraries
/// have no way on to the original: tests that count are left out there.
inline thread_local std::size_t allocations = 0, allocated = 0;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define LACP_COUNTS_ALLOCATIONS
#endif
