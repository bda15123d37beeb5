#pragma once

#include <string>

#include "lacp/base/error.hpp"

namespace lacp {

/// The message of an error of the library and, behind it, what to do about it in the words of this program:
/// its options, and the keys of a description.
std::string with_advice(const Error& error);

/// The same if it is one of the library, or what it says.
std::string message_with_advice(const std::exception& error);

/// The same as json for a program that reads it, without advice: code, values, line and message.
std::string json_of(const Error& error);

}  // namespace lacp
