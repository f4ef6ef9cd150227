// Groups the commands of a compilation database by application.
#pragma once

#include <clang/Tooling/CompilationDatabase.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::frontend {

/// A call of fairway_add_app.
struct DatabaseApplication {
  std::string name;        ///< NAME; empty for an application without one
  std::string target;      ///< empty if the path of the object file is not one of CMake's
  std::string source_dir;  ///< SOURCE_DIR as an absolute path
  std::string output_dir;  ///< directory of the generated files; empty like `target`

  bool is_named(std::string_view wanted) const { return wanted == name || wanted == target; }
  const std::string& shown_name() const { return name.empty() ? target : name; }
  bool operator==(const DatabaseApplication&) const = default;
};

/// The application that a command belongs to. Empty for commands that are not from fairway_add_app.
std::optional<DatabaseApplication> application_of(const clang::tooling::CompileCommand& command);

/// All applications of a database, in the order of their first command.
std::vector<DatabaseApplication> applications_of(
    const clang::tooling::CompilationDatabase& database);

/// Only the commands of `application`; a file without a command has the command of its nearest
/// sibling.
std::unique_ptr<clang::tooling::CompilationDatabase> commands_for(
    std::unique_ptr<clang::tooling::CompilationDatabase> database,
    const DatabaseApplication& application);

}  // namespace fairway::frontend
