// The interface of the front end: parses source files to plain data. No Clang types.
//
//   const auto flags = fairway::frontend::flags_from_database("build");
//   const auto result = fairway::frontend::parse_file(
//       {.source_dir = "src", .path = "routes/users.cpp", .flags = flags->flags_for(absolute)});
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "files/input.hpp"
#include "frontend/invocation/flags.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

class SharedHeaders;

/// The version of the LLVM and Clang that parse route files: "19.1.7".
std::string llvm_version();

/// One file to resolve.
struct ParseJob {
  std::string source_dir;
  std::string path;  ///< below `source_dir`, with '/'
  CompileFlags flags;
  std::shared_ptr<const files::UnsavedFiles> unsaved = {};  ///< null if there are none
  /// Whether errors in handlers are reported, too: `unsaved` has the generated headers, without the
  /// note that they are generated.
  bool reports_handlers = false;
  /// The generated headers that the file and its headers include, by the names in the includes.
  /// Null: the file is read without them, and what uses generated types is not known.
  std::shared_ptr<const files::UnsavedFiles> generated = {};
  /// Whether the file will be read again with the generated headers, if it needs them. Then this
  /// reading is for its schemas only and reports nothing.
  bool types_follow = false;
};

/// The result of a parse, with data for a cache.
struct ParseResult {
  model::ParsedFile file;
  /// The inputs of the file, without the inputs of the shared header if one was used.
  files::Inputs inputs;
  std::uint64_t header = 0;  ///< hash of the shared header that was used; 0 if none was
};

/// Resolves one file, with a shared header of `headers` if possible, which does not change the
/// result. Errors in the source are diagnostics of the file. Throws EnvironmentError for other
/// errors. Thread-safe.
ParseResult parse_file(const ParseJob& job, SharedHeaders* headers = nullptr);

}  // namespace fairway::frontend
