#include "scaffold/project_template.hpp"

#include <algorithm>

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

std::string rendered(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  while (true) {
    const std::size_t begin = text.find('@');
    const std::size_t end = begin == text.npos ? begin : text.find('@', begin + 1);
    if (end == text.npos) return result.append(text);
    const auto value = values.find(std::string(text.substr(begin + 1, end - begin - 1)));
    if (value == values.end()) {
      result.append(text.substr(0, end));
      text.remove_prefix(end);
    } else {
      result.append(text.substr(0, begin)).append(value->second);
      text.remove_prefix(end + 1);
    }
  }
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
  };
  return templates;
}

const ProjectTemplate* find_template(std::string_view name) {
  const auto found = std::ranges::find(project_templates(), name, &ProjectTemplate::name);
  return found == project_templates().end() ? nullptr : &*found;
}

std::map<std::string, std::string> rendered_files(
    const ProjectTemplate& project_template, const std::map<std::string, std::string>& values) {
  std::map<std::string, std::string> files;
  for (const std::string_view folder : project_template.folders) {
    for (const EmbeddedFile& file : embedded_files()) {
      if (!file.path.starts_with(folder) || file.path[folder.size()] != '/') continue;
      const std::string path = with_hidden_names(file.path.substr(folder.size() + 1));
      files[rendered(path, values)] = rendered(file.text, values);
    }
  }
  return files;
}

}  // namespace fairway::scaffold
