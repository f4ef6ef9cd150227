// `cache` of a route: responses that are sent again without running the handler (docs/cache.md).
#include <fairway/errors.hpp>
#include <fairway/hooks.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/ascii.hpp"
#include "base/base64url.hpp"
#include "base/string_pool.hpp"
#include "chain/error_response.hpp"
#include "chain/freshness.hpp"
#include "chain/rendered_page.hpp"
#include "chain/stages.hpp"
#include "crypto/digests.hpp"
#include "features/cache/cache_policy.hpp"
#include "features/cache/cached_route.hpp"
#include "features/cache/cached_run.hpp"
#include "features/cache/conditional_stage.hpp"
#include "features/cache/stored_response_sending.hpp"
#include "http/header_values.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

/// Whether this response would be a page with a nonce if the handler rendered one.
bool may_need_nonce(const Exchange& exchange) {
  return !exchange.env.pages.empty() && needs_nonce(exchange);
}

/// Runs the handler. Returns the placeholder for the nonces of the page that it has rendered; empty
/// if there is none.
std::string run_with_placeholder(Exchange& exchange, const NextStages& next) {
  if (!may_need_nonce(exchange)) {
    next(exchange);
    return {};
  }
  const std::string placeholder = make_nonce();
  PageNonce& nonce = exchange.slots.set(PageNonce{placeholder});
  try {
    next(exchange);
  } catch (...) {
    nonce.value.clear();
    throw;
  }
  nonce.value.clear();
  return exchange.outgoing.is_page ? placeholder : std::string();
}

void replace_placeholder(Exchange& exchange, std::string_view placeholder) {
  if (placeholder.empty()) return;
  std::string& body = exchange.outgoing.body;
  body = with_nonce(exchange, std::move(body), placeholder);
}

bool is_read(std::string_view method) { return method == "GET" || method == "HEAD"; }

/// What middlewares and hooks have set before the handler runs that becomes a part of its response:
/// the status and the media type, unless the handler sets its own.
std::string preset_of(const OutgoingResponse& outgoing) {
  std::string preset;
  if (outgoing.status != 200) preset.append("status ").append(std::to_string(outgoing.status));
  if (const auto type = outgoing.field("content-type")) preset.append("type ").append(*type);
  if (!preset.empty()) preset += '\n';
  return preset;
}

/// What a request asks for, besides the route and the host.
struct Variant {
  std::string partition = {};
  Dependencies declared = {};  ///< what `key` and `partition_key` read
  /// What `condition` reads. It does not tell apart what the key contains.
  const Dependencies& of_condition;
  bool is_authorized = false;
  std::string preset = {};  ///< see `preset_of`
};

/// Lets the handler see what `plain` has instead of what the client has sent.
class PlainInputScope {
 public:
  PlainInputScope(Exchange& exchange, PlainInput* plain) : exchange_(exchange) {
    exchange_.plain = plain;
  }
  ~PlainInputScope() { exchange_.plain = nullptr; }
  PlainInputScope(const PlainInputScope&) = delete;
  PlainInputScope& operator=(const PlainInputScope&) = delete;

 private:
  Exchange& exchange_;
};

class CacheStage : public Stage {
 public:
  CacheStage(StoredResponses& cache, const Route& route, const RouteCacheOptions& options,
             milliseconds ttl)
      : options_(options),
        route_(cache, route, "entry",
               {.ttl = ttl, .stale_for = options.stale_while_revalidate.value_or(Milliseconds(0))},
               strings(options.tags)),
        base_method_(route.method == "HEAD" ? "GET" : route.method),
        is_read_(is_read(route.method)),
        caches_method_(caches_method(options, route.method)),
        caches_head_(caches_method(options, "HEAD")),
        needs_certificate_(route.options.auth.enabled() &&
                           route.options.auth.requirement().client_certificate),
        has_own_key_(!std::holds_alternative<std::monostate>(options.key.get())),
        credential_fields_(*route.credential_fields) {
    for (const Text& name : options.headers) {
      headers_.push_back(base::lower_case(name.str()));
      add_name(vary_, name.str());
    }
    vary_with_language_ = vary_;
    add_name(vary_with_language_, "Accept-Language");
    if (options.query.names()) query_ = strings(*options.query.names());
    is_guarded_ = route.options.auth.enabled() || has_header("cookie") ||
                  has_header("authorization") || requires_input_of_client(route);
  }

