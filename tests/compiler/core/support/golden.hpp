// Texts that stand in files beside the tests.
#pragma once

#include <string>

namespace fairway::testing {

/// The content of a file below tests/compiler/core/golden. With FAIRWAY_UPDATE_GOLDENS in the
/// environment `actual` replaces it first.
std::string golden(const std::string& path, const std::string& actual);

}  // namespace fairway::testing
