// `cache` of a route: responses that are sent again without running the handler (reference:
// Caching; docs/caching.md).
#include <fairway/hooks.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/ascii.hpp"
#include "exchange/preconditions.hpp"
#include "exchange/rendered_page.hpp"
#include "http/field_lines.hpp"
#include "http/response_head.hpp"
#include "pipeline/cache_fields.hpp"
#include "pipeline/compression.hpp"
#include "pipeline/error_response.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/stored_responses.hpp"

namespace fw::detail {
namespace {

using namespace std::string_view_literals;
using std::chrono::milliseconds;
using std::chrono::system_clock;

bool is_storable(const Exchange& exchange) {
  const OutgoingResponse& response = exchange.outgoing;
  if (response.kind != OutgoingResponse::Kind::body) return false;
  if (response.status > 299 || response.status == 204) return false;
  if (response.field("set-cookie") || response.has_csrf_token) return false;
  // A page has a nonce of its own if the handler has set the policy.
  if (response.is_page ? !exchange.nonce.empty() : !response.is_json()) return false;
  const auto cache_control = response.field(kCacheControl);
  if (cache_control && forbids_storing(*cache_control)) return false;
  // Otherwise the response is not sent either.
  return std::all_of(response.fields.begin(), response.fields.end(), [](const http::Field& field) {
    return http::is_valid_field(field.name, field.value);
  });
}

/// Whether this response would be a page with a nonce if the handler rendered one.
bool may_need_nonce(const Exchange& exchange) {
  return !exchange.env.pages.empty() && needs_nonce(exchange);
}

/// Runs the handler. Returns the placeholder for the nonces of the page that it has rendered; empty
/// if there is none.
std::string run_with_placeholder(Exchange& exchange, const Rest& rest) {
  if (!may_need_nonce(exchange)) {
    rest(exchange);
    return {};
  }
  const std::string placeholder = make_nonce();
  exchange.nonce = placeholder;
  try {
    rest(exchange);
  } catch (...) {
    exchange.nonce.clear();
    throw;
  }
  exchange.nonce.clear();
  return exchange.outgoing.is_page ? placeholder : std::string();
}

void replace_placeholder(Exchange& exchange, std::string_view placeholder) {
  if (placeholder.empty()) return;
  std::string& body = exchange.outgoing.body;
  body = with_nonce(exchange, std::move(body), placeholder);
}

/// Stores the fields that the handler added to those of earlier stages.
void take_new_fields(const http::Fields& before, const http::Fields& after,
                     StoredResponse& response) {
  for (const auto& field : after) {
    if (std::find(before.begin(), before.end(), field) != before.end()) continue;
    // If a field of an earlier stage has disappeared, this field replaced it.
    const bool replaces = std::any_of(before.begin(), before.end(), [&](const auto& earlier) {
      return base::equal_ignoring_case(earlier.name, field.name) &&
             std::find(after.begin(), after.end(), earlier) == after.end();
    });
    if (replaces) {
      response.replacements.add(field.name, field.value);
    } else {
      response.add_field(field.name, field.value);
    }
  }
}

bool is_read(std::string_view method) { return method == "GET" || method == "HEAD"; }

bool caches(const RouteCacheOptions& options, std::string_view method) {
  const auto& methods = options.methods;
  if (methods.empty()) return is_read(method);
  return std::any_of(methods.begin(), methods.end(),
                     [&](const Text& each) { return each.str() == method; });
}

class CacheStage : public Stage {
 public:
  CacheStage(StoredResponses& cache, const RouteCacheOptions& options, std::string_view method,
             milliseconds ttl)
      : cache_(cache),
        options_(options),
        ttl_(ttl),
        stale_for_(options.stale_while_revalidate.value_or(Milliseconds(0))),
        is_read_(is_read(method)),
        caches_method_(caches(options, method)),
        caches_head_(caches(options, "HEAD")) {
    for (const Text& name : options.headers) {
      headers_.push_back(base::lower_case(name.str()));
      vary_ += (vary_.empty() ? "" : ", ") + name.str();
    }
    for (const Text& tag : options.tags) tags_.push_back(tag.str());
  }

