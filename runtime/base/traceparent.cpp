#include "base/traceparent.hpp"

#include <algorithm>
#include <vector>

#include "base/ascii.hpp"

namespace fw::base {
namespace {

constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kSpanAt = kTraceAt + 32 + 1;
constexpr std::size_t kFlagsAt = kSpanAt + 16 + 1;
constexpr std::size_t kSize = kFlagsAt + 2;
constexpr std::uint8_t kKnownFlags = TraceParent::kSampled | TraceParent::kRandom;

/// Only lower case is allowed.
std::optional<unsigned> lower_hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return std::nullopt;
}

bool read_hex(std::string_view digits, std::span<unsigned char> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto high = lower_hex_digit(digits[2 * i]);
    const auto low = lower_hex_digit(digits[2 * i + 1]);
    if (!high || !low) return false;
    bytes[i] = static_cast<unsigned char>(*high << 4U | *low);
  }
  return true;
}

template <class Id>
Id make_id() {
  Id id;
  do {
    for (std::size_t i = 0; i < sizeof id.bytes; i += sizeof(std::uint64_t)) {
      const std::uint64_t number = random_number();
      std::memcpy(&id.bytes[i], &number, sizeof number);
    }
  } while (!id.is_set());
  return id;
}

constexpr std::size_t kMaxMembers = 32;
constexpr std::size_t kMaxSize = 512;
constexpr std::size_t kLongMember = 128;
constexpr std::size_t kMaxKey = 256;
constexpr std::size_t kMaxValue = 256;

bool is_key_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_key(std::string_view key) {
  if (key.empty() || key.size() > kMaxKey || !is_key_begin(key.front())) return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return is_key_begin(c) || std::string_view("_-*/@").find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view value) {
  if (value.empty() || value.size() > kMaxValue || value.back() == ' ') return false;
  return std::all_of(value.begin(), value.end(),
                     [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

std::string_view key_of(std::string_view member) { return member.substr(0, member.find('=')); }

bool is_member(std::string_view member) {
  const auto equals = member.find('=');
  return equals != std::string_view::npos && is_key(key_of(member)) &&
         is_value(member.substr(equals + 1));
}

std::size_t size_of(const std::vector<std::string_view>& members) {
  std::size_t size = members.empty() ? 0 : members.size() - 1;
  for (const std::string_view member : members) size += member.size();
  return size;
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view text) {
  if (text.size() < kSize) return std::nullopt;
  std::array<unsigned char, 1> version{};
  std::array<unsigned char, 1> flags{};
  TraceParent parent;
  const bool is_read =
      text[2] == '-' && text[kSpanAt - 1] == '-' && text[kFlagsAt - 1] == '-' &&
      read_hex(text, version) && read_hex(text.substr(kTraceAt), parent.trace.bytes) &&
      read_hex(text.substr(kSpanAt), parent.span.bytes) && read_hex(text.substr(kFlagsAt), flags);
  if (!is_read || !parent.trace.is_set() || !parent.span.is_set()) return std::nullopt;
  constexpr unsigned char kInvalidVersion = 0xFF;
  if (version[0] == kInvalidVersion) return std::nullopt;
  if (text.size() > kSize && (version[0] == 0 || text[kSize] != '-')) return std::nullopt;
  parent.flags = flags[0] & kKnownFlags;
  return parent;
}

std::string to_string(const TraceParent& parent) {
  std::array<char, 32> trace;
  std::array<char, 16> span;
  write_hex(parent.trace, trace);
  write_hex(parent.span, span);
  std::string text = "00-";
  text.append(trace.data(), trace.size()).append("-").append(span.data(), span.size());
  text.append("-0").push_back(static_cast<char>('0' + (parent.flags & kKnownFlags)));
  return text;
}

TraceId make_trace_id() { return make_id<TraceId>(); }
SpanId make_span_id() { return make_id<SpanId>(); }

std::string passed_tracestate(std::string_view text) {
  std::vector<std::string_view> members;
  bool is_valid = true;
  for_each_token(text, ',', [&](std::string_view member) {
    member = trim_ows(member);
    if (member.empty() || !is_valid) return;
    const bool is_new = std::none_of(members.begin(), members.end(), [&](std::string_view other) {
      return key_of(other) == key_of(member);
    });
    is_valid = is_new && is_member(member) && members.size() < kMaxMembers;
    members.push_back(member);
  });
  if (!is_valid) return {};
  if (size_of(members) > kMaxSize) {
    std::erase_if(members, [](std::string_view member) { return member.size() > kLongMember; });
  }
  while (size_of(members) > kMaxSize) members.pop_back();
  std::string passed;
  for (const std::string_view member : members) {
    passed.append(passed.empty() ? "" : ",").append(member);
  }
  return passed;
}

}  // namespace fw::base
