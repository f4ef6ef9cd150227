#include "http/response_head.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <stdexcept>

#include "base/ascii.hpp"
#include "http/field_lines.hpp"
#include "http/http_date.hpp"

namespace fw::http {
namespace {

using base::equal_ignoring_case;

struct Reason {
  int status;
  std::string_view phrase;
};

/// The registered statuses, in order.
constexpr Reason kReasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {208, "Already Reported"},
    {226, "IM Used"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {418, "I'm a teapot"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {506, "Variant Also Negotiates"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
};

/// By status: the index in `kReasons` plus 1; 0 if it is not registered.
constexpr auto kReasonIndexes = [] {
  std::array<std::uint8_t, std::rbegin(kReasons)->status - kReasons[0].status + 1> indexes{};
  for (std::size_t i = 0; i < std::size(kReasons); ++i) {
    indexes[static_cast<std::size_t>(kReasons[i].status - kReasons[0].status)] =
        static_cast<std::uint8_t>(i + 1);
  }
  return indexes;
}();

bool is_connection(std::string_view name) {
  return name.size() == 10 && equal_ignoring_case(name, "connection");
}

}  // namespace

std::string_view current_date() {
  thread_local std::time_t second = -1;
  thread_local std::string date;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    second = now;
    date = format_http_date(now);
  }
  return date;
}

bool is_framing_field(std::string_view name) {
  return (name.size() == 14 && equal_ignoring_case(name, "content-length")) ||
         (name.size() == 17 && equal_ignoring_case(name, "transfer-encoding")) ||
         is_connection(name);
}

void check_response_head(const ResponseHead& head) {
  if (!is_final_status(head.status)) {
    throw std::invalid_argument(
        fmt::format("response status {} cannot be sent: use 200 to 599", head.status));
  }
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
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
  for (const auto& [name, value] : head.fields) {
    if (is_connection(name) && base::equal_ignoring_case(value, "close")) return true;
  }
  return false;
}

void write_response_head(detail::TextWriter& out, const ResponseHead& head, BodyEnd end,
                         std::uint64_t length, ConnectionField connection) {
  const std::string_view reason = reason_phrase(head.status);
  out.put("HTTP/1.1 ");
  out.put_number(head.status);
  out.put(" ");
  out.put(reason);
  out.put("\r\n");
  bool has_date = false;
  bool has_framing = false;
  for (const auto& [name, value] : head.fields) {
    has_framing |= is_framing_field(name);
    has_date |= name.size() == 4 && equal_ignoring_case(name, "date");
  }
  if (const auto lines = head.fields.lines(); lines && !has_framing) {
    out.put(*lines);
  } else {
    for (const auto& [name, value] : head.fields) {
      if (is_framing_field(name)) continue;
      out.put(name);
      out.put(": ");
      out.put(value);
      out.put("\r\n");
    }
  }
  if (!has_date) {
    out.put("Date: ");
    out.put(current_date());
    out.put("\r\n");
  }
  if (end == BodyEnd::length) {
    out.put("Content-Length: ");
    out.put_number(length);
    out.put("\r\n");
  } else if (end == BodyEnd::chunked) {
    out.put("Transfer-Encoding: chunked\r\n");
  }
  if (connection == ConnectionField::close) {
    out.put("Connection: close\r\n");
  } else if (connection == ConnectionField::keep_alive) {
    out.put("Connection: keep-alive\r\n");
  }
  out.put("\r\n");
}

std::string_view reason_phrase(int status) {
  if (status < kReasons[0].status || status > std::rbegin(kReasons)->status) return "";
  const auto index = kReasonIndexes[static_cast<std::size_t>(status - kReasons[0].status)];
  return index == 0 ? std::string_view() : kReasons[index - 1].phrase;
}

}  // namespace fw::http
