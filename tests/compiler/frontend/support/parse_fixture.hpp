// Parsing with the flags that the fixtures are written for.
#pragma once

#include <string>

#include "frontend/parse.hpp"

namespace fairway::test {

inline frontend::CompileFlags fixture_flags() {
  return frontend::fixed_flags({"-std=c++20", "-I" FAIRWAY_INCLUDE_DIR}, "")->flags_for("");
}

inline model::ParsedFile parse_fixture(const std::string& path) {
  return frontend::parse_file({.source_dir = FIXTURE_DIR, .path = path, .flags = fixture_flags()})
      .file;
}

}  // namespace fairway::test
