#include "exchange/exchange.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "errors/messages.hpp"
#include "exchange/body_turns.hpp"
#include "exchange/json_body.hpp"
#include "http/cookies.hpp"

namespace fw::detail {
namespace {

/// The maximum memory that is reserved for a body before any of it has arrived.
constexpr std::uint64_t kReservedAtFirst = 64 * 1024;

/// Holds a flag as a lock.
class FlagLock {
 public:
  explicit FlagLock(std::atomic_flag& flag) : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) {
      flag_.wait(true, std::memory_order_relaxed);
    }
  }
  ~FlagLock() {
    flag_.clear(std::memory_order_release);
    flag_.notify_one();
  }
  FlagLock(const FlagLock&) = delete;
  FlagLock& operator=(const FlagLock&) = delete;

 private:
  std::atomic_flag& flag_;
};

/// What each thread keeps for its next request.
struct SpareBuffers {
  std::string request_body;
  std::string response_body;
  std::string request_id;
};

SpareBuffers& spare_buffers() {
  thread_local SpareBuffers buffers;
  return buffers;
}

/// Larger buffers are freed.
constexpr std::size_t kKeptCapacity = 64 * 1024 + kBodyPadding;

void keep(std::string& buffer, std::string& spare) {
  if (buffer.capacity() > kKeptCapacity) return;
  spare = std::move(buffer);
  spare.clear();
}

/// The number of bytes is limited elsewhere; a pair takes far more memory than the two bytes it may
/// consist of.
void require_pairs(std::string_view text, char separator, int most, std::string_view what) {
  if (text.size() < static_cast<std::size_t>(most)) return;
  const auto pairs = std::count(text.begin(), text.end(), separator) + 1;
  if (pairs > most) throw status_error(400, fmt::format("more than {} {}", most, what));
}

/// Throws the error response to a body that cannot be read.
void require_complete(http::BodyStatus status) {
  switch (status) {
    case http::BodyStatus::complete:
      return;
    case http::BodyStatus::too_large:
      throw status_error(413);
    case http::BodyStatus::timed_out:
      throw status_error(408);
    case http::BodyStatus::disconnected:
      throw status_error(400, "the request body is incomplete");
    case http::BodyStatus::malformed:
      throw status_error(400, "malformed request body");
    case http::BodyStatus::unavailable:
      throw status_error(503);
  }
}

}  // namespace

Exchange::Exchange(const Environment& environment, std::shared_ptr<http::Transaction> owned)
    : env(environment),
      transaction(std::move(owned)),
      head(transaction->head()),
      request(*this),
      response(*this),
      outgoing(*this),
      plan_(static_cast<RoutePlan*>(transaction->plan())) {
  const std::string_view target = head.target;
  path = target.substr(0, target.find('?'));
  SpareBuffers& spare = spare_buffers();
  context.request_id = std::move(spare.request_id);
  outgoing.body = std::move(spare.response_body);
}

Exchange::~Exchange() {
  if (entry_ != nullptr) entry_->leave();  // it refers to the id
  if (cancellation_) cancellation_->finish();
  SpareBuffers& spare = spare_buffers();
  if (raw_body_) keep(*raw_body_, spare.request_body);
  keep(outgoing.body, spare.response_body);
  keep(context.request_id, spare.request_id);
}

const TextMap& Exchange::query_map() {
  if (!query_map_) {
    require_pairs(query(), '&', env.config.server.max_query_parameters, "query parameters");
    query_map_ = base::parse_query(query());
  }
  return *query_map_;
}

const TextMap& Exchange::header_map() {
  if (!header_map_) {
    header_map_ = std::make_unique<TextMap>();
    TextMap& map = *header_map_;
    for (const auto& [name, value] : head.fields) {
      std::string key = base::lower_case(name);
      // Cookie fields are joined with another separator (RFC 9113, 8.2.3).
      const std::string_view separator = key == "cookie" ? "; " : ", ";
      map.join(std::move(key), separator, value);
    }
  }
  return *header_map_;
}

std::optional<std::string_view> Exchange::joined_header(std::string_view name) {
  const std::size_t index = head.fields.index_of(name);
  if (index == head.fields.size()) return std::nullopt;
  const bool is_only = head.fields.index_of(name, index + 1) == head.fields.size();
  return is_only ? head.fields[index].value : header_map().find(base::lower_case(name));
}

const TextMap& Exchange::cookie_map() {
  if (!cookie_map_) {
    require_pairs(header("cookie").value_or(""), ';', env.config.server.max_cookies, "cookies");
    cookie_map_ = std::make_unique<TextMap>();
    TextMap& map = *cookie_map_;
    for (const auto& [name, value] : head.fields) {
      if (base::equal_ignoring_case(name, "cookie")) http::parse_cookies(value, map);
    }
  }
  return *cookie_map_;
}

std::optional<std::string> Exchange::cookie(std::string_view name) {
  if (cookie_map_) {
    const auto value = cookie_map_->find(name);
    return value ? std::optional<std::string>(*value) : std::nullopt;
  }
  const auto field = header("cookie");
  if (!field) return std::nullopt;
  require_pairs(*field, ';', env.config.server.max_cookies, "cookies");
  return http::find_cookie(*field, name);
}

