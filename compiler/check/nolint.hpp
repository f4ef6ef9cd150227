// `// NOLINT(ID, …)` and `// NOLINTNEXTLINE(ID, …)`, as clang-tidy reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/range.hpp"

namespace fairway::check {

/// One NOLINT of a comment.
struct Nolint {
  struct Name {
    std::string id;
    model::Range range;
    model::Range removal;  ///< what to delete so that the list is good without it; no file: unknown
  };
  bool silences_all = false;  ///< no list
  unsigned target_line = 0;   ///< the line whose lints it silences
  std::vector<Name> names;
};

/// All of a source text. `file` is what their ranges name.
std::vector<Nolint> find_nolints(std::string_view source, const std::string& file);

}  // namespace fairway::check
