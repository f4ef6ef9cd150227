// Compares a file as Clang reads it with the same file as GCC reads it. Where that is not the same,
// table and documents would be others than the program: by an empty macro, an overload, or a header
// that only one of them includes.
#pragma once

#include <vector>

#include "frontend/condition_observer.hpp"
#include "frontend/file_context.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// What a condition selects.
struct Selection {
  model::Range begin;
  std::vector<bool> values;  ///< of its directives
};
std::vector<Selection> selections(const Locations& at, const Conditions& conditions);

/// A file with the macros of GCC.
struct GccReading {
  model::ParsedFile file;
  std::vector<Selection> selections;
};

/// Whether what a file means may depend on macros of the compiler, so that it must be read as GCC
/// reads it.
bool is_reading_needed(const FileContext& context, const Conditions& conditions);

/// Marks the conditions that select another branch in one of the readings. Those that only mention
/// a macro which another condition defines, and select the same branch, are none of the compiler.
void note_readings(const FileContext& context, Conditions& conditions,
                   const std::vector<GccReading>& readings);

/// [registration-not-top-level] [unsupported-type] Reports routes and types that are not the same
/// in all readings. What only one of them sends in a handler is removed from the handler's
/// responses.
void compare_readings(FileContext& context, const Conditions& conditions,
                      const std::vector<GccReading>& readings);

}  // namespace fairway::frontend
