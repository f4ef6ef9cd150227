// The templates of `fairway new`: the files of compiler/scaffold/templates, embedded.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::scaffold {

/// A file below templates/. In its path, a name that begins with "dot." becomes a hidden one.
struct EmbeddedFile {
  std::string_view path;
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_files();

/// A template is made of folders; a file of a later one replaces that of an earlier one.
struct ProjectTemplate {
  std::string_view name;
  std::string_view summary;
  std::vector<std::string_view> folders;
};
/// The first is the default.
const std::vector<ProjectTemplate>& project_templates();
/// Null if there is none of that name.
const ProjectTemplate* find_template(std::string_view name);

/// The text of each file, by path. `@key@` in paths and texts becomes the value of that key; other
/// '@' are kept.
std::map<std::string, std::string> rendered_files(const ProjectTemplate& project_template,
                                                  const std::map<std::string, std::string>& values);

}  // namespace fairway::scaffold