  void run(Exchange& exchange, const Rest& rest) const override {
    const bool is_cached = exchange.head.method == "HEAD" ? caches_head_ : caches_method_;
    if (!is_cached || (options_.condition && !options_.condition(exchange.request))) {
      return rest(exchange);
    }
    StoredKey key = base_key(exchange);
    if (key.base().empty()) return rest(exchange);
    const std::string partition =
        options_.partition_key ? options_.partition_key(exchange.request) : std::string();
    if (!vary_.empty()) exchange.outgoing.add_vary(vary_);
    if (partition.empty() && !options_.allow_authorization_cache && is_authorized(exchange)) {
      return run_unstored(exchange, rest);
    }
    append_variant(key, exchange, partition);
    const auto now = system_clock::now();
    const auto stored = find(exchange, key, now);
    if (stored && !stored->is_stale(now)) return send(exchange, key, *stored, now);
    if (!options_.allow_cookie_cache && exchange.header("cookie")) {
      return run_unstored(exchange, rest);
    }
    run_for_all(exchange, rest, key, stored);
  }

 private:
  /// The result of `use`; empty if the store fails, which counts as a miss.
  template <class Use>
  std::invoke_result_t<Use> guarded(Exchange& exchange, const StoredKey& key,
                                    const Use& use) const {
    try {
      return use();
    } catch (const StoreError& error) {
      cache_.count_error();
      if (exchange.env.hooks.any<hooks::CacheError>()) {
        hooks::CacheError event{exchange.request, key.base(), std::current_exception()};
        exchange.env.hooks.emit(event, exchange.env.logger);
      }
      if (cache_.may_log_error()) {
        exchange.env.logger.error("the response cache cannot use its store",
                                  Json{{"err", error.what()}});
      }
      return {};
    }
  }

  StoredKey base_key(Exchange& exchange) const {
    const auto& key = options_.key.get();
    if (const auto* fixed = std::get_if<Text>(&key)) return StoredKey(fixed->str());
    if (const auto* function = std::get_if<CacheKey::Function>(&key)) {
      return StoredKey((*function)(exchange.request));
    }
    // HEAD uses the entries of GET.
    const std::string_view method = exchange.head.method;
    return StoredKey(method == "HEAD" ? "GET" : method, exchange.head.target);
  }

  void append_variant(StoredKey& key, Exchange& exchange, std::string_view partition) const {
    key.append(may_need_nonce(exchange) ? "+"sv : "-"sv);
    for (const std::string& name : headers_) {
      // Distinguishes absent fields from empty ones. Values contain no line breaks.
      const auto value = exchange.header(name);
      key.append(value ? "="sv : "-"sv);
      key.append(value.value_or(std::string_view()));
      key.append("\n");
    }
    if (!partition.empty()) key.append(partition);
  }

  static bool is_authorized(Exchange& exchange) {
    return exchange.is_authenticated() || exchange.header("authorization");
  }

  static void run_unstored(Exchange& exchange, const Rest& rest) {
    rest(exchange);
    if (!exchange.outgoing.field(kCacheControl)) {
      exchange.outgoing.set_field(kCacheControl, "no-store");
    }
  }

