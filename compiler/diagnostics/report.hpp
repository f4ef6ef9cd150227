// The findings of a run, the input of every renderer.
#pragma once

#include <cstddef>

#include "model/diagnostic.hpp"

namespace fairway::diagnostics {

/// The findings of a run, and how much it read.
struct Report {
  std::size_t files = 0;        ///< source files read
  std::size_t route_files = 0;  ///< files of these that may have routes
  std::size_t routes = 0;       ///< routes resolved
  model::Diagnostics diagnostics;

  std::size_t errors() const;
  std::size_t warnings() const;
  bool ok() const { return errors() == 0; }
};

/// Order of presentation: file, line, column, then id and message. Equal findings are merged.
void sort_diagnostics(model::Diagnostics& diagnostics);

}  // namespace fairway::diagnostics
