#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <utility>

#include "diff/document.hpp"
#include "files/data_file.hpp"

namespace fairway::diff {
namespace {

Json parsed(const std::string& name, const std::string& text) {
  try {
    return files::read_data(name, text, kMaxDepth);
  } catch (const files::BadData& error) {
    throw BadDocument(error.what());
  }
}

bool is_manifest(const Json& root) {
  return root.contains("files") && root["files"].is_array() && root.contains("version");
}

}  // namespace

Document parse_document(const std::string& name, const std::string& text,
                        const DocumentOf& document_of) {
  Json root = parsed(name, text);
  if (root.is_object() && is_manifest(root)) {
    return {name, document_of(read_manifest(name, root)), Document::Source::manifest};
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

Document read_document(const std::filesystem::path& path, const DocumentOf& document_of) {
  // The path may be a pipe: `fairway diff <(git show main:openapi.json) openapi.json`.
  std::error_code error;
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path, error)) {
    throw BadDocument(fmt::format("cannot read '{}'", path.string()));
  }
  return parse_document(path.string(), {std::istreambuf_iterator<char>(stream), {}}, document_of);
}

}  // namespace fairway::diff
