#include "check/reference_names.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ascii.hpp"

namespace fairway::check {
namespace {

// Names whose spelling in the reference is not the plain camelCase.
constexpr std::pair<std::string_view, std::string_view> kExceptions[] = {
    {"base_url", "baseURL"},
};

}  // namespace

std::string reference_name(std::string_view member) {
  const auto* exception =
      std::ranges::find(kExceptions, member, &std::pair<std::string_view, std::string_view>::first);
  if (exception != std::end(kExceptions)) return std::string(exception->second);
  while (member.ends_with('_')) member.remove_suffix(1);
  std::string name;
  bool capital = false;
  for (const char c : member) {
    if (c != '_') name += capital ? fw::base::to_upper(c) : c;
    capital = c == '_';
  }
  return name;
}

}  // namespace fairway::check
