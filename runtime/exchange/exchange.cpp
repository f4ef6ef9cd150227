// The request's side of an exchange. The answer's side is in answer.cpp.
#include "exchange/exchange.hpp"

#include <fairway/errors.hpp>

#include <utility>

#include "exchange/ascii.hpp"
#include "exchange/cookies.hpp"
#include "exchange/url_encoding.hpp"

namespace fw::detail {
namespace {

std::string_view first_of_list(std::string_view list) {
  return trim_blanks(list.substr(0, list.find(',')));
}

}  // namespace

Exchange::Exchange(const Environment& environment, std::shared_ptr<http::Transaction> owned)
    : env(environment),
      transaction(std::move(owned)),
      head(transaction->head()),
      request(*this),
      response(*this) {
  answer.fields.reserve(4);
  const std::string_view target = head.target;
  const auto mark = target.find('?');
  path = target.substr(0, mark);
  if (mark != std::string_view::npos) query = target.substr(mark + 1);
}

Exchange::~Exchange() {
  if (cancellation_) cancellation_->finish();
}

const TextMap& Exchange::query_map() {
  if (!query_map_) query_map_ = parse_query(query);
  return *query_map_;
}

const TextMap& Exchange::header_map() {
  if (!header_map_) {
    TextMap& map = header_map_.emplace();
    for (const auto& [name, value] : head.fields) {
      std::string key = to_lower(name);
      if (const auto earlier = map.find(key)) {
        // Cookie pairs have a separator of their own (RFC 9113, 8.2.3).
        const std::string_view separator = key == "cookie" ? "; " : ", ";
        std::string joined(*earlier);
        joined += separator;
        joined += value;
        map.set(std::move(key), std::move(joined));
      } else {
        map.set(std::move(key), value);
      }
    }
  }
  return *header_map_;
}

std::optional<std::string_view> Exchange::header(std::string_view name) {
  std::optional<std::string_view> found;
  for (const auto& [field, value] : head.fields) {
    if (!equal_ignoring_case(field, name)) continue;
    if (found) return header_map().find(to_lower(name));
    found = value;
  }
  return found;
}

const TextMap& Exchange::cookie_map() {
  if (!cookie_map_) {
    TextMap& map = cookie_map_.emplace();
    for (const auto& [name, value] : head.fields) {
      if (equal_ignoring_case(name, "cookie")) parse_cookies(value, map);
    }
  }
  return *cookie_map_;
}

std::string_view Exchange::ip() {
  if (!env.config.trust_proxy) return head.remote_address;
  const std::string_view forwarded = first_of_list(header("x-forwarded-for").value_or(""));
  return forwarded.empty() ? std::string_view(head.remote_address) : forwarded;
}

std::string_view Exchange::protocol() {
  if (!env.config.trust_proxy) return "http";
  const std::string_view forwarded = first_of_list(header("x-forwarded-proto").value_or(""));
  return equal_ignoring_case(forwarded, "https") ? "https" : "http";
}

std::string_view Exchange::raw_body() {
  if (raw_body_) return *raw_body_;
  std::string bytes;
  if (head.has_body) {
    const std::uint64_t limit = route != nullptr ? route->body_limit : env.body_limit;
    switch (transaction->read_body(limit, bytes)) {
      case http::BodyStatus::complete:
        break;
      case http::BodyStatus::too_large:
        throw HttpError(413, "Payload Too Large");
      case http::BodyStatus::timed_out:
        throw HttpError(408, "Request Timeout");
      case http::BodyStatus::disconnected:
        throw HttpError(400, "Bad Request: the request body is incomplete");
      case http::BodyStatus::malformed:
        throw HttpError(400, "Bad Request: malformed request body");
    }
  }
  raw_body_ = std::move(bytes);
  return *raw_body_;
}

AuthContext& Exchange::auth() {
  if (!auth_) auth_.emplace();
  return *auth_;
}

const std::shared_ptr<Cancellation>& Exchange::cancellation() {
  if (!cancellation_) {
    cancellation_ = std::make_shared<Cancellation>();
    transaction->on_disconnect([shared = cancellation_] { shared->disconnect(); });
  }
  return cancellation_;
}

const std::string& Exchange::language() {
  if (!language_) language_ = env.locales.choose(header("accept-language").value_or(""));
  return *language_;
}

}  // namespace fw::detail
