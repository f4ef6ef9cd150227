// `cache` of a route: responses that are sent again without running the handler (docs/cache.md).
#include <fairway/errors.hpp>
#include <fairway/hooks.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "chain/early_hooks.hpp"
#include "chain/features.hpp"
#include "chain/freshness.hpp"
#include "chain/rendered_page.hpp"
#include "exchange/cancellation.hpp"
#include "features/cache/cache_policy.hpp"
#include "features/cache/cached_route.hpp"
#include "features/cache/cached_run.hpp"
#include "features/cache/early_waiter.hpp"
#include "features/cache/preconditions.hpp"
#include "features/cache/request_variants.hpp"
#include "features/cache/stored_response_sending.hpp"
#include "http/header_values.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

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

class CacheStage : public Stage {
 public:
  CacheStage(StoredResponses& cache, const Route& route, const RouteCacheOptions& options,
             milliseconds ttl)
      : options_(options),
        route_(cache, route, "entry",
               {.ttl = ttl, .stale_for = options.stale_while_revalidate.value_or(Milliseconds(0))},
               strings_of(options.tags)),
        variants_(route, options),
        is_read_(is_read(route.method)),
        caches_method_(caches_method(options, route.method)),
        caches_head_(caches_method(options, "HEAD")) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    const bool is_cached = exchange.head.method == "HEAD" ? caches_head_ : caches_method_;
    if (!is_cached || !exchange.can_read_raw_body()) {
      leave_early_wait(exchange);
      return next(exchange);
    }
    exchange.outgoing.freshness.may_be_shared = options_.allow_shared_caches;
    Dependencies of_condition;
    if (!is_wanted(exchange, of_condition)) {
      RequestVariant variant{.of_condition = of_condition};
      variant.is_authorized = variants_.is_authorized(exchange);
      exchange.outgoing.vary = variants_.vary_of(false, variant);
      exchange.outgoing.freshness.is_private = variants_.is_private(variant);
      return run_unstored(exchange, next);
    }
    while (!try_run(exchange, next, of_condition)) {
    }
  }

 private:
  using Next = CachedRun::Next;

  bool is_wanted(Exchange& exchange, Dependencies& observed) const {
    if (!options_.condition) return true;
    const ObservationScope scope(exchange, &observed);
    return options_.condition(exchange.request);
  }

  /// Returns false if the key was not the right one.
  bool try_run(Exchange& exchange, const NextStages& next, const Dependencies& of_condition) const {
    RequestVariant variant{.of_condition = of_condition, .preset = preset_of(exchange.outgoing)};
    StoredKey key = route_.begin_key(exchange);
    const bool has_key = variants_.complete_key(exchange, key, variant);
    exchange.outgoing.vary = variants_.vary_of(key.has_language(), variant);
    exchange.outgoing.freshness.is_private = variants_.is_private(variant);
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

  static void run_unstored(Exchange& exchange, const NextStages& next) {
    leave_early_wait(exchange);
    next(exchange);
    exchange.outgoing.freshness.forbids_storing = true;
  }

  /// Whether the response may repeat a spelling of the host that has the key of another one: an
  /// upstream has got it.
  bool repeats_spelling(Exchange& exchange, const Dependencies& observed) const {
    return observed.has(RequestPart::header, "host") && !route_.has_plain_host(exchange);
  }

  /// Whether the key contains everything that the response depends on. Reports what it lacks.
  bool covers(Exchange& exchange, const Dependencies& observed,
              const RequestVariant& variant) const {
    bool is_complete = exchange.reads.is_complete() && !repeats_spelling(exchange, observed);
    for (const Dependency& dependency : observed.all()) {
      if (variants_.is_covered(dependency, variant)) continue;
      is_complete = false;
      route_.report(exchange, dependency);
    }
    return is_complete;
  }

  void run_handler(Exchange& exchange, const NextStages& next, CachedRun& run,
                   const RequestVariant& variant) const {
    announce_miss(exchange, run.key());
    const bool is_head = exchange.head.method == "HEAD";
    exchange.outgoing.fields.forget_set();
    const http::Fields before = exchange.outgoing.fields;
    Dependencies observed;
    std::string placeholder;
    exchange.outgoing.records_original = true;
    exchange.forget_shown_cancellation();
    PlainInput* const plain = variants_.plain_input(exchange);
    try {
      const ObservationScope scope(exchange, &observed);
      const PlainInputScope plain_scope(exchange, plain);
      placeholder = run_with_placeholder(exchange, next);
    } catch (const RequestCancelled&) {
      throw;  // the handler has not begun, so the next waiting request runs it
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
      if (!storability.reason.empty()) route_.report(exchange, storability.reason);
      run.decline(exchange);
      return replace_placeholder(exchange, placeholder);
    }
    const bool lacks_language = observed.has(RequestPart::language) &&
                                !exchange.env.locales.empty() && !run.key().has_language();
    if (lacks_language) outgoing.vary = variants_.vary_of(true, variant);
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
    RequestVariant again{.of_condition = variant.of_condition, .preset = variant.preset};
    StoredKey key = route_.begin_key(exchange, lacks_language, lacks_pages);
    variants_.complete_key(exchange, key, again);
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
      emit_in_time(exchange, event);
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
      emit_in_time(exchange, event);
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
  mutable CachedRoute route_;  ///< thread-safe
  const RequestVariants variants_;
  const bool is_read_;        ///< whether the method of the route is GET or HEAD
  const bool caches_method_;  ///< whether that method is cached
  const bool caches_head_;    ///< whether HEAD is, which a route for GET receives, too
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

}  // namespace

const CachedRoutes kCachedRoutes = {
    .middleware_reads_stage = middleware_reads_stage,
    .cache_stage = cache_stage,
    .create_early_waiter =
        [](const Environment& env, const Route& route, const StoredResponses& responses) {
          return EarlyWaiter::create(env, route, responses.runs());
        },
};

}  // namespace fw::detail