  void run(Exchange& exchange, const NextStages& next) const override {
    const bool is_cached = exchange.head.method == "HEAD" ? caches_head_ : caches_method_;
    if (!is_cached || !exchange.can_read_raw_body()) {
      leave_early_wait(exchange);
      return next(exchange);
    }
    exchange.outgoing.freshness.may_be_shared = options_.allow_shared_caches;
    Dependencies of_condition;
    if (!is_wanted(exchange, of_condition)) {
      Variant variant{.of_condition = of_condition};
      variant.is_authorized = is_authorized(exchange);
      exchange.outgoing.vary = vary_of(false, variant);
      exchange.outgoing.freshness.is_private = is_private(variant);
      return run_unstored(exchange, next);
    }
    while (!try_run(exchange, next, of_condition)) {
    }
  }

 private:
  using Next = CachedRun::Next;

  bool has_header(std::string_view name) const {
    return std::find(headers_.begin(), headers_.end(), name) != headers_.end();
  }

  /// Whether a request without some header field, which the key does not have, or without some
  /// cookie is rejected.
  bool requires_input_of_client(const Route& route) const {
    const auto is_required = [](const schema::Field& field) {
      return field.node.required && !field.node.default_value;
    };
    const InputSchema* const headers = route.input(Location::header);
    const InputSchema* const cookies = route.input(Location::cookie);
    return (cookies != nullptr && std::ranges::any_of(cookies->fields(), is_required)) ||
           (headers != nullptr && std::ranges::any_of(headers->fields(), [&](const auto& field) {
              return is_required(field) && !has_header(base::lower_case(field.name));
            }));
  }

  static std::vector<std::string> strings(const TextList& list) {
    std::vector<std::string> all;
    for (const Text& each : list) all.push_back(each.str());
    return all;
  }

  bool is_wanted(Exchange& exchange, Dependencies& observed) const {
    if (!options_.condition) return true;
    const ObservationScope scope(exchange, &observed);
    return options_.condition(exchange.request);
  }

  /// Returns false if the key was not the right one.
  bool try_run(Exchange& exchange, const NextStages& next, const Dependencies& of_condition) const {
    Variant variant{.of_condition = of_condition, .preset = preset_of(exchange.outgoing)};
    StoredKey key = route_.begin_key(exchange);
    const bool has_key = complete_key(exchange, key, variant);
    exchange.outgoing.vary = vary_of(key.has_language(), variant);
    exchange.outgoing.freshness.is_private = is_private(variant);
    const bool is_stranger =
        variant.is_authorized && variant.partition.empty() && !options_.allow_authorization_cache;
    if (!has_key || is_stranger) {
      run_unstored(exchange, next);
      return true;
    }
    CachedRun run(route_, key);
    const auto now = route_.cache.now();
    const auto& found = run.look_up(exchange, now);
    if (found && !found->is_stale(now)) {
      send(exchange, run, *found, now);
      return true;
    }
    if (!options_.allow_cookie_cache && exchange.header("cookie")) {
      run_unstored(exchange, next);
      return true;
    }
    // The response to a HEAD may violate the declared schema, so it is not shared.
    const Next action = exchange.head.method == "HEAD" ? Next::run : run.join(exchange);
    if (action == Next::again) return false;
    if (action == Next::send) {
      send(exchange, run, *run.response(), route_.cache.now());
    } else {
      run_handler(exchange, next, run, variant);
    }
    return true;
  }

  bool is_authorized(Exchange& exchange) const {
    return needs_certificate_ || exchange.has_identity() || exchange.header("authorization");
  }

