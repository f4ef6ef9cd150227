#include "check/bad_route_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fairway::check {
namespace {

constexpr std::string_view kId = "bad-route-path";

}  // namespace

std::optional<fw::schema::RoutePath> checked_path(std::string_view prefix,
                                                  const model::Value& subpath,
                                                  std::string_view path, Reporter& reporter) {
  auto parsed = fw::schema::parse_route_path(path);
  if (auto* fault = std::get_if<fw::schema::PathFault>(&parsed)) {
    // The final path is the prefix, a slash where the subpath has none, and the subpath.
    std::size_t before = prefix == "/" ? 0 : prefix.size();
    if (!subpath.text.empty() && subpath.text.front() != '/') ++before;
    const std::size_t offset = fault->offset > before ? fault->offset - before : 0;
    reporter.error(kId, std::move(fault->message), part_of(subpath, offset, fault->length),
                   std::move(fault->help));
    return std::nullopt;
  }
  return std::get<fw::schema::RoutePath>(std::move(parsed));
}

bool check_prefix(std::string_view prefix, const model::Range& range, Reporter& reporter) {
  const auto parsed = fw::schema::parse_route_path(prefix);
  if (const auto* fault = std::get_if<fw::schema::PathFault>(&parsed)) {
    reporter.error(kId,
                   fmt::format("the file's prefix '{}' is not a path: {}", prefix, fault->message),
                   range, "rename the file or its folder");
    return false;
  }
  return true;
}

}  // namespace fairway::check
