#include "cli/common_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

#include "schema/ascii.hpp"

namespace fairway::cli {
namespace {

bool is_identifier(std::string_view name) {
  return !name.empty() && !fw::schema::is_digit(name.front()) &&
         std::ranges::all_of(name,
                             [](char c) { return fw::schema::is_alphanumeric(c) || c == '_'; });
}

}  // namespace

std::string identifier_option(const Arguments& arguments, std::string_view option,
                              std::string_view what) {
  std::string name = arguments.get(option);
  if (!arguments.has(option) || is_identifier(name)) return name;
  throw UsageError(
      fmt::format("{}: '{}' cannot name {}: write letters, digits and '_'", option, name, what));
}

bool use_color(const Arguments& arguments, int descriptor) {
  const std::string when = arguments.get("--color", "auto");
  if (when != "auto") return when == "always";
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) == 1;
}

}  // namespace fairway::cli