  /// Returns false if the request is not cached.
  bool complete_key(Exchange& exchange, StoredKey& key, Variant& variant) const {
    variant.is_authorized = is_authorized(exchange);
    if (has_own_key_) {
      const std::string own = own_key(exchange, variant);
      if (own.empty()) return false;
      key.append_size(own);
      key.begin_base({});
      key.append(own);
    } else {
      key.begin_base(base_method_);
      append_target(key, exchange);
    }
    key.end_base();
    key.append('\n');
    if (options_.partition_key) {
      const ObservationScope scope(exchange, &variant.declared);
      variant.partition = options_.partition_key(exchange.request);
    }
    key.append(may_need_nonce(exchange) ? '+' : '-');
    key.append(variant.preset);
    for (const std::string& name : headers_) {
      // Distinguishes absent fields from empty ones. Values contain no line breaks.
      const auto value = exchange.header(name);
      key.append(value ? '=' : '-');
      key.append(value.value_or(std::string_view()));
      key.append('\n');
    }
    if (!has_own_key_ && exchange.head.has_body) {
      // The same bytes mean something else in another media type.
      key.append("body ");
      key.append(exchange.header("content-type").value_or(std::string_view()));
      key.append("\n");
      key.append(exchange.header("content-encoding").value_or(std::string_view()));
      key.append("\n");
      const crypto::Digest digest = crypto::sha256(exchange.raw_body());
      key.append(base::encode_base64url(digest));
      key.append('\n');
    }
    if (!variant.partition.empty()) {
      key.append_size(variant.partition);
      key.append(variant.partition);
    }
    return true;
  }

  std::string own_key(Exchange& exchange, Variant& variant) const {
    const auto& key = options_.key.get();
    if (const auto* fixed = std::get_if<Text>(&key)) return fixed->str();
    const ObservationScope scope(exchange, &variant.declared);
    return std::get<CacheKey::Function>(key)(exchange.request);
  }

  /// Appends the path, and the query or its declared parameters.
  void append_target(StoredKey& key, Exchange& exchange) const {
    key.append_path(without_last_slashes(exchange.path), exchange.route->path);
    const std::string_view query = exchange.query();
    if (query.empty()) return;
    if (query_) return key.append(declared_query(query, *query_));
    key.append('?');
    key.append(query);
  }

  bool is_private(const Variant& variant) const {
    if (options_.allow_shared_caches) return false;
    const auto declared = variant.declared.all();
    return is_guarded_ || variant.is_authorized || !variant.partition.empty() ||
           std::ranges::any_of(declared, &Dependency::is_private);
  }

  /// Adds a name to a list of names, unless it has it.
  static void add_name(std::string& names, std::string_view name) {
    bool is_new = true;
    base::for_each_token(names, ',', [&](std::string_view each) {
      is_new = is_new && !base::equal_ignoring_case(base::trim_ows(each), name);
    });
    if (is_new) names.append(names.empty() ? "" : ", ").append(name);
  }

  /// The names of the header fields that the key contains, and of those with the credentials of
  /// clients, for Vary: caches of clients need them, too. Null if there are none.
  const std::string* vary_of(bool has_language, const Variant& variant) const {
    const std::string& fixed = has_language ? vary_with_language_ : vary_;
    const auto declared = variant.declared.all();
    const auto of_condition = variant.of_condition.all();
    if (declared.empty() && of_condition.empty() && credential_fields_.empty()) {
      return fixed.empty() ? nullptr : &fixed;
    }
    thread_local std::string names;
    names = fixed;
    credential_fields_.for_each([](std::string_view name) { add_name(names, name); });
    add_names(names, declared);
    add_names(names, of_condition);
    if (names.empty()) return nullptr;
    // The functions of the options may choose the names by what clients send.
    static const std::string everything = "*";
    const std::string* const kept = varies_.keep(names);
    return kept != nullptr ? kept : &everything;
  }

