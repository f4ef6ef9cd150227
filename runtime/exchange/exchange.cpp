// The request's side of an exchange. The answer's side is in answer.cpp.
#include "exchange/exchange.hpp"

#include <fairway/errors.hpp>

#include <algorithm>
#include <utility>

#include "exchange/ascii.hpp"
#include "exchange/body_text.hpp"
#include "exchange/cookies.hpp"
#include "exchange/json_disposal.hpp"
#include "exchange/url_encoding.hpp"

namespace fw::detail {
namespace {

/// What a client only announces takes no more memory than this.
constexpr std::uint64_t kReservedAtFirst = 64 * 1024;

/// A buffer of the thread's for the next body: an allocation of this size makes malloc tidy up.
constexpr std::size_t kKeptCapacity = 64 * 1024 + kBodyPadding;
std::string& spare_buffer() {
  thread_local std::string buffer;
  return buffer;
}

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
  for (Json& value : valid) dispose_of(value);
  if (body_) dispose_of(*body_);
  if (raw_body_ && raw_body_->capacity() <= kKeptCapacity) spare_buffer().swap(*raw_body_);
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
    bytes.swap(spare_buffer());
    bytes.clear();
    bytes.reserve(std::min(head.content_length.value_or(0), kReservedAtFirst) + kBodyPadding);
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
      case http::BodyStatus::unavailable:
        throw HttpError(503, "Service Unavailable");
    }
  }
  bytes.reserve(bytes.size() + kBodyPadding);  // now, as nobody has a view yet
  raw_body_ = std::move(bytes);
  return *raw_body_;
}

void Exchange::parse_body(BodyType type) {
  if (type == BodyType::other || raw_body().empty()) return;
  body_ = type == BodyType::json ? parse_json_body(*raw_body_) : parse_form_body(*raw_body_);
  if (!body_) raise(400, "Bad Request: invalid JSON in request body");
  body_type_ = type;
}

const Json& Exchange::body() {
  static const Json none;
  if (!has_body()) return none;
  if (!body_) parse_body(body_type_);
  body_is_referred_to_ = true;
  return *body_;
}

Json Exchange::take_body() {
  if (!has_body()) return nullptr;
  if (body_is_referred_to_) return *body_;
  if (!body_) parse_body(body_type_);
  Json taken = std::move(*body_);
  body_.reset();
  return taken;
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
