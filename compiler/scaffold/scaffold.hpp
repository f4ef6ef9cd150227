// What `fairway new` writes. The templates are the files of compiler/scaffold/templates, embedded.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/embedded_file.hpp"
#include "files/user_error.hpp"

namespace fairway::scaffold {

/// The files below templates/. In a path, a name that begins with "dot." becomes a hidden one.
std::span<const EmbeddedFile> embedded_files();

/// A template is made of folders; a file of a later folder replaces a file of an earlier one.
struct ProjectTemplate {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> folders;
};
/// The first is the default.
const std::vector<ProjectTemplate>& project_templates();
/// Null if there is none of that name.
const ProjectTemplate* find_template(std::string_view name);

/// The text of each file, by path: `@key@` becomes the value of that key.
std::map<std::string, std::string> rendered_files(const ProjectTemplate& project_template,
                                                  const std::map<std::string, std::string>& values);

// project_name.cpp: The name of a new project, and the names that follow from it.

/// The message says what is wrong with the name and, where it can, suggests another one.
class BadProjectName : public UserError {
  using UserError::UserError;
};

/// The folder, the CMake project and its program have this name. It begins with a letter and
/// consists of at most 64 ASCII letters, digits, '-' and '_'.
class ProjectName {
 public:
  /// Throws BadProjectName.
  explicit ProjectName(std::string_view text);

  const std::string& text() const { return text_; }
  /// In lower case with '_' instead of '-', for C++ and TypeScript names.
  std::string identifier() const;
  /// The identifier in upper case, for CMake options.
  std::string macro() const;

 private:
  std::string text_;
};

// new_folder.cpp

/// Writes files, which are named by their paths in `folder`, to a temporary folder next to it, and
/// then renames that folder. If anything fails, `folder` is unchanged. SIGINT, SIGTERM and SIGHUP
/// are blocked until then. `folder` must not exist, or must be empty. Throws UserError.
void write_new_folder(const std::filesystem::path& folder,
                      const std::map<std::string, std::string>& files);

}  // namespace fairway::scaffold
