#pragma once

#include <string>

#include "lacp/base/error.hpp"

namespace lacp::test {

/// The message of the Error that `action` throws; "" if it throws none. Anything else passes through and
/// fails the test.
template <class Error = UserError, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace lacp::test
