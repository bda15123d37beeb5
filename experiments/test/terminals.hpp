#pragma once

#include <doctest/doctest.h>
#include <pty.h>
#include <unistd.h>

/// Whether a program can be started on a terminal here. In a bare chroot it cannot, and the test says so.
inline bool has_terminals() {
  int master = -1, slave = -1;
  if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0) {
    MESSAGE("skipped: there are no terminals here (/dev/pts is not mounted)");
    return false;
  }
  ::close(master), ::close(slave);
  return true;
}
