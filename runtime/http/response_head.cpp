#include "http/response_head.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <stdexcept>

#include "exchange/ascii.hpp"
#include "http/field_lines.hpp"

namespace fw::http {
namespace {

using detail::equal_ignoring_case;

constexpr std::string_view kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// The Date field's line, made anew once a second.
std::string_view date_line() {
  thread_local std::time_t second = -1;
  thread_local std::string line;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != second) {
    second = now.tv_sec;
    std::tm utc{};
    gmtime_r(&second, &utc);
    line = fmt::format("Date: {}, {:02} {} {} {:02}:{:02}:{:02} GMT\r\n",
                       kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                       kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900,
                       utc.tm_hour, utc.tm_min, utc.tm_sec);
  }
  return line;
}

bool is_connection(std::string_view name) { return equal_ignoring_case(name, "connection"); }

/// Fields that only the adapter can know.
bool is_framing_field(std::string_view name) {
  return (name.size() == 14 && equal_ignoring_case(name, "content-length")) ||
         (name.size() == 17 && equal_ignoring_case(name, "transfer-encoding")) ||
         (name.size() == 10 && is_connection(name));
}

void append_number(std::string& out, std::uint64_t number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

}  // namespace

void check_response_head(const ResponseHead& head) {
  if (head.status < 200 || head.status > 999) {
    throw std::invalid_argument(
        fmt::format("response status {} cannot be sent: use 200 to 999", head.status));
  }
  for (const auto& [name, value] : head.fields) {
    if (!is_field_name(name) || !is_field_value(value)) {
      throw std::invalid_argument(fmt::format(
          "response header \"{}\" cannot be sent: remove line breaks and other control characters",
          is_field_name(name) ? name : "(bad name)"));
    }
  }
}

bool asks_to_close(const ResponseHead& head) {
  for (const auto& [name, value] : head.fields) {
    if (is_connection(name) && equal_ignoring_case(value, "close")) return true;
  }
  return false;
}

void append_response_head(std::string& out, const ResponseHead& head, BodyEnd end,
                          std::uint64_t length, ConnectionField connection) {
  out.append("HTTP/1.1 ");
  append_number(out, static_cast<std::uint64_t>(head.status));
  out.push_back(' ');
  out.append(reason_phrase(head.status)).append("\r\n");
  bool has_date = false;
  for (const auto& [name, value] : head.fields) {
    if (is_framing_field(name)) continue;
    has_date |= name.size() == 4 && equal_ignoring_case(name, "date");
    out.append(name).append(": ").append(value).append("\r\n");
  }
  if (!has_date) out.append(date_line());
  if (end == BodyEnd::length) {
    out.append("Content-Length: ");
    append_number(out, length);
    out.append("\r\n");
  } else if (end == BodyEnd::chunked) {
    out.append("Transfer-Encoding: chunked\r\n");
  }
  if (connection == ConnectionField::close) {
    out.append("Connection: close\r\n");
  } else if (connection == ConnectionField::keep_alive) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 203:
      return "Non-Authoritative Information";
    case 204:
      return "No Content";
    case 205:
      return "Reset Content";
    case 206:
      return "Partial Content";
    case 207:
      return "Multi-Status";
    case 208:
      return "Already Reported";
    case 226:
      return "IM Used";
    case 300:
      return "Multiple Choices";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 305:
      return "Use Proxy";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 407:
      return "Proxy Authentication Required";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 418:
      return "I'm a teapot";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 424:
      return "Failed Dependency";
    case 425:
      return "Too Early";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 451:
      return "Unavailable For Legal Reasons";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 506:
      return "Variant Also Negotiates";
    case 507:
      return "Insufficient Storage";
    case 508:
      return "Loop Detected";
    case 511:
      return "Network Authentication Required";
    default:
      return "";
  }
}

}  // namespace fw::http
