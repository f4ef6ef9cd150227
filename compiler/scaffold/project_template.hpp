// The templates of `fairway new`: the files of compiler/scaffold/templates, embedded.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/embedded_file.hpp"

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

}  // namespace fairway::scaffold
