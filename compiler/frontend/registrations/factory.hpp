// Reads the statements of a route factory.
#pragma once

#include "frontend/registrations/default_export.hpp"
#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// Collects the registrations that are direct statements of the factory, and reports every other
/// use of the router that could register a route.
void read_factory(FileContext& context, const Factory& factory);

}  // namespace fairway::frontend
