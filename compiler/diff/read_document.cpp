#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include "diff/document.hpp"
#include "diff/manifest_document.hpp"

namespace fairway::diff {
namespace {

bool looks_like_yaml(const std::string& name, const std::string& text) {
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return true;
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return false;
  if (text.compare(begin, 3, "---") == 0 || text[begin] == '#') return true;
  // A key of letters, then a colon.
  std::size_t end = begin;
  while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
  return end > begin && end < text.size() && text[end] == ':';
}

Json parsed(const std::string& name, const std::string& text) {
  const auto limit = [&](int depth, Json::parse_event_t, Json&) {
    if (depth < 0 || static_cast<std::size_t>(depth) <= kDeepest) return true;
    throw BadDocument(fmt::format("{}: is nested more than {} levels deep", name, kDeepest));
  };
  try {
    return Json::parse(text, limit);
  } catch (const Json::parse_error& error) {
    if (looks_like_yaml(name, text)) {
      throw BadDocument(fmt::format(
          "{}: is YAML: convert it to JSON first, for example with 'npx js-yaml {}'", name, name));
    }
    std::string what = error.what();
    const std::size_t begin = what.find("at line");
    throw BadDocument(fmt::format("{}: is not JSON: {}", name,
                                  begin == std::string::npos ? what : what.substr(begin)));
  }
}

bool is_manifest(const Json& root) {
  return root.contains("files") && root["files"].is_array() && root.contains("version");
}

}  // namespace

Document parse_document(const std::string& name, const std::string& text) {
  Json root = parsed(name, text);
  if (root.is_object() && is_manifest(root)) {
    return {name, manifest_document(name, root), Document::Source::manifest};
  }
  if (root.is_object() && root.contains("swagger")) {
    throw BadDocument(fmt::format(
        "{}: is a Swagger 2.0 document: convert it first, for example with 'npx swagger2openapi'",
        name));
  }
  if (!root.is_object() || !root.contains("openapi") || !root["openapi"].is_string()) {
    throw BadDocument(fmt::format(
        "{}: is neither an OpenAPI document (no 'openapi' member) nor a routes.manifest.json",
        name));
  }
  const auto version = root["openapi"].get<std::string>();
  if (!version.starts_with("3.0") && !version.starts_with("3.1")) {
    throw BadDocument(
        fmt::format("{}: is OpenAPI {}: versions 3.0 and 3.1 can be compared", name, version));
  }
  return {name, std::move(root)};
}

Document read_document(const std::filesystem::path& path) {
  // Not files alone: `fairway diff <(git show main:openapi.json) openapi.json` names a pipe.
  std::error_code fault;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path, fault)) {
    throw BadDocument(fmt::format("cannot read '{}'", path.string()));
  }
  return parse_document(path.string(), {std::istreambuf_iterator<char>(stream), {}});
}

}  // namespace fairway::diff
