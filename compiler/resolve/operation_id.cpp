#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "base/ascii.hpp"
#include "resolve/route_files.hpp"

namespace fairway::resolve {
namespace {

// Methods whose verb differs from their name.
constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
    {"POST", "create"},
    {"PUT", "update"},
    {"SOCKET", "open"},
};

std::string verb_of(std::string_view method) {
  const auto* verb =
      std::ranges::find(kVerbs, method, &std::pair<std::string_view, std::string_view>::first);
  if (verb != std::end(kVerbs)) return std::string(verb->second);
  return fw::base::lower_case(method);
}

}  // namespace

std::string inferred_operation_id(std::string_view method, std::string_view path) {
  std::string id = verb_of(method);
  if (path == "/") return id + "Root";
  if (path.ends_with("/*")) return inferred_operation_id(method, std::string(path) + "wildcard");
  bool capital = false;
  for (const char c : path) {
    if (c == ':' || c == '*') id += "By";
    if (fw::base::is_alphanumeric(c)) {
      id += capital ? fw::base::to_upper(c) : c;
      capital = false;
    } else {
      capital = true;
    }
  }
  return id;
}

}  // namespace fairway::resolve
