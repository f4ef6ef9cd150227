// Parsing with the flags that the fixtures are written for.
#pragma once

#include <string>

#include "frontend/caching_parser.hpp"
#include "frontend/parse.hpp"
#include "temporary_directory.hpp"

namespace fairway::test {

inline frontend::CompileFlags fixture_flags() {
  return frontend::fixed_flags({"-std=c++20", "-I" FAIRWAY_INCLUDE_DIR}, "")->flags_for("");
}

inline model::ParsedFile parse_fixture(const std::string& path) {
  return frontend::parse_file({.source_dir = FIXTURE_DIR, .path = path, .flags = fixture_flags()})
      .file;
}

/// A file below `source_dir`, with the precompiled header that the tests share.
inline model::ParsedFile parse_with_shared_header(const std::string& source_dir,
                                                  const std::string& path) {
  frontend::CachingParser parser(FIXTURE_CACHE, {.uses_results = false});
  return parser.parse({.source_dir = source_dir, .path = path, .flags = fixture_flags()}).file;
}

/// The same for a file `a.cpp` with this text.
inline model::ParsedFile parse_text(const std::string& text) {
  const TemporaryDirectory directory;
  directory.write("a.cpp", text);
  return parse_with_shared_header(directory.path(), "a.cpp");
}

}  // namespace fairway::test
