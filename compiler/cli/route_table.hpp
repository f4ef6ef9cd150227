// The route table as JSON.
#pragma once

#include "model/application.hpp"

namespace fairway::cli {

/// What `fairway routes --format json` prints.
model::Json route_table_json(const model::Application& application);

}  // namespace fairway::cli
