// One parse, with what a cache needs to know about it.
#pragma once

#include <cstdint>

#include "files/input.hpp"
#include "frontend/parse.hpp"
#include "frontend/shared_header.hpp"

namespace fairway::frontend {

struct ParseResult {
  model::ParsedFile file;
  /// What the file was made from; without the inputs of the shared header, if one was used.
  files::Inputs inputs;
  std::uint64_t header = 0;  ///< meaning of the shared header that was used; 0: none
};

/// As parse_file, with a shared header where one fits. The result is the same.
ParseResult parse_with(const ParseJob& job, SharedHeaders& headers);

}  // namespace fairway::frontend