const http::TrustedProxies::Client& Exchange::client() {
  if (has_client_) return client_;
  has_client_ = true;
  if (env.config.trust_proxy.mode() == TrustProxy::Mode::none) {
    return client_ = {head.remote_address, {}};
  }
  return client_ = (env.trusted_proxies.client(head.remote_address,
                                               header("x-forwarded-for").value_or(""),
                                               header("x-forwarded-proto").value_or("")));
}

std::string_view Exchange::ip() { return client().address; }

std::string_view Exchange::protocol() {
  return client().uses_https(head.is_secure) ? "https" : "http";
}

std::string_view Exchange::raw_body() {
  if (raw_body_) return *raw_body_;
  std::string bytes;
  if (head.has_body) {
    if (body_is_streamed_) {
      throw std::logic_error("the request body has been streamed: it can be read only once");
    }
    bytes = std::move(spare_buffers().request_body);
    bytes.reserve(std::min(head.content_length.value_or(0), kReservedAtFirst) + kBodyPadding);
    const RequestStateScope scope(*this, RequestState::receiving);
    require_complete(transaction->read_body(body_limit(), bytes));
    body_bytes = bytes.size();
  }
  bytes.reserve(bytes.size() + kBodyPadding);  // now, because there are no views yet
  raw_body_ = std::move(bytes);
  return *raw_body_;
}

std::uint64_t Exchange::body_limit() const {
  return route != nullptr ? route->body_limit : env.body_limit;
}

Readable Exchange::body_stream(std::chrono::steady_clock::time_point until) {
  if (!head.has_body) return Readable("");
  Readable::Generator generator;
  if (raw_body_ || !streams_body()) {
    generator = [this, at = std::size_t{0}](std::span<char> buffer) mutable {
      const std::size_t size = raw_body().copy(buffer.data(), buffer.size(), at);
      at += size;
      return size;
    };
  } else {
    generator = [this, until](std::span<char> buffer) { return read_body_part(buffer, until); };
  }
  return head.content_length ? Readable(std::move(generator), *head.content_length)
                             : Readable(std::move(generator));
}

std::size_t Exchange::read_body_part(std::span<char> buffer,
                                     std::chrono::steady_clock::time_point until) {
  if (buffer.empty()) return 0;
  body_is_streamed_ = true;
  const auto part = transaction->read_body_part(body_limit(), buffer, until);
  const bool is_late = part.status == http::BodyStatus::timed_out;
  if (is_late && std::chrono::steady_clock::now() >= until) throw BodyReadTimeout();
  require_complete(part.status);
  body_bytes += part.size;
  if (part.size == 0) end_body_turn();
  return part.size;
}

void Exchange::end_body_turn() {
  RoutePlan* const planned = plan();
  if (planned != nullptr && planned->body_turn) planned->body_turn->end();
}

void Exchange::parse_body(BodyType type) {
  if (type == BodyType::other || raw_body().empty()) return;
  const BodyParserConfig& limits = env.config.body_parser;
  if (type == BodyType::json) {
    const auto most = static_cast<std::size_t>(limits.max_values);
    if (has_more_values_than(most, *raw_body_)) {
      throw status_error(413, fmt::format("the request body has more than {} values", most));
    }
    if (decode_body()) return parsed_body.parse_json_later();
  } else {
    require_pairs(*raw_body_, '&', limits.max_form_fields, "form fields");
  }
  parsed_body.parse(type, raw_body_);
}

bool Exchange::decode_body() {
  // A custom validator needs a JSON tree.
  if (route == nullptr || !env.config.typed_path || env.validator) return false;
  JsonReader reader(*raw_body_);
  std::unique_ptr<TypedValue> value;
  if (const InputSchema* const input = route->input(Location::body);
      input != nullptr && input->row != nullptr) {
    value = input->row->read_json(reader, Location::body);
  } else if (route->types != nullptr && route->types->decode_body != nullptr) {
    value = route->types->decode_body(reader);
  }
  if (!value) return false;
  valid.set_candidate(std::move(value));
  return true;
}

Json Exchange::json_body() { return parsed_json(*raw_body_); }

void Exchange::set_body(Json value) {
  valid.forget_decoded(Location::body);
  parsed_body.set(std::move(value));
}

RequestSession& Exchange::required_session() {
  if (!session_) {
    throw std::logic_error(
        fmt::format("{} has no session: set session.enabled in the configuration, or the route's "
                    "option .session = true",
                    route != nullptr ? name_of(*route) : "a request without a route"));
  }
  return *session_;
}

const std::shared_ptr<Cancellation>& Exchange::cancellation() {
  // Functions of `fw::all` ask for `req.signal()` at the same time.
  const FlagLock lock(is_making_cancellation_);
  if (!cancellation_) {
    cancellation_ = std::make_shared<Cancellation>();
    if (const RoutePlan* const planned = plan()) cancellation_->share_loss(planned->outer_is_lost);
    transaction->on_disconnect(Cancellation::callback(cancellation_));
  }
  return cancellation_;
}

const std::string& Exchange::language() {
  if (language_ == nullptr) {
    language_ = &env.locales.choose(header("accept-language").value_or(""));
  }
  return *language_;
}

}  // namespace fw::detail
