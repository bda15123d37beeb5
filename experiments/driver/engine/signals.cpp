#include "engine/signals.hpp"

#include <atomic>

namespace lacp {
namespace {

std::atomic<bool> taken_elsewhere{false};

}  // namespace

SignalsHere::SignalsHere() {
  taken_elsewhere = false;
  struct sigaction note {};
  note.sa_handler = [](int) { taken_elsewhere = true; };
  note.sa_flags = SA_RESTART;
  sigemptyset(&set_);
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    sigaddset(&set_, signals_[i]);
    sigaction(signals_[i], &note, &actions_[i]);
  }
  pthread_sigmask(SIG_BLOCK, &set_, &before_);
}

SignalsHere::~SignalsHere() {
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &actions_[i], nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalsHere::wait(std::chrono::milliseconds longest) const {
  const timespec time{0, std::chrono::nanoseconds(longest).count()};
  return sigtimedwait(&set_, nullptr, &time) > 0 || taken_elsewhere;
}

}  // namespace lacp