  /// Adds the header fields that these parts of a request come from.
  static void add_names(std::string& names, std::span<const Dependency> dependencies) {
    for (const auto& [part, name] : dependencies) {
      switch (part) {
        case RequestPart::header:
          if (name != "host") add_name(names, name);
          break;
        case RequestPart::cookie:
        case RequestPart::cookies:
        case RequestPart::session:
          add_name(names, "Cookie");
          break;
        case RequestPart::identity:
          base::for_each_token(kFieldsOfIdentity, ',', [&](std::string_view field) {
            add_name(names, base::trim_ows(field));
          });
          break;
        case RequestPart::headers:
          add_name(names, "*");
          break;
        case RequestPart::language:
          add_name(names, "Accept-Language");
          break;
        default:
          break;
      }
    }
  }

  static void run_unstored(Exchange& exchange, const NextStages& next) {
    leave_early_wait(exchange);
    next(exchange);
    exchange.outgoing.freshness.forbids_storing = true;
  }

  /// Whether the key contains what the response depends on.
  bool is_covered(const Dependency& dependency, const Variant& variant) const {
    switch (dependency.part) {
      case RequestPart::language:
        return true;
      case RequestPart::header:
        if (dependency.name == "host" || has_header(dependency.name)) return true;
        break;
      case RequestPart::cookie:
      case RequestPart::cookies:
        if (has_header("cookie")) return true;
        break;
      case RequestPart::identity:
        // All other requests of the key are anonymous, too.
        if (!variant.is_authorized && variant.partition.empty() &&
            !options_.allow_authorization_cache) {
          return true;
        }
        break;
      case RequestPart::query:
        if (!has_own_key_ && (!query_ || std::find(query_->begin(), query_->end(),
                                                   dependency.name) != query_->end())) {
          return true;
        }
        break;
      case RequestPart::queries:
        if (!has_own_key_ && !query_) return true;
        break;
      case RequestPart::parameter:
      case RequestPart::path:
      case RequestPart::body:
        if (!has_own_key_) return true;
        break;
      default:
        break;
    }
    return variant.declared.covers(dependency);
  }

  /// What the handler sees of the request; null if that is what the client has sent.
  PlainInput* plain_input(Exchange& exchange) const {
    PlainInput plain = spelled_as_in_key(exchange);
    if (!plain.host && !plain.path && plain.query == nullptr) return nullptr;
    return &exchange.slots.set(std::move(plain));
  }

  PlainInput spelled_as_in_key(Exchange& exchange) const {
    static const std::vector<std::string> none;
    PlainInput plain;
    if (has_own_key_) {
      plain.query = &none;
    } else if (query_) {
      plain.query = &*query_;
    }
    if (!route_.has_plain_host(exchange)) plain.host = CachedRoute::plain_host(exchange);
    if (has_own_key_) return plain;
    std::string path = plain_path(without_last_slashes(exchange.path), exchange.route->path);
    if (path.empty()) path = "/";
    if (path == exchange.path) return plain;
    plain.target = path;
    plain.target->append(exchange.head.target.substr(exchange.path.size()));
    plain.path = std::move(path);
    return plain;
  }

  /// Whether the response may repeat a spelling of the host that has the key of another one: an
  /// upstream has got it.
  bool repeats_spelling(Exchange& exchange, const Dependencies& observed) const {
    return observed.has(RequestPart::header, "host") && !route_.has_plain_host(exchange);
  }

  /// Whether the key contains everything that the response depends on. Reports what it lacks.
  bool covers(Exchange& exchange, const Dependencies& observed, const Variant& variant) const {
    bool is_complete = !repeats_spelling(exchange, observed);
    for (const Dependency& dependency : observed.all()) {
      if (is_covered(dependency, variant)) continue;
      is_complete = false;
      route_.report(exchange, dependency);
    }
    return is_complete;
  }

