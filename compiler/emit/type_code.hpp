// The code that reads and writes C++ types of an application (docs/types.md).
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// The name of the row of a type in the table.
std::string type_row_name(const model::UsedType& used, const model::Application& application);

/// `types.cpp`: the code of the types that headers define, and their rows. Includes headers by
/// their paths from the source directory.
std::string emit_types(const model::Application& application);

/// What the header of a route file contains for the types that this file defines: the code, and the
/// macro that FW_EXPORT_DEFAULT expands where they are defined. Empty if it defines none.
std::string local_types_text(const model::Application& application, const model::RouteFile& file);

}  // namespace fairway::emit
