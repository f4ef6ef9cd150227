// All state of one request and its response. fw::Request and fw::Response are thin wrappers around
// it.
#pragma once

#include <fairway/auth.hpp>
#include <fairway/fields.hpp>
#include <fairway/json.hpp>
#include <fairway/location.hpp>
#include <fairway/readable.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>
#include <fairway/session.hpp>
#include <fairway/slots.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange/cancellation.hpp"
#include "exchange/current.hpp"
#include "exchange/environment.hpp"
#include "exchange/observed_reads.hpp"
#include "exchange/outgoing_response.hpp"
#include "exchange/parsed_body.hpp"
#include "exchange/request_session.hpp"
#include "exchange/route.hpp"
#include "exchange/route_plan.hpp"
#include "exchange/valid_input.hpp"
#include "http/adapter.hpp"
#include "observe/active_requests.hpp"
#include "observe/request_metrics.hpp"

namespace fw::detail {

/// Who makes a request. Filled by middlewares and hooks, as `req.auth()`.
class RequestIdentity {
 public:
  /// Anonymous at first.
  AuthContext& get() {
    if (!auth_) auth_.emplace();
    return *auth_;
  }
  bool is_authenticated() const { return auth_ && auth_->is_authenticated; }
  /// Whether a middleware has found out, or tried to find out, who the caller is.
  bool is_set() const {
    if (!auth_) return false;
    const AuthContext& auth = *auth_;
    return auth.is_authenticated || auth.error || !auth.subject.empty() || !auth.user_id.empty() ||
           !auth.roles.empty() || !auth.scopes.empty() || !auth.claims.is_null();
  }

 private:
  std::optional<AuthContext> auth_;
};

/// What the handler of a cached route sees of its request instead of what the client has sent. All
/// spellings of a host, a path and a query have one key, and so one response. Its handler sees
/// the spelling of the key: otherwise the response could repeat the spelling of one client, and
/// could not be stored.
struct PlainInput {
  std::optional<std::string> host = {};    ///< empty: as sent
  std::optional<std::string> path = {};    ///< likewise
  std::optional<std::string> target = {};  ///< likewise; path and query
  /// The query parameters of the key. The validated query of the handler has no others than these
  /// and the declared ones. Null: all are part of the key.
  const std::vector<std::string>* query = nullptr;
  std::optional<Json> valid_query = {};  ///< the validated query after that; empty until it is read
};

/// Thrown when a part of the body does not arrive before the deadline of the read.
class BodyReadTimeout : public std::runtime_error {
 public:
  BodyReadTimeout() : std::runtime_error("the request body did not arrive in time") {}
};

/// Used by one thread at a time. Lives until the request has been handled and its response, which
/// may be a stream, has ended.
class Exchange {
 public:
  Exchange(const Environment& environment, std::shared_ptr<http::Transaction> transaction);
  static Exchange& of(const Request& request) { return request.exchange_; }
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const Environment& env;
  const std::shared_ptr<http::Transaction> transaction;
  const http::RequestHead& head;
  Request request;
  Response response;

  /// When the handling of the request began, and when its response was ready. The epoch: not known.
  /// @{
  std::chrono::steady_clock::time_point began;
  std::chrono::steady_clock::time_point ended;
  /// @}

  // The request.
  std::string_view path;  ///< path of the request target
  const Route* route = nullptr;
  TextMap params;
  /// The methods of the path, if it has no route for the request's method; null otherwise.
  std::unique_ptr<const std::string> allow;
  RequestContext context;
  ValidInput valid;
  Slots slots;
  ObservedReads reads;
  /// What the application sees instead of some parts of the request; null: nothing.
  PlainInput* plain_input() const { return plain_input_; }

  /// The query of the request target, without the question mark.
  std::string_view query() const {
    const std::string_view target = head.target;
    return target.substr(std::min(path.size() + 1, target.size()));
  }
  const TextMap& query_map();
  const TextMap& header_map();
  const TextMap& cookie_map();
  /// The value of one cookie; does not build `cookie_map`.
  std::optional<std::string> cookie(std::string_view name);
  /// The value of a field; repeated fields are joined. `name` is case-insensitive.
  std::optional<std::string_view> header(std::string_view name) {
    if (!head.fields.may_have(name)) return std::nullopt;
    return joined_header(name);
  }
  std::string_view ip();
  std::string_view protocol();
  /// The bytes of the body, read on first use. Throws HttpError (413, 400, 408).
  std::string_view raw_body();
  std::uint64_t body_bytes = 0;  ///< that were read, for the metrics
  /// A stream of the body's bytes. If the route has `body_parser.stream`, they are received while
  /// they are read. Must not outlive the exchange. Reading throws the errors of `raw_body`, and
  /// BodyReadTimeout after `until`.
  Readable body_stream(std::chrono::steady_clock::time_point until);
  /// Lets the next request read its body: this one has arrived, or is not read any more.
  void end_body_turn();
  /// Whether `raw_body` still returns the bytes as they were sent.
  bool can_read_raw_body() const { return raw_body_ || (!streams_body() && !body_is_streamed_); }
  bool streams_body() const { return route != nullptr && route->options.body_parser.stream; }
  /// Parses the body as `type`. Throws HttpError (400, 413), and the errors of `raw_body`.
  void parse_body(BodyType type);
  /// The JSON value of the body as sent, which must have been parsed as JSON.
  Json json_body();
  ParsedBody parsed_body;
  /// The tree of the parsed body; null if there is none.
  const Json& body() { return parsed_body.tree(raw_body_); }
  /// See `ParsedBody::take`.
  Json take_body() { return parsed_body.take(raw_body_); }
  void set_body(Json value);
  RequestIdentity identity;
  void enable_session(std::unique_ptr<RequestSession> session) { session_ = std::move(session); }
  /// Null for a request without a session.
  RequestSession* session() const { return session_.get(); }
  /// The same, but throws std::logic_error for a request without a session.
  RequestSession& required_session();
  /// Null if the request was not planned.
  RoutePlan* plan() const { return plan_; }
  /// When work on the request began, if this is before `now`.
  std::chrono::steady_clock::time_point start_time(
      std::chrono::steady_clock::time_point now) const {
    const RoutePlan* planned = plan();
    return planned != nullptr ? planned->begin.value_or(now) : now;
  }
  const std::shared_ptr<Cancellation>& cancellation();
  /// The same for code of the application, which may end early then.
  const std::shared_ptr<Cancellation>& shown_cancellation() {
    cancellation_is_shown_ = true;
    return cancellation();
  }
  bool cancellation_is_shown() const { return cancellation_is_shown_; }
  /// The cancellation, if code of the application may wait for it; null otherwise. The exchange no
  /// longer finishes it.
  std::shared_ptr<Cancellation> release_cancellation() {
    return cancellation_is_shown_ ? std::move(cancellation_) : nullptr;
  }
  /// From now on, only other code counts.
  void forget_shown_cancellation() { cancellation_is_shown_ = false; }
  /// The locale of messages for this request.
  const std::string& language();
  /// Sets it for a request without header fields. `language` must outlive the exchange.
  void set_language(const std::string& language) { language_ = &language; }

