// The golden files of tests/compiler/core/golden.
#pragma once

#include <string>

#include "golden_files.hpp"

namespace fairway::testing {

/// How `actual` differs from the golden file; nothing when it does not.
inline std::string golden_difference(const std::string& path, const std::string& actual) {
  return test::golden_difference(FAIRWAY_GOLDEN_DIR, FAIRWAY_GOLDEN_OUTPUT_DIR, path, actual);
}

}  // namespace fairway::testing
