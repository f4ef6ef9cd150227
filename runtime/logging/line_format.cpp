#include "logging/line_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include "base/utf8.hpp"

namespace fw::detail {
namespace {

using Clock = std::chrono::system_clock;

/// What precedes the time of a line.
std::string_view beginning_of(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return R"({"level":10,"time":")";
    case LogLevel::debug:
      return R"({"level":20,"time":")";
    case LogLevel::info:
      return R"({"level":30,"time":")";
    case LogLevel::warn:
      return R"({"level":40,"time":")";
    case LogLevel::error:
      return R"({"level":50,"time":")";
    default:
      return R"({"level":60,"time":")";
  }
}

/// What follows it, the same in all lines of the process. Never destroyed, because a detached
/// writer may use them until the process exits.
const std::string& after_time() {
  static const std::string& text = *new const std::string([] {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return fmt::format("\",\"pid\":{},\"hostname\":{}", getpid(), Json(host.data()).dump());
  }());
  return text;
}

std::string_view color_of(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return "\x1b[90m";
    case LogLevel::debug:
      return "\x1b[36m";
    case LogLevel::info:
      return "\x1b[32m";
    case LogLevel::warn:
      return "\x1b[33m";
    case LogLevel::error:
      return "\x1b[31m";
    default:
      return "\x1b[35m";
  }
}

/// Writes the members of an object, each after a comma. The members of an error have the order
/// type, message, stack.
void put_members(JsonWriter& out, const Json& fields) {
  for (const auto& [name, value] : fields.items()) {
    out.raw(",");
    out.string(name);
    out.raw(":");
    if (name == "err" && value.is_object() && value.size() == 3 && value.contains("type") &&
        value.contains("message") && value.contains("stack")) {
      out.raw("{\"type\":");
      out.tree(value["type"]);
      out.raw(",\"message\":");
      out.tree(value["message"]);
      out.raw(",\"stack\":");
      out.tree(value["stack"]);
      out.raw("}");
    } else {
      out.tree(value);
    }
  }
}

/// The code point of `text`, which must be one code point in UTF-8.
char32_t code_point(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto tail = [&](std::size_t at) { return char32_t{byte(at)} & 0x3FU; };
  switch (text.size()) {
    case 1:
      return byte(0);
    case 2:
      return (char32_t{byte(0)} & 0x1FU) << 6U | tail(1);
    case 3:
      return (char32_t{byte(0)} & 0x0FU) << 12U | tail(1) << 6U | tail(2);
    default:
      return (char32_t{byte(0)} & 0x07U) << 18U | tail(1) << 12U | tail(2) << 6U | tail(3);
  }
}

/// Control characters (C0, DEL, C1), line and paragraph separators, and direction marks.
bool is_invisible(char32_t c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0x061C ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF;
}

/// Escapes invisible characters, so that data from requests cannot control a terminal or begin a
/// line.
void put_visible(TextWriter& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = base::code_point_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(character.size());
    const char32_t c = length == 0 ? 0 : code_point(character);
    if (length == 0 || (c < 0x80 && is_invisible(c) && c != '\n')) {
      out.put(fmt::format("\\x{:02x}", static_cast<unsigned char>(character.front())));
    } else if (c == '\n') {
      out.put("\\n");
    } else if (is_invisible(c)) {
      out.put(fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c)));
    } else {
      out.put(character);
    }
  }
}

std::int64_t milliseconds_since_1970(Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

int milliseconds_of(Clock::time_point time) {
  return static_cast<int>(milliseconds_since_1970(time) % 1000);
}

/// ISO 8601, UTC, with milliseconds: "2024-05-01T12:00:00.000Z".
void put_iso_time(JsonWriter& out, Clock::time_point time) {
  // Lines often have the same time as the last one, and mostly the same second.
  thread_local std::int64_t cached_milliseconds = -1;
  thread_local std::time_t cached_seconds = -1;
  thread_local std::array<char, 32> cached{};
  thread_local std::size_t length = 0;
  if (const std::int64_t milliseconds = milliseconds_since_1970(time);
      milliseconds != cached_milliseconds) {
    const std::time_t seconds = Clock::to_time_t(time);
    if (seconds != cached_seconds) {
      std::tm parts{};
      gmtime_r(&seconds, &parts);
      length = std::strftime(cached.data(), cached.size(), "%Y-%m-%dT%H:%M:%S.000Z", &parts);
      cached_seconds = seconds;
    }
    const int fraction = milliseconds_of(time);
    char* const digits = cached.data() + length - std::string_view("000Z").size();
    digits[0] = static_cast<char>('0' + fraction / 100);
    digits[1] = static_cast<char>('0' + fraction / 10 % 10);
    digits[2] = static_cast<char>('0' + fraction % 10);
    cached_milliseconds = milliseconds;
  }
  out.raw({cached.data(), length});
}

void put_trace_id(JsonWriter& out, std::string_view id) {
  constexpr std::string_view kName = R"(,"traceId":")";
  constexpr std::size_t kSize = 32;
  if (id.size() != kSize) {
    if (id.empty()) return;
    out.raw(kName);
    out.raw(id);
    out.raw("\"");
    return;
  }
  // At once, because each line of a traced request has it.
  out.put_bytes<kName.size() + kSize + 1>([&](char* at) {
    std::memcpy(at, kName.data(), kName.size());
    std::memcpy(at + kName.size(), id.data(), kSize);
    at[kName.size() + kSize] = '"';
  });
}

}  // namespace

void write_json_line(JsonWriter& out, const LogRecord& record) {
  out.raw(beginning_of(record.level));
  put_iso_time(out, record.time);
  out.raw(after_time());
  if (record.bindings.is_object()) put_members(out, record.bindings);
  if (!record.request_id.empty()) {
    out.raw(R"(,"requestId":)");
    out.string(record.request_id);
  }
  put_trace_id(out, record.trace_id);
  if (!record.user.empty()) {
    out.raw(R"(,"user":)");
    out.string(record.user);
  }
  if (record.fields.is_object()) put_members(out, record.fields);
  out.raw(R"(,"msg":)");
  out.string(record.message);
  out.raw("}\n");
}

void write_pretty_line(TextWriter& out, const LogRecord& record, bool color) {
  const std::time_t seconds = Clock::to_time_t(record.time);
  std::tm parts{};
  localtime_r(&seconds, &parts);
  out.put(fmt::format("[{:02}:{:02}:{:02}.{:03}] ", parts.tm_hour, parts.tm_min, parts.tm_sec,
                      milliseconds_of(record.time)));
  if (color) out.put(color_of(record.level));
  for (const char c : to_string(record.level)) {
    out.put(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  }
  if (color) out.put("\x1b[0m");
  out.put(": ");
  put_visible(out, record.message);
  JsonWriter members;
  if (!record.user.empty()) {
    members.raw(R"(,"user":)");
    members.string(record.user);
  }
  if (record.bindings.is_object()) put_members(members, record.bindings);
  if (record.fields.is_object()) put_members(members, record.fields);
  if (!members.content().empty()) {
    out.put(" {");
    put_visible(out, members.content().substr(1));
    out.put('}');
  }
  out.put('\n');
}

}  // namespace fw::detail
