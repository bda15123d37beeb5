#pragma once

#include <functional>
#include <vector>

namespace lacp::bench {

/// Keeps this thread on the processor it runs on, where the system has a call for that. Returns whether it is
/// kept there.
bool stay_on_one_core();

/// Undoes stay_on_one_core, for children that are to use every core.
void use_every_core();

/// Seconds of processor time that this thread has used: on an idle machine the same as time on the clock, on
/// a busy one without the time in which others had the core.
double thread_seconds();

/// The shortest time of one call of each function, in seconds. The functions take turns, so that a change of
/// the machine's speed meets all of them; calls that are short are timed several at once. Goes on until every
/// function was timed three times and `budget` seconds are over.
std::vector<double> shortest(const std::vector<std::function<void()>>& functions, double budget);

/// The same for one function.
double shortest(const std::function<void()>& function, double budget);

/// Keeps the compiler from leaving out the work that leads to a value.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace lacp::bench
