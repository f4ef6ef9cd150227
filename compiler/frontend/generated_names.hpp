// Names of types that `fairway build` generates, as a source file uses them.
#pragma once

#include <optional>

#include "frontend/compile_errors.hpp"
#include "frontend/unit.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// The generated headers are empty here, so that Clang reports each use of `routes::…` at its first
/// word: the whole name, where `error` is such a report. Names that an alias or a using-directive
/// shortens are not recognized.
std::optional<model::GeneratedName> generated_name(const Unit& unit,
                                                   const ErrorCollector::Error& error);

}  // namespace fairway::frontend
