// The names of levels, which the configuration uses, too.
#include <fairway/logger.hpp>

#include <array>
#include <utility>

namespace fw {
namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 7> kLevels{{
    {LogLevel::trace, "trace"},
    {LogLevel::debug, "debug"},
    {LogLevel::info, "info"},
    {LogLevel::warn, "warn"},
    {LogLevel::error, "error"},
    {LogLevel::fatal, "fatal"},
    {LogLevel::silent, "silent"},
}};

}  // namespace

std::string_view to_string(LogLevel level) {
  for (const auto& [value, name] : kLevels) {
    if (value == level) return name;
  }
  return "silent";
}

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (const auto& [value, text] : kLevels) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace fw
