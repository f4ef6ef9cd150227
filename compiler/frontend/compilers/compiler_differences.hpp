// Compares a file as Clang reads it with the same file as GCC reads it. Where that is not the same,
// table and documents would be others than the program: by an empty macro, an overload, or a header
// that only one of them includes.
#pragma once

#include <clang/Basic/SourceManager.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "frontend/compilers/condition_observer.hpp"
#include "frontend/compilers/other_compiler.hpp"
#include "frontend/source/file_context.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

/// What a condition selects.
struct Selection {
  std::pair<std::string, unsigned> begin;  ///< the file and the offset
  std::vector<bool> values;                ///< of its directives
  bool is_covered = true;                  ///< as in CompilerCondition
};
std::vector<Selection> selections(const clang::SourceManager& sources,
                                  const Conditions& conditions);

/// A file as a compiler preprocesses it.
struct Preprocessing {
  Compiler compiler;
  std::vector<Selection> selections;
  std::uint64_t tokens = 0;  ///< the hash of what is parsed
  bool mention_gcc_version = false;
  bool is_parsed = false;  ///< whether it is compared, or equal to what is compared
};

/// A file with the macros of GCC.
struct GccReading {
  model::ParsedFile file;
  std::vector<Selection> selections;
};

/// Whether what a file means may depend on macros of the compiler, so that it must be preprocessed
/// as other compilers do it.
bool is_reading_needed(const FileContext& context, const Conditions& conditions);

/// The compilers that may select other branches: GCC 12, newer ones, and for versions in conditions
/// more of them. Only versions of GCC are parsed, unless they have everything.
std::vector<Compiler> other_compilers(bool mention_gcc_version, bool mention_clang_version);

/// Marks the conditions that select another branch for one of the compilers. Those for which all
/// compilers select the same branch are none of the compiler, and neither are those that only
/// mention a macro which another condition defines.
void note_readings(const FileContext& context, Conditions& conditions, std::uint64_t own_tokens,
                   const std::vector<Preprocessing>& others);

/// [registration-not-top-level] [unsupported-type] Reports routes and types that are not the same
/// in all readings. What only one of them sends in a handler is removed from the handler's
/// responses.
void compare_readings(FileContext& context, const Conditions& conditions,
                      const std::vector<GccReading>& readings);

}  // namespace fairway::frontend
