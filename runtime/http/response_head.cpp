#include "http/response_head.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "http/field_lines.hpp"
#include "http/http_date.hpp"

namespace fw::http {
namespace {

using base::equal_ignoring_case;

/// The status lines of the registered statuses, in order.
constexpr std::string_view kStatusLines[] = {
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 201 Created\r\n",
    "HTTP/1.1 202 Accepted\r\n",
    "HTTP/1.1 203 Non-Authoritative Information\r\n",
    "HTTP/1.1 204 No Content\r\n",
    "HTTP/1.1 205 Reset Content\r\n",
    "HTTP/1.1 206 Partial Content\r\n",
    "HTTP/1.1 207 Multi-Status\r\n",
    "HTTP/1.1 208 Already Reported\r\n",
    "HTTP/1.1 226 IM Used\r\n",
    "HTTP/1.1 300 Multiple Choices\r\n",
    "HTTP/1.1 301 Moved Permanently\r\n",
    "HTTP/1.1 302 Found\r\n",
    "HTTP/1.1 303 See Other\r\n",
    "HTTP/1.1 304 Not Modified\r\n",
    "HTTP/1.1 305 Use Proxy\r\n",
    "HTTP/1.1 307 Temporary Redirect\r\n",
    "HTTP/1.1 308 Permanent Redirect\r\n",
    "HTTP/1.1 400 Bad Request\r\n",
    "HTTP/1.1 401 Unauthorized\r\n",
    "HTTP/1.1 402 Payment Required\r\n",
    "HTTP/1.1 403 Forbidden\r\n",
    "HTTP/1.1 404 Not Found\r\n",
    "HTTP/1.1 405 Method Not Allowed\r\n",
    "HTTP/1.1 406 Not Acceptable\r\n",
    "HTTP/1.1 407 Proxy Authentication Required\r\n",
    "HTTP/1.1 408 Request Timeout\r\n",
    "HTTP/1.1 409 Conflict\r\n",
    "HTTP/1.1 410 Gone\r\n",
    "HTTP/1.1 411 Length Required\r\n",
    "HTTP/1.1 412 Precondition Failed\r\n",
    "HTTP/1.1 413 Content Too Large\r\n",
    "HTTP/1.1 414 URI Too Long\r\n",
    "HTTP/1.1 415 Unsupported Media Type\r\n",
    "HTTP/1.1 416 Range Not Satisfiable\r\n",
    "HTTP/1.1 417 Expectation Failed\r\n",
    "HTTP/1.1 418 I'm a teapot\r\n",
    "HTTP/1.1 421 Misdirected Request\r\n",
    "HTTP/1.1 422 Unprocessable Content\r\n",
    "HTTP/1.1 423 Locked\r\n",
    "HTTP/1.1 424 Failed Dependency\r\n",
    "HTTP/1.1 425 Too Early\r\n",
    "HTTP/1.1 426 Upgrade Required\r\n",
    "HTTP/1.1 428 Precondition Required\r\n",
    "HTTP/1.1 429 Too Many Requests\r\n",
    "HTTP/1.1 431 Request Header Fields Too Large\r\n",
    "HTTP/1.1 451 Unavailable For Legal Reasons\r\n",
    "HTTP/1.1 500 Internal Server Error\r\n",
    "HTTP/1.1 501 Not Implemented\r\n",
    "HTTP/1.1 502 Bad Gateway\r\n",
    "HTTP/1.1 503 Service Unavailable\r\n",
    "HTTP/1.1 504 Gateway Timeout\r\n",
    "HTTP/1.1 505 HTTP Version Not Supported\r\n",
    "HTTP/1.1 506 Variant Also Negotiates\r\n",
    "HTTP/1.1 507 Insufficient Storage\r\n",
    "HTTP/1.1 508 Loop Detected\r\n",
    "HTTP/1.1 511 Network Authentication Required\r\n",
};

constexpr std::string_view kVersion = "HTTP/1.1 ";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kStatusSize = 3;

constexpr int status_of(std::string_view line) {
  int status = 0;
  for (const char c : line.substr(kVersion.size(), kStatusSize)) status = 10 * status + (c - '0');
  return status;
}

constexpr int kFirstStatus = status_of(kStatusLines[0]);
constexpr int kLastStatus = status_of(*std::rbegin(kStatusLines));

/// By status: the index in `kStatusLines` plus 1; 0 if it is not registered.
constexpr auto kStatusIndexes = [] {
  std::array<std::uint8_t, kLastStatus - kFirstStatus + 1> indexes{};
  std::uint8_t index = 0;
  for (const std::string_view line : kStatusLines) {
    indexes[static_cast<std::size_t>(status_of(line) - kFirstStatus)] = ++index;
  }
  return indexes;
}();

/// Empty for unregistered statuses.
std::string_view status_line(int status) {
  if (status < kFirstStatus || status > kLastStatus) return {};
  const std::size_t index = kStatusIndexes[static_cast<std::size_t>(status - kFirstStatus)];
  return index == 0 ? std::string_view() : kStatusLines[index - 1];
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

std::string_view reason_phrase(int status) {
  std::string_view line = status_line(status);
  if (line.empty()) return line;
  line.remove_prefix(kVersion.size() + kStatusSize + 1);
  line.remove_suffix(kLineEnd.size());
  return line;
}

}  // namespace fw::http