  /// Lets the request have the protocol of another one, and no address.
  void set_protocol(Exchange& original) {
    client_ = {{}, original.protocol()};
    has_client_ = true;
  }

  /// Records that the application reads a part of the request.
  void observe(RequestPart part, std::string_view name = {}) { reads.add(part, name, head); }

  /// Lists the request in `requests`, or takes the entry of its plan. `began` is set.
  void begin_entry(ActiveRequests& requests) {
    if (plan_ != nullptr && plan_->entry) {
      entry_ = &*plan_->entry;
      entry_->set_state(RequestState::stages);
    } else {
      own_entry_ =
          std::make_unique<ActiveRequest>(requests, head.method, began, RequestState::stages);
      entry_ = own_entry_.get();
    }
  }
  /// Null if the request is not listed.
  ActiveRequest* entry() const { return entry_; }

  /// Why a stage of the framework rejects the request.
  Rejection rejection() const { return rejection_; }
  void set_rejection(Rejection cause) { rejection_ = cause; }

  OutgoingResponse outgoing;

 private:
  friend class PlainInputScope;

  std::optional<std::string_view> joined_header(std::string_view name);
  const http::TrustedProxies::Client& client();
  bool decode_body();
  std::uint64_t body_limit() const;
  std::size_t read_body_part(std::span<char> buffer, std::chrono::steady_clock::time_point until);

  RoutePlan* const plan_;
  PlainInput* plain_input_ = nullptr;
  http::TrustedProxies::Client client_;  ///< set if `has_client_`
  std::optional<TextMap> query_map_;
  std::unique_ptr<TextMap> header_map_;  ///< null until it is needed
  std::unique_ptr<TextMap> cookie_map_;  ///< likewise
  std::optional<std::string> raw_body_;
  bool body_is_streamed_ = false;  ///< a part has been read
  std::atomic<bool> cancellation_is_shown_ = false;
  std::atomic_flag is_making_cancellation_;  ///< a mutex would take 40 bytes
  bool has_client_ = false;
  Rejection rejection_ = Rejection::none;
  std::unique_ptr<RequestSession> session_;  ///< null for a request without one
  const std::string* language_ = nullptr;    ///< one of `env.locales`; null until it is chosen
  std::shared_ptr<Cancellation> cancellation_;
  ActiveRequest* entry_ = nullptr;  ///< `own_entry_`, or the entry of the plan; null: none
  std::unique_ptr<ActiveRequest> own_entry_;
};

/// Makes the request the current one of the thread, if configured.
inline CurrentContextScope enter_context(const Exchange& exchange) {
  return CurrentContextScope(exchange.env.config.request_context.enabled ? &exchange.context
                                                                         : nullptr);
}

/// What the request is doing during the lifetime of the scope.
class RequestStateScope {
 public:
  RequestStateScope(const Exchange& exchange, RequestState state) : entry_(exchange.entry()) {
    if (entry_ == nullptr) return;
    previous_ = entry_->state();
    entry_->set_state(state);
  }
  ~RequestStateScope() {
    if (entry_ != nullptr) entry_->set_state(previous_);
  }
  RequestStateScope(const RequestStateScope&) = delete;
  RequestStateScope& operator=(const RequestStateScope&) = delete;

 private:
  ActiveRequest* const entry_;
  RequestState previous_ = RequestState::stages;
};

/// Lets the application see what `plain` has instead of what the client has sent, during the
/// lifetime of the scope; null: what the client has sent. `plain` must outlive the exchange,
/// because the application may keep references.
class PlainInputScope {
 public:
  PlainInputScope(Exchange& exchange, PlainInput* plain)
      : exchange_(exchange), previous_(std::exchange(exchange.plain_input_, plain)) {}
  ~PlainInputScope() { exchange_.plain_input_ = previous_; }
  PlainInputScope(const PlainInputScope&) = delete;
  PlainInputScope& operator=(const PlainInputScope&) = delete;

 private:
  Exchange& exchange_;
  PlainInput* const previous_;
};

}  // namespace fw::detail
