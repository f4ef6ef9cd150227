// The metrics of the event streams and the sockets of routes (docs/metrics.md).
#pragma once

#include <span>

namespace fw::detail {

class Exposition;
struct Route;

void write_push_figures(Exposition& text, std::span<const Route* const> routes);

}  // namespace fw::detail
