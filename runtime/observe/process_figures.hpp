// Figures of the process, as other Prometheus clients name them.
#pragma once

#include "observe/exposition.hpp"

namespace fw::detail {

/// Omits what the system does not tell.
void write_process_figures(Exposition& text);

}  // namespace fw::detail
