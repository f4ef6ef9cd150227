#include <algorithm>
#include <filesystem>
#include <utility>

#include "resolve/route_files.hpp"

namespace fairway::resolve {
namespace {

using model::ExportKind;
using model::ParsedFile;

std::string target_path(const ParsedFile& file) {
  const auto folder = std::filesystem::path(file.path).parent_path();
  return (folder / file.reexport_target).lexically_normal().generic_string();
}

}  // namespace

Reexports follow_reexports(const ParsedFile& file, const FileIndex& files) {
  Reexports result;
  const ParsedFile* current = &file;
  while (current->export_kind == ExportKind::reexport) {
    result.chain.push_back(current);
    std::string target = target_path(*current);
    const auto found = files.find(target);
    if (found == files.end() || role_of(target) != FileRole::route) {
      result.missing_target = std::move(target);
      return result;
    }
    current = found->second;
    if (std::ranges::find(result.chain, current) != result.chain.end()) {
      result.is_cycle = current == &file;
      return result;
    }
  }
  if (current->export_kind == ExportKind::routes) result.source = current;
  return result;
}

}  // namespace fairway::resolve
