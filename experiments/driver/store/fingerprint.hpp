#pragma once

#include <string>

#include "datasets/description.hpp"

namespace lacp {

/// SHA-256 of everything about a description that shapes its numbers: the file's own checksum, the columns
/// taken from it and its format, or the parameters of a synthetic set. Known without reading a file whose
/// checksum the description states, since loading refuses any other file.
std::string data_fingerprint(const DatasetDescription& description);

/// The same for a file with this checksum.
std::string data_fingerprint(const DatasetDescription& description, const std::string& file_sum);

/// How many rows to expect, for estimates; 0 if nothing is said about it.
std::size_t expected_rows(const DatasetDescription& description);

}  // namespace lacp
