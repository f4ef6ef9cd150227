#include <fairway/response.hpp>

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "base/ascii.hpp"
#include "exchange/exchange.hpp"
#include "http/cookies.hpp"
#include "http/field_lines.hpp"
#include "http/header_values.hpp"

namespace fw {
namespace {

// Fields that the server sets.
constexpr std::array<std::string_view, 3> kServerFields{"transfer-encoding", "keep-alive",
                                                        "upgrade"};

void require_field(std::string_view name, std::string_view value) {
  if (!base::is_token(name)) {
    throw std::invalid_argument(fmt::format("'{}' is not a valid header name", name));
  }
  for (const std::string_view field : kServerFields) {
    if (base::equal_ignoring_case(name, field)) {
      throw std::invalid_argument(fmt::format("the header {} is set by the server", name));
    }
  }
  if (!http::is_field_value(value)) {
    throw std::invalid_argument(
        fmt::format("the value of the header {} contains control characters", name));
  }
}

}  // namespace

void Response::json(Json data) {
  exchange_.outgoing.json(std::move(data), std::nullopt, detail::Envelope::as_configured);
}
void Response::json(Json data, int status) {
  exchange_.outgoing.json(std::move(data), status, detail::Envelope::as_configured);
}
void Response::json_of(const detail::EncodableData& data, std::optional<int> status) {
  exchange_.outgoing.json(data, status);
}
void Response::json_of(const detail::JsonLiteral& data, std::optional<int> status) {
  // The literal was made for this call, and its tree is no constant: it is moved and not copied.
  exchange_.outgoing.json(std::move(const_cast<Json&>(data.tree())), status,
                          detail::Envelope::as_configured);
}
void Response::raw_json(Json data) {
  exchange_.outgoing.json(std::move(data), std::nullopt, detail::Envelope::none);
}
void Response::raw_json(Json data, int status) {
  exchange_.outgoing.json(std::move(data), status, detail::Envelope::none);
}

void Response::text(std::string content) {
  exchange_.outgoing.text(std::move(content), "text/plain; charset=utf-8", std::nullopt);
}
void Response::text(std::string content, int status) {
  exchange_.outgoing.text(std::move(content), "text/plain; charset=utf-8", status);
}

void Response::end() { exchange_.outgoing.end(); }

void Response::stream(Readable source, std::string_view content_type) {
  require_field("content-type", content_type);
  exchange_.outgoing.stream(std::move(source), content_type);
}

void Response::download(Readable source, std::string_view filename, std::string_view content_type) {
  require_field("content-type", content_type);
  if (!is_sent()) set_header("content-disposition", http::attachment(filename));
  exchange_.outgoing.stream(std::move(source), content_type);
}

void Response::redirect(std::string_view url, int status) {
  exchange_.outgoing.redirect(url, status);
}

Response& Response::status(int code) {
  detail::checked_status(code);
  if (!is_sent()) exchange_.outgoing.status = code;
  return *this;
}

Response& Response::set_header(std::string_view name, std::string_view value) {
  require_field(name, value);
  exchange_.outgoing.set_field(name, base::trim_ows(value));
  return *this;
}

Response& Response::append_header(std::string_view name, std::string_view value) {
  require_field(name, value);
  value = base::trim_ows(value);
  if (base::equal_ignoring_case(name, "set-cookie")) {
    exchange_.outgoing.add_cookie(value);
  } else {
    exchange_.outgoing.fields.add(name, value);
  }
  return *this;
}

std::optional<std::string_view> Response::get_header(std::string_view name) const {
  return exchange_.outgoing.field(name);
}

Response& Response::set_cookie(std::string_view name, std::string_view value,
                               CookieOptions options) {
  return append_header("set-cookie", http::format_cookie(name, value, options));
}

Response& Response::clear_cookie(std::string_view name, CookieOptions options) {
  options.max_age = 0;
  return set_cookie(name, "", std::move(options));
}

int Response::status_code() const { return exchange_.outgoing.status; }
bool Response::is_sent() const { return exchange_.outgoing.is_set(); }

}  // namespace fw
