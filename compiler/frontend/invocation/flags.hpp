// The flags with which a project compiles its files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "files/user_error.hpp"

namespace fairway::frontend {

/// The compiler arguments for a file, and the directory of relative paths in them.
struct CompileFlags {
  std::vector<std::string> arguments;
  std::string directory;
};

/// An error of the environment or of the invocation, not of the routes: exit status 2.
class EnvironmentError : public UserError {
  using UserError::UserError;
};

/// Directories of an application of fairway_add_app, as absolute paths.
struct ApplicationDirectories {
  std::string source;  ///< SOURCE_DIR
  std::string output;  ///< of the generated files; empty if it is not known
};

/// Provides the compiler flags for files. Thread-safe.
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
  /// The same, also if an object directory selects the flags; then it reads the whole database.
  virtual std::vector<ApplicationDirectories> all_applications() const { return {}; }
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

}  // namespace fairway::frontend