  /// Runs the handler, or uses the response of a concurrent request with the same key. Waits for
  /// that response, unless there is a stale one to send.
  void run_for_all(Exchange& exchange, const Rest& rest, const StoredKey& key,
                   const std::shared_ptr<const StoredResponse>& stale) const {
    // The response to a HEAD may violate the declared schema, so it is not shared.
    if (exchange.head.method == "HEAD") return run_for_itself(exchange, rest, key);
    std::shared_ptr<const StoredResponse> shared;
    using Others = StoredResponses::Others;
    const auto lead = cache_.join(key.full(), stale ? Others::proceed : Others::wait,
                                  exchange.cancellation()->token(), shared);
    const auto now = system_clock::now();
    if (!lead && stale) return send(exchange, key, *stale, now);
    if (shared) return send(exchange, key, *shared, now);
    if (lead) {
      // A previous request may have stored an entry since the lookup.
      const auto stored = find(exchange, key, now);
      if (stored && !stored->is_stale(now)) {
        lead->publish(stored);  // other requests that missed it may be waiting
        return send(exchange, key, *stored, now);
      }
    }
    std::unique_ptr<StoredResponses::Claim> claim;
    if (lead && cache_.is_shared()) {
      const auto other = claim_or_wait(exchange, key, stale, claim);
      if (other) {
        lead->publish(other);
        return send(exchange, key, *other, system_clock::now());
      }
    }
    announce_miss(exchange, key);
    const std::string epoch = guarded(exchange, key, [&] { return cache_.epoch(); });
    const http::Fields before = exchange.outgoing.fields;
    exchange.outgoing.keeps_original = true;
    const std::string placeholder = run_with_placeholder(exchange, rest);
    OutgoingResponse& outgoing = exchange.outgoing;
    if (!is_storable(exchange) || exchange.changes_session()) {
      return replace_placeholder(exchange, placeholder);
    }
    // The tag is computed once for all requests that get this response, unless hooks change the
    // response to each of them.
    if (!outgoing.original && placeholder.empty()) add_entity_tag(exchange);
    auto response = std::make_shared<StoredResponse>(take(exchange, before));
    response->nonce = placeholder;
    replace_placeholder(exchange, placeholder);
    if (!outgoing.original && placeholder.empty()) {
      if (const auto coding = negotiate_coding(exchange, exchange.outgoing.body.size())) {
        send_encoded(exchange, encode(exchange, *coding, *response), *response);
      }
    }
    announce(exchange, CacheOutcome::miss, ttl_);  // before the access to the store
    store(exchange, key, *response, epoch);
    if (lead) lead->publish(std::move(response));
  }

  /// Makes this process the only one that runs the handler for the key. If there is one, returns
  /// its response, or the stale one at once. Null if this process must run the handler: it has the
  /// claim, or the other process or the store has failed.
  std::shared_ptr<const StoredResponse> claim_or_wait(
      Exchange& exchange, const StoredKey& key, const std::shared_ptr<const StoredResponse>& stale,
      std::unique_ptr<StoredResponses::Claim>& claim) const {
    const std::stop_token stop = exchange.cancellation()->token();
    return guarded(exchange, key, [&]() -> std::shared_ptr<const StoredResponse> {
      claim = cache_.claim(key);
      if (claim) return nullptr;
      if (stale) return stale;
      return cache_.await_claimed(key, stop);
    });
  }

  void run_for_itself(Exchange& exchange, const Rest& rest, const StoredKey& key) const {
    announce_miss(exchange, key);
    const std::string placeholder = run_with_placeholder(exchange, rest);
    const bool is_stored = is_storable(exchange) && !exchange.changes_session();
    replace_placeholder(exchange, placeholder);
    if (is_stored) announce(exchange, CacheOutcome::miss, ttl_);
  }

  StoredResponse take(const Exchange& exchange, const http::Fields& before) const {
    const OutgoingResponse& outgoing = exchange.outgoing;
    StoredResponse response;
    response.expires = system_clock::now() + ttl_;
    response.stale_for = stale_for_;
    response.status = outgoing.status;
    take_new_fields(before, outgoing.fields, response);
    if (outgoing.is_page) response.pages_version = exchange.env.pages.current()->version();
    using Form = StoredResponse::Form;
    if (outgoing.original) {
      response.status = outgoing.original->status;
      response.body = outgoing.original->data;
      response.form =
          outgoing.original->envelope == Envelope::none ? Form::data_without_envelope : Form::data;
      return response;
    }
    const std::string_view body = outgoing.body_before_request_id();
    response.body = std::string(body);
    if (body.size() != outgoing.body.size()) response.form = Form::without_id;
    return response;
  }