  void run_handler(Exchange& exchange, const NextStages& next, CachedRun& run,
                   const Variant& variant) const {
    announce_miss(exchange, run.key());
    const bool is_head = exchange.head.method == "HEAD";
    exchange.outgoing.fields.forget_set();
    const http::Fields before = exchange.outgoing.fields;
    Dependencies observed;
    std::string placeholder;
    exchange.outgoing.records_original = true;
    exchange.forget_shown_cancellation();
    PlainInput* const plain = plain_input(exchange);
    try {
      const ObservationScope scope(exchange, &observed);
      const PlainInputScope plain_scope(exchange, plain);
      placeholder = run_with_placeholder(exchange, next);
    } catch (const HttpError& error) {
      if (error.status() < 500) {
        run.decline(exchange);
      } else {
        run.fail(exchange);
      }
      throw;
    } catch (const ValidationError&) {
      run.decline(exchange);
      throw;
    } catch (...) {
      run.fail(exchange);
      throw;
    }
    OutgoingResponse& outgoing = exchange.outgoing;
    if (outgoing.status >= 500 || may_be_cut_short(exchange)) {
      run.fail(exchange);
      return replace_placeholder(exchange, placeholder);
    }
    const bool is_known = add_announced(exchange, before, observed);
    const bool is_complete = covers(exchange, observed, variant) && is_known;
    if (!is_complete) outgoing.freshness.forbids_storing = true;
    const Storability storability = storability_of(exchange);
    if (!is_complete || !storability.is_storable) {
      if (!storability.obstacle.empty()) route_.report(exchange, storability.obstacle);
      run.decline(exchange);
      return replace_placeholder(exchange, placeholder);
    }
    const bool lacks_language = observed.has(RequestPart::language) &&
                                !exchange.env.locales.empty() && !run.key().has_language();
    if (lacks_language) outgoing.vary = vary_of(true, variant);
    const bool lacks_pages = outgoing.is_page && !run.key().has_pages();
    const bool reads_identity = observed.has(RequestPart::identity);
    if (is_head) {
      if (lacks_language) route_.learn_language();
      if (lacks_pages) route_.learn_pages();
      if (reads_identity) outgoing.add_vary(kFieldsOfIdentity);
      replace_placeholder(exchange, placeholder);
      return announce(exchange, CacheOutcome::miss, route_.lives.ttl, {});
    }
    if (!lacks_language && !lacks_pages) {
      return keep(exchange, run, before, placeholder, reads_identity);
    }
    Variant again{.of_condition = variant.of_condition, .preset = variant.preset};
    StoredKey key = route_.begin_key(exchange, lacks_language, lacks_pages);
    complete_key(exchange, key, again);
    run.restart(key);
    keep(exchange, run, before, placeholder, reads_identity);
  }

  /// Stores the response of the handler, and sends it.
  void keep(Exchange& exchange, CachedRun& run, const http::Fields& before,
            const std::string& placeholder, bool reads_identity) const {
    OutgoingResponse& outgoing = exchange.outgoing;
    // The tag is computed once for all requests that get this response, unless hooks change the
    // response to each of them.
    const bool is_final = !(outgoing.original && outgoing.original->data) && placeholder.empty();
    if (is_final) add_entity_tag(exchange);
    StoredResponse response = taken_response(exchange, before);
    if (reads_identity) {
      // A cache of the client would otherwise send what is for anonymous clients after a sign-in.
      http::add_vary(response.fields, kFieldsOfIdentity);
      outgoing.add_vary(kFieldsOfIdentity);
    }
    response.expires = route_.cache.now() + route_.lives.ttl;
    response.stale_for = route_.lives.stale_for;
    response.nonce = placeholder;
    protect_nonce(exchange, response);
    replace_placeholder(exchange, placeholder);
    if (is_final) compress_first(exchange, response);
    announce(exchange, CacheOutcome::miss, route_.lives.ttl, {});
    if (run.store(exchange, std::move(response)) && exchange.env.hooks.any<hooks::CacheWrite>()) {
      const std::string base = run.key().base();
      hooks::CacheWrite event{exchange.request, base, route_.lives.ttl};
      exchange.env.hooks.emit(event, exchange.env.logger);
    }
  }

