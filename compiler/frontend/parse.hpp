// The front end as the rest of the compiler sees it: source text in, plain data out. No Clang here.
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

/// How one file is compiled: the arguments as given after the compiler's name, and the directory
/// that relative paths in them start from.
struct CompileFlags {
  std::vector<std::string> arguments;
  std::string directory;
};

/// One file to resolve.
struct ParseJob {
  std::string source_dir;
  std::string path;  ///< below `source_dir`, with '/'
  CompileFlags flags;
};

/// An error of the machine or of the invocation, not of the routes: exit status 2.
class EnvironmentError : public UserError {
  using UserError::UserError;
};

/// Where a file's flags come from. Thread-safe.
class FlagsProvider {
 public:
  virtual ~FlagsProvider() = default;
  /// Throws EnvironmentError when there are none.
  virtual CompileFlags flags_for(const std::string& absolute_path) const = 0;
  /// What the user should know of how the flags were chosen; usually empty.
  virtual std::string note() const { return {}; }
};

/// Which command is meant where a file is compiled several times, for several targets or
/// configurations. Without a choice it is the first one.
struct CommandChoice {
  std::string object_dir = {};  ///< the one whose object file is below this directory
  std::string name = {};        ///< else the one of the application with this name or target
  std::string source_dir = {};  ///< where that application's files are, an absolute path
};

/// Flags of the compilation database in `build_dir`; a file that is not in it has those of its
/// nearest sibling. Throws EnvironmentError when there is no readable database, and for a choice
/// that it does not have.
std::unique_ptr<FlagsProvider> flags_from_database(const std::string& build_dir,
                                                   const CommandChoice& choice = {});

/// The same flags for every file.
std::unique_ptr<FlagsProvider> fixed_flags(std::vector<std::string> arguments,
                                           std::string directory);

/// Resolves one file. Errors of the user's source are diagnostics of the result and never thrown;
/// throws EnvironmentError for errors of the machine. Thread-safe.
model::ParsedFile parse_file(const ParseJob& job);

/// One parse, with what a cache needs to know about it.
struct ParseResult {
  model::ParsedFile file;
  /// What the file was made from; without the inputs of the shared header, if one was used.
  files::Inputs inputs;
  std::uint64_t header = 0;  ///< meaning of the shared header that was used; 0: none
};

/// As parse_file, with a shared header where one fits. The result is the same.
ParseResult parse_with(const ParseJob& job, SharedHeaders& headers);

}  // namespace fairway::frontend