  void store(Exchange& exchange, const StoredKey& key, const StoredResponse& response,
             const std::string& epoch) const {
    const bool is_stored =
        guarded(exchange, key, [&] { return cache_.put(key, response, tags_, epoch); });
    if (is_stored && exchange.env.hooks.any<hooks::CacheWrite>()) {
      hooks::CacheWrite event{exchange.request, key.base(), ttl_};
      exchange.env.hooks.emit(event, exchange.env.logger);
    }
  }

  std::shared_ptr<const StoredResponse> find(Exchange& exchange, const StoredKey& key,
                                             system_clock::time_point now) const {
    auto response = guarded(exchange, key, [&] { return cache_.find(key, now); });
    // Pages that look different now, in development or after a release, are rendered again.
    if (response && !response->pages_version.empty() &&
        response->pages_version != exchange.env.pages.current()->version()) {
      response.reset();
    }
    return response;
  }

  void send(Exchange& exchange, const StoredKey& key, const StoredResponse& response,
            system_clock::time_point now) const {
    cache_.count_hit();
    if (exchange.env.hooks.any<hooks::CacheHit>()) {
      hooks::CacheHit event{exchange.request, key.base()};
      exchange.env.hooks.emit(event, exchange.env.logger);
    }
    OutgoingResponse& outgoing = exchange.outgoing;
    if (outgoing.is_set()) return outgoing.repeat(response.status);  // by a middleware: a warning
    const auto outcome = response.is_stale(now) ? CacheOutcome::stale : CacheOutcome::hit;
    if (is_known(exchange, response)) {
      outgoing.kind = OutgoingResponse::Kind::body;
      outgoing.status = 304;
      outgoing.fields.add(response.fields);
      std::optional<std::int64_t> max_age;
      if (options_.cache_control && !response.has_cache_control) {
        max_age = max_age_of(response.expires - now);
      }
      outgoing.fields.add(cache_fields(outcome, max_age));
      return;
    }
    outgoing.fields.add(response.fields);
    for (const auto& [name, value] : response.replacements) outgoing.set_field(name, value);
    using Form = StoredResponse::Form;
    const bool is_data =
        response.form == Form::data || response.form == Form::data_without_envelope;
    if (is_data) {
      outgoing.fields.add(response.body_fields);
      outgoing.json(Json::parse(response.body.view()), response.status,
                    response.form == Form::data ? Envelope::as_configured : Envelope::none);
    } else {
      outgoing.repeat(response.status);
    }
    announce(exchange, outcome, response.expires - now);
    if (!is_data && http::allows_body(outgoing.status)) send_body(exchange, key, response);
  }

  /// Whether the client has the response, and a 304 needs nothing but fields of the entry.
  bool is_known(const Exchange& exchange, const StoredResponse& response) const {
    if (!is_read_ || response.entity_tag.empty() ||
        !Preconditions::are_only(exchange.head.fields, response.entity_tag)) {
      return false;
    }
    const http::Fields& fields = exchange.outgoing.fields;
    return !is_compression_enabled(exchange) && !exchange.env.hooks.any<hooks::ResponseBefore>() &&
           // Those that the entry has, or that a 304 must not have.
           !has_content_fields(fields) && !fields.find(kCacheControl) && !fields.find(kCache);
  }

  void send_body(Exchange& exchange, const StoredKey& key, const StoredResponse& response) const {
    OutgoingResponse& outgoing = exchange.outgoing;
    // Only compression depends on the fields and the size of the body: a 304 has none of them.
    const bool may_be_compressed = response.nonce.empty() && is_compression_enabled(exchange);
    if (response.nonce.empty() && !may_be_compressed &&
        respond_to_preconditions(exchange, std::nullopt)) {
      return;
    }
    outgoing.fields.add(response.body_fields);
    if (!response.nonce.empty()) {
      outgoing.body = with_nonce(exchange, std::string(response.body.view()), response.nonce);
      return;
    }
    if (may_be_compressed) {
      std::optional<std::uint64_t> size;
      if (is_compressible(exchange)) {
        size = response.body.view().size() + end_of(exchange, response).size();
      }
      if (respond_to_preconditions(exchange, size)) return;
      if (const auto coding = negotiate_coding(exchange, size)) {
        return send_compressed(exchange, key, response, *coding);
      }
    }
    outgoing.body += response.body.view();
    append_end(outgoing.body, exchange, response);
  }

