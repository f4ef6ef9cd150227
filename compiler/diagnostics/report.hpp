// A run's findings, as every renderer takes them.
#pragma once

#include <cstddef>

#include "model/diagnostic.hpp"

namespace fairway::diagnostics {

/// What one run read and found.
struct Report {
  std::size_t files = 0;   ///< source files read
  std::size_t routes = 0;  ///< routes resolved
  model::Diagnostics diagnostics;

  std::size_t errors() const;
  std::size_t warnings() const;
  bool ok() const { return errors() == 0; }
};

/// Order of presentation: file, line, column, then id and message. Equal findings are merged.
void sort_diagnostics(model::Diagnostics& diagnostics);

}  // namespace fairway::diagnostics
