#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "rules/route_rules.hpp"

namespace fairway::rules {
namespace {

bool is_name_character(char c) { return fw::base::is_alphanumeric(c) || c == '_'; }

/// A parameter as other frameworks write it: `{id}`, `<id>`, `<int:id>`, `<int>`.
struct ForeignParameter {
  std::size_t length = 0;  ///< with its brackets
  std::string_view name;   ///< empty if there is only a type
};

std::optional<ForeignParameter> foreign_parameter(std::string_view text) {
  if (text.empty() || (text.front() != '{' && text.front() != '<')) return std::nullopt;
  const bool is_angled = text.front() == '<';
  const std::size_t end = text.find(is_angled ? '>' : '}');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view name = text.substr(1, end - 1);
  if (is_angled) name.remove_prefix(name.find(':') + 1);  // 0 when there is no type
  if (name.empty() || !std::ranges::all_of(name, is_name_character)) return std::nullopt;
  constexpr std::string_view kConverters[] = {"int",    "uint", "float", "double",
                                              "string", "path", "uuid"};
  const bool is_type = is_angled && std::ranges::find(kConverters, name) != std::end(kConverters) &&
                       name.size() == end - 1;
  return ForeignParameter{end + 1, is_type ? std::string_view() : name};
}

}  // namespace

std::optional<fw::schema::RoutePath> checked_path(std::string_view prefix,
                                                  const model::Value& subpath,
                                                  std::string_view path, Reporter& reporter) {
  auto parsed = fw::schema::parse_route_path(path);
  if (auto* failure = std::get_if<fw::schema::PathError>(&parsed)) {
    // The final path is the prefix, a slash if the subpath has none, and the subpath.
    std::size_t before = prefix == "/" ? 0 : prefix.size();
    if (!subpath.text.empty() && subpath.text.front() != '/') ++before;
    const std::size_t offset = failure->offset > before ? failure->offset - before : 0;
    auto& error =
        reporter.report(rules::bad_route_path, std::move(failure->message),
                        part_of(subpath, offset, failure->length), std::move(failure->help));
    const std::string_view rest =
        std::string_view(subpath.text).substr(std::min(offset, subpath.text.size()));
    if (const auto foreign = foreign_parameter(rest)) {
      const std::string name(foreign->name.empty() ? "name" : foreign->name);
      error.help = fmt::format("write ':{}' for a parameter", name);
      if (!foreign->name.empty()) add_fix(error, subpath, offset, foreign->length, ':' + name);
    }
    return std::nullopt;
  }
  return std::get<fw::schema::RoutePath>(std::move(parsed));
}

bool check_prefix(std::string_view prefix, const model::Range& range, Reporter& reporter) {
  const auto parsed = fw::schema::parse_route_path(prefix);
  if (const auto* failure = std::get_if<fw::schema::PathError>(&parsed)) {
    reporter.report(
        rules::bad_route_path,
        fmt::format("the file's prefix '{}' is not a path: {}", prefix, failure->message), range,
        "rename the file or its folder");
    return false;
  }
  return true;
}

}  // namespace fairway::rules
