// Uses of the types that are generated for routes: their header, their names, and whose they are.
// Without these rules a mistake is found by the compiler of the program only, after the routes have
// been resolved, and is reported in its terms.
#pragma once

#include <vector>

#include "model/application.hpp"
#include "model/parsed_file.hpp"

namespace fairway::check {

/// [missing-types-header] A file that uses types of a route file includes their header.
/// [unknown-route-type] `routes::users::CreateUser::Body` is generated for some route.
/// [type-of-another-route] A handler takes the types of its own route from `req.valid<…>()`.
/// Reports nothing about route files that have errors in `diagnostics`: which types they will have
/// is not known.
void check_generated_types(const model::Application& application,
                           const std::vector<const model::ParsedFile*>& files,
                           model::Diagnostics& diagnostics);

}  // namespace fairway::check
