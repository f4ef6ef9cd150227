// `app_table.hpp` and `app_table.cpp`: the route table of an application.
#pragma once

#include <string>

#include "model/application.hpp"

namespace fairway::emit {

/// Declares `fairway_app()`, or `<name>_app()` for one of several applications.
std::string emit_app_table_header(const model::Application& application);

/// Defines it. `openapi` is the document that it serves.
std::string emit_app_table(const model::Application& application, const model::Json& openapi);

/// Where the header stands below the include directory: "fairway/app_table.hpp", or
/// "fairway/<name>/app_table.hpp".
std::string app_table_header_path(const model::Application& application);

}  // namespace fairway::emit
