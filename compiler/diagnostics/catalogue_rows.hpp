// The parts of the catalogue, by what they speak of.
#pragma once

#include "diagnostics/catalogue.hpp"

namespace fairway::diagnostics {

std::span<const Rule> export_rules();        ///< default exports and files
std::span<const Rule> registration_rules();  ///< calls of `app.<method>(…)`
std::span<const Rule> declaration_rules();   ///< paths, schemas and options of one route
std::span<const Rule> application_rules();   ///< what only all routes together show
std::span<const Rule> lint_rules();          ///< warnings

}  // namespace fairway::diagnostics
