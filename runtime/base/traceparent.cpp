#include "base/traceparent.hpp"

#include "base/ascii.hpp"
#include "base/random.hpp"

namespace fw::base {
namespace {

constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kTraceSize = 32;
constexpr std::size_t kSpanAt = kTraceAt + kTraceSize + 1;
constexpr std::size_t kSpanSize = 16;
constexpr std::size_t kFlagsAt = kSpanAt + kSpanSize + 1;
constexpr std::size_t kSize = kFlagsAt + 2;

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_id(std::string_view text) {
  return is_lower_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

/// 32 digits of a UUID, which are random except for the version.
std::string random_digits() {
  std::string digits;
  for (const char c : make_uuid()) {
    if (c != '-') digits += c;
  }
  return digits;
}

}  // namespace

bool is_traceparent(std::string_view text) {
  return text.size() == kSize && text.starts_with("00-") && text[kSpanAt - 1] == '-' &&
         text[kFlagsAt - 1] == '-' && is_id(text.substr(kTraceAt, kTraceSize)) &&
         is_id(text.substr(kSpanAt, kSpanSize)) && is_lower_hex(text.substr(kFlagsAt));
}

std::string make_traceparent() {
  return "00-" + random_digits() + "-" + random_digits().substr(kSpanSize) + "-01";
}

std::string next_traceparent(std::string_view parent) {
  std::string text(parent);
  return text.replace(kSpanAt, kSpanSize, random_digits().substr(kSpanSize));
}

}  // namespace fw::base
