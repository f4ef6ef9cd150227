// The interface of the front end: parses source files to plain data. No Clang types.
//
//   const auto flags = fairway::frontend::flags_from_database("build");
//   const auto file = fairway::frontend::parse_file(
//       {.source_dir = "src", .path = "routes/users.cpp", .flags = flags->flags_for(absolute)});
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "files/input.hpp"
#include "files/user_error.hpp"
#include "model/parsed_file.hpp"

namespace fairway::frontend {

class SharedHeaders;

/// The version of the LLVM and Clang that parse route files: "19.1.7".
std::string llvm_version();

/// The compiler arguments for a file, and the directory of relative paths in them.
struct CompileFlags {
  std::vector<std::string> arguments;
  std::string directory;
};

/// One file to resolve.
struct ParseJob {
  std::string source_dir;
  std::string path;  ///< below `source_dir`, with '/'
  CompileFlags flags;
  std::shared_ptr<const files::UnsavedFiles> unsaved = {};  ///< null if there are none
  /// Whether errors in handlers are reported, too: `unsaved` has the generated headers, without the
  /// note that they are generated.
  bool reports_handlers = false;
};

/// An error of the environment or of the invocation, not of the routes: exit status 2.
class EnvironmentError : public UserError {
  using UserError::UserError;
};

/// Provides the compiler flags for files. Thread-safe.
/// Of an application of fairway_add_app, as absolute paths.
struct ApplicationDirectories {
  std::string source;  ///< SOURCE_DIR
  std::string output;  ///< of the generated files; empty if it is not known
};

class FlagsProvider {
 public:
  virtual ~FlagsProvider() = default;
  /// Throws EnvironmentError if there are none.
  virtual CompileFlags flags_for(const std::string& absolute_path) const = 0;
  /// A note for the user about the choice of flags; usually empty.
  virtual std::string note() const { return {}; }
  /// The target of fairway_add_app whose flags these are; empty if it is not known.
  virtual std::string application() const { return {}; }
  /// The directory of its generated files; empty if it is not known.
  virtual std::string output_directory() const { return {}; }
  /// All applications of the build; empty if they are not known, or an object directory selects the
  /// flags.
  virtual std::vector<ApplicationDirectories> applications() const { return {}; }
};

/// Selects a command for files that are compiled several times, for several targets or
/// configurations. By default the first one is used.
struct CommandChoice {
  std::string object_dir = {};  ///< selects the command whose object file is below this directory
  std::string name = {};  ///< otherwise, the command of the application with this name or target
  std::string source_dir = {};  ///< source directory of that application, an absolute path
};

/// Flags from the compilation database in `build_dir`; a file that is not in it has the flags of
/// its nearest sibling. Throws EnvironmentError if there is no readable database or no command for
/// the choice.
std::unique_ptr<FlagsProvider> flags_from_database(const std::string& build_dir,
                                                   const CommandChoice& choice = {});

/// The same flags for every file.
std::unique_ptr<FlagsProvider> fixed_flags(std::vector<std::string> arguments,
                                           std::string directory);

/// Resolves one file. Errors in the source are diagnostics of the result. Throws EnvironmentError
/// for other errors. Thread-safe.
model::ParsedFile parse_file(const ParseJob& job);

/// The result of a parse, with data for a cache.
struct ParseResult {
  model::ParsedFile file;
  /// The inputs of the file, without the inputs of the shared header if one was used.
  files::Inputs inputs;
  std::uint64_t header = 0;  ///< hash of the shared header that was used; 0 if none was
};

/// Like parse_file, but uses a shared header if possible. The result is the same. `headers` may be
/// null.
ParseResult parse_with(const ParseJob& job, SharedHeaders* headers);

}  // namespace fairway::frontend
