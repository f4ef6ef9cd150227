#include "http/response_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/ascii.hpp"
#include "base/reason_phrases.hpp"
#include "http/field_lines.hpp"
#include "http/http_date.hpp"

namespace fw::http {
namespace {

using base::equal_ignoring_case;

constexpr std::string_view kVersion = "HTTP/1.1 ";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kStatusSize = 3;

constexpr std::size_t line_size(std::string_view phrase) {
  return kVersion.size() + kStatusSize + 1 + phrase.size() + kLineEnd.size();
}

constexpr std::size_t kLinesSize = [] {
  std::size_t size = 0;
  for (const auto& [status, phrase] : base::kReasonPhrases) size += line_size(phrase);
  return size;
}();

/// The status lines of the registered statuses, in order.
constexpr auto kLines = [] {
  std::array<char, kLinesSize> lines{};
  auto* end = lines.begin();
  const auto put = [&](std::string_view text) { end = std::copy(text.begin(), text.end(), end); };
  for (const auto& [status, phrase] : base::kReasonPhrases) {
    put(kVersion);
    for (const int power : {100, 10, 1}) *end++ = static_cast<char>('0' + status / power % 10);
    put(" ");
    put(phrase);
    put(kLineEnd);
  }
  return lines;
}();

constexpr int kFirstStatus = std::begin(base::kReasonPhrases)->status;
constexpr int kLastStatus = std::rbegin(base::kReasonPhrases)->status;

/// By status, from the first one on; empty for unregistered statuses.
constexpr auto kStatusLines = [] {
  std::array<std::string_view, kLastStatus - kFirstStatus + 1> lines{};
  const char* line = kLines.data();
  for (const auto& [status, phrase] : base::kReasonPhrases) {
    lines[static_cast<std::size_t>(status - kFirstStatus)] = {line, line_size(phrase)};
    line += line_size(phrase);
  }
  return lines;
}();

/// Empty for unregistered statuses.
std::string_view status_line(int status) {
  if (status < kFirstStatus || status > kLastStatus) return {};
  return kStatusLines[static_cast<std::size_t>(status - kFirstStatus)];
}

void write_status_line(detail::TextWriter& out, int status) {
  if (const std::string_view line = status_line(status); !line.empty()) return out.put(line);
  out.put(kVersion);
  out.put_number(status);
  out.put(" \r\n");  // the space is there without a reason phrase, too
}

constexpr std::string_view kConnection = "connection";
constexpr std::string_view kContentLength = "content-length";
constexpr std::string_view kTransferEncoding = "transfer-encoding";

constexpr std::string_view kDateName = "Date: ";

/// The line of the Date field. Valid until the next call on this thread.
[[gnu::always_inline]] inline std::string_view current_date_line() {
  thread_local std::time_t second = -1;
  thread_local std::string line;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    second = now;
    line = std::string(kDateName) + format_http_date(now) + "\r\n";
  }
  return line;
}

}  // namespace

bool is_framing_field(std::string_view name) {
  return equal_ignoring_case(name, kContentLength) ||
         equal_ignoring_case(name, kTransferEncoding) || equal_ignoring_case(name, kConnection);
}

void check_response_head(const ResponseHead& head) {
  if (!is_final_status(head.status)) {
    throw std::invalid_argument(
        fmt::format("response status {} cannot be sent: use 200 to 599", head.status));
  }
  const std::size_t count = head.fields.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (head.fields.is_valid(i)) continue;
    const auto [name, value] = head.fields[i];
    if (!is_valid_field(name, value)) {
      throw std::invalid_argument(fmt::format(
          "response header \"{}\" cannot be sent: remove line breaks and other control characters",
          base::is_token(name) ? name : "(bad name)"));
    }
  }
}

bool asks_to_close(const ResponseHead& head) {
  if (!head.fields.may_have(kConnection)) return false;
  return std::any_of(head.fields.begin(), head.fields.end(), [](const Field& field) {
    return equal_ignoring_case(field.name, kConnection) &&
           equal_ignoring_case(field.value, "close");
  });
}

void write_switch_head(detail::TextWriter& out, const ResponseHead& head,
                       std::string_view protocol) {
  out.put("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ");
  out.put(protocol);
  out.put(kLineEnd);
  for (const auto& [name, value] : head.fields) {
    if (is_framing_field(name) || equal_ignoring_case(name, "upgrade")) continue;
    out.put(name);
    out.put(": ");
    out.put(value);
    out.put(kLineEnd);
  }
  if (!head.fields.find("date")) out.put(current_date_line());
  out.put(kLineEnd);
}

void write_response_head(detail::TextWriter& out, const ResponseHead& head, BodyEnd end,
                         std::uint64_t length, ConnectionField connection) {
  write_status_line(out, head.status);
  const Fields& fields = head.fields;
  const bool may_have_framing = fields.may_have(kContentLength, kTransferEncoding, kConnection);
  if (const auto lines = fields.lines(); lines && !may_have_framing) {
    out.put(*lines);
  } else {
    for (const auto& [name, value] : fields) {
      if (is_framing_field(name)) continue;
      out.put(name);
      out.put(": ");
      out.put(value);
      out.put(kLineEnd);
    }
  }
  if (!fields.find("date")) out.put(current_date_line());
  if (end == BodyEnd::length) {
    out.put("Content-Length: ");
    out.put_number(length);
    out.put(kLineEnd);
  } else if (end == BodyEnd::chunked) {
    out.put("Transfer-Encoding: chunked\r\n");
  }
  if (connection == ConnectionField::close) {
    out.put("Connection: close\r\n");
  } else if (connection == ConnectionField::keep_alive) {
    out.put("Connection: keep-alive\r\n");
  }
  out.put(kLineEnd);
}

std::string_view current_date() {
  std::string_view line = current_date_line();
  line.remove_prefix(kDateName.size());
  line.remove_suffix(kLineEnd.size());
  return line;
}

}  // namespace fw::http