  void send(Exchange& exchange, CachedRun& run, const StoredResponse& response,
            system_clock::time_point now) const {
    route_.cache.count_hit();
    if (exchange.env.hooks.any<hooks::CacheHit>()) {
      const std::string base = run.key().base();
      hooks::CacheHit event{exchange.request, base};
      exchange.env.hooks.emit(event, exchange.env.logger);
    }
    OutgoingResponse& outgoing = exchange.outgoing;
    if (outgoing.is_set())
      return outgoing.set_stored(response.status);  // by a middleware: a warning
    const auto outcome = response.is_stale(now) ? CacheOutcome::stale : CacheOutcome::hit;
    announce(exchange, outcome, response.expires - now, route_.age_of(response, now));
    protect_nonce(exchange, response);
    if (is_read_ && is_known(exchange, response)) {
      send_not_modified(exchange, response);
    } else {
      send_stored(exchange, run, response);
    }
  }

  /// A nonce that others know, or that is used again, protects nothing.
  static void protect_nonce(Exchange& exchange, const StoredResponse& response) {
    if (response.nonce.empty()) return;
    exchange.outgoing.freshness.is_private = true;
    exchange.outgoing.freshness.must_revalidate = true;
  }

  void announce_miss(Exchange& exchange, const StoredKey& key) const {
    route_.cache.count_miss();
    if (exchange.env.hooks.any<hooks::CacheMiss>()) {
      const std::string base = key.base();
      hooks::CacheMiss event{exchange.request, base};
      exchange.env.hooks.emit(event, exchange.env.logger);
    }
  }

  /// Sets the fields for clients and proxies, unless the handler has set Cache-Control.
  void announce(Exchange& exchange, CacheOutcome outcome, system_clock::duration left,
                system_clock::duration age) const {
    Freshness& freshness = exchange.outgoing.freshness;
    freshness.outcome = outcome;
    freshness.age = max_age_of(age);
    if (options_.cache_control) freshness.max_age = max_age_of(left);
  }

  const RouteCacheOptions& options_;
  mutable CachedRoute route_;         ///< thread-safe
  const std::string base_method_;     ///< in keys: HEAD uses the entries of GET
  const bool is_read_;                ///< whether the method of the route is GET or HEAD
  bool is_guarded_;                   ///< whether not all clients get responses, or the same ones
  const bool caches_method_;          ///< whether that method is cached
  const bool caches_head_;            ///< whether HEAD is, which a route for GET receives, too
  const bool needs_certificate_;      ///< whether its clients are known by their certificates
  const bool has_own_key_;            ///< whether the options have a key
  std::vector<std::string> headers_;  ///< lower case
  std::optional<std::vector<std::string>> query_;
  base::StringPool& credential_fields_;  ///< of the route
  std::string vary_;                     ///< the names in `headers`
  std::string vary_with_language_;
  mutable base::StringPool varies_;  ///< other lists of names; thread-safe
};

/// Records what the middlewares of a cached route, or of a page for everyone, read. They run for
/// each request, but shared caches would send a public response without them, or with the header
/// fields that they have set for another request.
class MiddlewareReads : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    const EachTimeScope scope(exchange);
    next(exchange);
  }
};

}  // namespace

Stages middleware_reads_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  const RouteOptions& options = context.route->options;
  const bool has_middlewares = !context.global_middlewares.empty() || !options.middlewares.empty();
  const bool is_cached = options.cache.options() && context.env.config.cache.enabled;
  const bool is_rendered = !options.frontend.mode.empty();
  if (!has_middlewares || (!is_cached && !is_rendered)) return {};
  return one_stage<MiddlewareReads>();
}

Stages cache_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  const Route& route = *context.route;
  const auto& options = route.options.cache.options();
  if (!options || !context.env.config.cache.enabled) return {};
  const milliseconds ttl = cache_ttl(route, context.env.config.cache);
  if (ttl.count() < 0) return {};
  if (ttl.count() == 0) {
    context.env.logger.warn(source_of(route) + ": " + name_of(route) +
                            " declares a cache without a 'ttl', and 'cache.defaultTtl' is not "
                            "configured, so nothing is cached");
    return {};
  }
  return one_stage<CacheStage>(context.responses, route, *options, ttl);
}

}  // namespace fw::detail
