#include <algorithm>

#include "scaffold/scaffold.hpp"

namespace fairway::scaffold {
namespace {

constexpr std::string_view kDot = "dot.";

std::string with_hidden_names(std::string_view path) {
  std::string result;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    std::string_view name = path.substr(0, end);
    if (name.starts_with(kDot)) name.remove_prefix(kDot.size() - 1);
    result += name;
    if (end < path.size()) result += '/';
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return result;
}

}  // namespace

const std::vector<ProjectTemplate>& project_templates() {
  static const std::vector<ProjectTemplate> templates = {
      {"api",
       "routes, a service, a middleware, tests, container and CI files",
       {"common", "deployment", "api"}},
      {"minimal", "one route and its test", {"common", "minimal"}},
      {"gateway",
       "a proxy and calls to other services, tests, container and CI files",
       {"common", "deployment", "gateway"}},
      {"pages",
       "pages with a form, tests, container and CI files",
       {"common", "deployment", "pages"}},
  };
  return templates;
}

const ProjectTemplate* find_template(std::string_view name) {
  const auto found = std::ranges::find(project_templates(), name, &ProjectTemplate::name);
  return found == project_templates().end() ? nullptr : &*found;
}

std::map<std::string, std::string> rendered_files(
    const ProjectTemplate& project_template, const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> result;
  for (const std::string_view folder : project_template.folders) {
    for (const EmbeddedFile& file : embedded_files()) {
      if (!file.path.starts_with(folder) || file.path[folder.size()] != '/') continue;
      const std::string path = with_hidden_names(file.path.substr(folder.size() + 1));
      result[path] = files::replace_placeholders(file.text, values);
    }
  }
  return result;
}

}  // namespace fairway::scaffold
