#include <fmt/format.h>

#include <string_view>

#include "diff/comparison.hpp"

namespace fairway::diff {
namespace {

// The styles of Clang's text diagnostics.
constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";

std::string_view style_of(const Change& change) {
  if (change.approved) return "\033[0;32m";
  switch (change.level) {
    case Level::breaking:
      return "\033[0;1;31m";
    case Level::non_breaking:
      return "\033[0;1;36m";
    case Level::documentation:
      break;
  }
  return "\033[0;37m";
}

std::string label_of(const Change& change) {
  return change.approved ? fmt::format("approved {}", level_name(change.level))
                         : std::string(level_name(change.level));
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string summary(const Comparison& comparison) {
  if (comparison.changes.empty()) return "no changes";
  std::string text = plural(comparison.changes.size(), "change") + ": ";
  const std::size_t breaking = comparison.count(Level::breaking);
  text += fmt::format("{} breaking", breaking);
  if (const std::size_t approved = comparison.approved(); approved > 0) {
    text += approved == breaking ? " (approved)" : fmt::format(" ({} approved)", approved);
  }
  return text + fmt::format(", {} non-breaking, {} of documentation",
                            comparison.count(Level::non_breaking),
                            comparison.count(Level::documentation));
}

}  // namespace

std::string render_text(const Comparison& comparison, bool color) {
  std::string out;
  const auto styled = [&](std::string_view style, std::string_view text) {
    if (color) out.append(style);
    out.append(text);
    if (color) out.append(kReset);
  };
  std::string operation;
  for (const Change& change : comparison.changes) {
    if (operation != change.operation()) {
      if (!operation.empty()) out += '\n';
      operation = change.operation();
      styled(kBold, operation);
      out += '\n';
    }
    out += "  ";
    styled(style_of(change), label_of(change) + ':');
    if (!change.location.empty()) out += ' ' + change.location + ':';
    out += fmt::format(" {} [{}]\n", change.message, change.id);
    if (!change.reason.empty()) out += fmt::format("    reason: {}\n", change.reason);
  }
  if (!comparison.changes.empty()) out += '\n';
  for (const Approval& approval : comparison.unused) {
    out += fmt::format("approved, but no change: {}{}{} [{}]\n", approval.operation,
                       approval.location.empty() ? "" : ": ", approval.location, approval.id);
  }
  return out + summary(comparison) + '\n';
}

}  // namespace fairway::diff