  /// Appends the bytes after the stored body in the response to this request.
  static void append_end(std::string& body, const Exchange& exchange,
                         const StoredResponse& response) {
    if (response.form != StoredResponse::Form::without_id) return;
    OutgoingResponse::append_end_of_envelope(body, exchange.context.request_id);
  }

  static std::string end_of(const Exchange& exchange, const StoredResponse& response) {
    std::string end;
    append_end(end, exchange, response);
    return end;
  }

  /// Sends a stored response in a coding, and stores the encoded body with it if that is new.
  void send_compressed(Exchange& exchange, const StoredKey& key, const StoredResponse& response,
                       Coding coding) const {
    if (const auto* encoded = response.encoded(coding)) {
      return send_encoded(exchange, *encoded, response);
    }
    StoredResponse compressed = response;
    send_encoded(exchange, encode(exchange, coding, compressed), response);
    guarded(exchange, key, [&] {
      cache_.replace(key, response, compressed);
      return true;
    });
  }

  static const StoredResponse::Encoded& encode(const Exchange& exchange, Coding coding,
                                               StoredResponse& response) {
    const int level = exchange.env.compression.level(coding);
    response.encodings.push_back(
        {coding, compression::compress_beginning(coding, level, response.body.view())});
    return response.encodings.back();
  }

  static void send_encoded(Exchange& exchange, const StoredResponse::Encoded& encoded,
                           const StoredResponse& response) {
    exchange.outgoing.set_field("content-encoding", compression::name_of(encoded.coding));
    exchange.outgoing.body =
        compression::complete(encoded.coding, encoded.beginning.view(), end_of(exchange, response));
  }

  void announce_miss(Exchange& exchange, const StoredKey& key) const {
    cache_.count_miss();
    if (exchange.env.hooks.any<hooks::CacheMiss>()) {
      hooks::CacheMiss event{exchange.request, key.base()};
      exchange.env.hooks.emit(event, exchange.env.logger);
    }
  }

  /// Sets Cache-Control for clients and proxies, unless the handler has set it.
  void announce(Exchange& exchange, CacheOutcome outcome, system_clock::duration left) const {
    OutgoingResponse& outgoing = exchange.outgoing;
    std::optional<std::int64_t> max_age;
    if (options_.cache_control && !outgoing.field(kCacheControl)) max_age = max_age_of(left);
    outgoing.remove_field(kCache);
    outgoing.fields.add(cache_fields(outcome, max_age));
  }

  StoredResponses& cache_;
  const RouteCacheOptions& options_;
  const milliseconds ttl_;
  const milliseconds stale_for_;
  const bool is_read_;                ///< whether the method of the route is GET or HEAD
  const bool caches_method_;          ///< whether that method is cached
  const bool caches_head_;            ///< whether HEAD is, which a route for GET receives, too
  std::vector<std::string> headers_;  ///< lower case
  std::string vary_;
  std::vector<std::string> tags_;
};

}  // namespace

Stages cache_stage(const Composition& composition) {
  if (composition.route == nullptr || !composition.env.config.cache.enabled) return {};
  const auto& options = composition.route->options.cache.options();
  if (!options) return {};
  milliseconds ttl = options->ttl ? milliseconds(options->ttl->count()) : milliseconds(0);
  if (ttl.count() == 0) ttl = milliseconds(composition.env.config.cache.default_ttl);
  if (ttl.count() < 0) return {};
  if (ttl.count() == 0) {
    composition.env.logger.warn(source_of(*composition.route) + ": " + name_of(*composition.route) +
                                " declares a cache without a 'ttl', and 'cache.defaultTtl' is not "
                                "configured, so nothing is cached");
    return {};
  }
  return one_stage<CacheStage>(composition.responses, *options, composition.route->method, ttl);
}

}  // namespace fw::detail
