// Pages that are rendered for everyone and renewed at an interval: `mode` "revalidate" of
// `frontend` (docs/pages.md).
#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "chain/features.hpp"
#include "chain/freshness.hpp"
#include "chain/rendered_page.hpp"
#include "chain/stages.hpp"
#include "errors/exception_info.hpp"
#include "exchange/cancellation.hpp"
#include "exchange/task.hpp"
#include "features/cache/cached_route.hpp"
#include "features/cache/cached_run.hpp"
#include "features/cache/stored_response_sending.hpp"
#include "features/pages/background_pool.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;

/// In the key of a page, if the page depends on it.
const std::string kLanguage = "Accept-Language";

/// Has no client: nothing is read or sent.
class DetachedTransaction : public http::Transaction {
 public:
  /// `waiting` is of the request that waits for the page; null if none does.
  DetachedTransaction(http::RequestHead head, std::shared_ptr<const http::Transaction> waiting)
      : head_(std::move(head)), waiting_(std::move(waiting)) {}

  const http::RequestHead& head() const override { return head_; }
  http::BodyStatus read_body(std::uint64_t, std::string& body) override {
    body.clear();
    return http::BodyStatus::complete;
  }
  http::BodyPart read_body_part(std::uint64_t, std::span<char>,
                                std::chrono::steady_clock::time_point) override {
    return {};
  }
  bool respond(const http::ResponseHead&, std::string_view) override { return false; }
  bool respond_stream(const http::ResponseHead&, std::optional<std::uint64_t>, http::BodyProducer,
                      http::StreamEnd) override {
    return false;
  }
  /// At the deadline of the route, nobody waits any more.
  bool has_response() const override { return waiting_ && waiting_->has_response(); }
  void on_disconnect(http::DisconnectCallback) override {}

 private:
  http::RequestHead head_;
  const std::shared_ptr<const http::Transaction> waiting_;
};

/// A request of the application itself, to render a page that is for nobody in particular: it has
/// the host, the path, the language and the declared parameters of the query of `original`, and
/// nothing else. Host and path are spelled as in the key, because the page may contain them. Its
/// response stays in `outgoing`.
std::shared_ptr<Exchange> detached_exchange(Exchange& original, const std::string& query,
                                            std::shared_ptr<const http::Transaction> waiting) {
  std::string target = plain_path(without_last_slashes(original.path), original.route->path);
  if (target.empty()) target = "/";
  http::RequestHead head{.method = "GET",
                         .target = target + query,
                         .fields = {},
                         .remote_address = {},
                         .is_secure = original.head.is_secure,
                         .client_certificate = {},
                         .has_body = false,
                         .content_length = std::nullopt};
  if (original.head.fields.find("host")) {
    head.fields.add("host", CachedRoute::plain_host(original));
  }
  auto exchange = std::make_shared<Exchange>(
      original.env, std::make_shared<DetachedTransaction>(std::move(head), std::move(waiting)));
  exchange->route = original.route;
  exchange->params = original.params;
  // The client may choose its id.
  if (original.env.config.request_id.enabled) base::write_uuid(exchange->context.request_id);
  exchange->slots.set(PageNonce{make_nonce()});
  exchange->set_language(original.language());
  exchange->set_protocol(original);
  return exchange;
}

/// The query parameters that a page may depend on.
std::vector<std::string> query_names(const Route& route) {
  std::vector<std::string> names;
  if (const InputSchema* const query = route.input(Location::query)) {
    for (const schema::Field& field : query->fields()) names.push_back(field.name);
  }
  return names;
}

std::optional<milliseconds> time_limit_of(const Route& route) {
  const auto& limit = route.time_limit();
  if (!limit) return std::nullopt;
  return std::min<milliseconds>(milliseconds(limit->count()), std::chrono::hours(24 * 365));
}

/// The last rendering is sent, and renewed after an interval, once for all requests and without one
/// of them waiting for it.
class RevalidatedPageStage : public Stage {
 public:
  RevalidatedPageStage(const StageContext& context, Stages rendering, milliseconds interval)
      : background_(context.background),
        rendering_(std::move(rendering)),
        query_(query_names(*context.route)),
        time_limit_(time_limit_of(*context.route)),
        route_(context.responses, *context.route, "page",
               {.ttl = interval, .stale_for = stale_for(interval)}) {
    route_.learn_pages();
  }

  void run(Exchange& exchange, const NextStages& next) const override {
    if (exchange.head.method != "GET" && exchange.head.method != "HEAD") return next(exchange);
    while (!try_run(exchange)) {
    }
  }

 private:
  using Next = CachedRun::Next;

  /// A run of the handler for everyone. Owns the key of the run, which may outlive the request.
  struct Rendering {
    Rendering(CachedRoute& route, const StoredKey& page_key) : key(page_key), run(route, key) {}

    StoredKey key;
    std::optional<StoredKey> key_with_language;
    CachedRun run;
    std::shared_ptr<Exchange> exchange;
  };

  /// How long an old page is sent while it cannot be renewed.
  static milliseconds stale_for(milliseconds interval) {
    return std::clamp<milliseconds>(10 * interval, std::chrono::hours(1), std::chrono::hours(24));
  }

  StoredKey make_key(Exchange& exchange, const std::string& query,
                     bool has_language = false) const {
    StoredKey key = route_.begin_key(exchange, has_language);
    key.begin_base("GET");
    key.append_path(without_last_slashes(exchange.path), exchange.route->path);
    key.append(query);
    key.end_base();
    return key;
  }

  /// Returns false if the key was not the right one.
  bool try_run(Exchange& exchange) const {
    const std::string query = declared_query(exchange.query(), query_);
    const auto rendering = std::make_shared<Rendering>(route_, make_key(exchange, query));
    if (rendering->key.has_language()) exchange.outgoing.vary = &kLanguage;
    CachedRun& run = rendering->run;
    const auto now = route_.cache.now();
    const auto& page = run.look_up(exchange, now);
    if (page && !page->is_stale(now)) {
      send(exchange, *page, CacheOutcome::hit);
      return true;
    }
    const bool is_stale = page != nullptr;
    if (is_stale) background_.want(lane_, rendering->key.full());
    switch (run.join(exchange)) {
      case Next::again:
        return false;
      case Next::send: {
        const bool is_old = run.response()->is_stale(route_.cache.now());
        send(exchange, *run.response(), is_old ? CacheOutcome::stale : CacheOutcome::hit);
        return true;
      }
      case Next::run:
        break;
    }
    rendering->exchange =
        detached_exchange(exchange, query, is_stale ? nullptr : exchange.transaction);
    if (is_stale) {
      const auto old = page;
      background_.post(lane_, rendering->key.full(),
                       [this, rendering](const auto& running) { renew(*rendering, running); });
      send(exchange, *old, CacheOutcome::stale);
      return true;
    }
    if (const auto response = render_now(*rendering)) {
      send(exchange, *response, CacheOutcome::miss);
    } else {
      pass_on(*rendering->exchange, exchange);
    }
    if (rendering->key_with_language) exchange.outgoing.vary = &kLanguage;
    return true;
  }

  /// For a request that waits.
  std::shared_ptr<const StoredResponse> render_now(Rendering& rendering) const {
    // The client of the trace waits; the response does not depend on it.
    rendering.exchange->context.span = KeptPosition(current_span());
    const CurrentContextScope scope = enter_context(*rendering.exchange);
    return render(rendering, time_limit_);
  }

  /// Runs the handler for nobody in particular, also if a request waits for it. Returns and stores
  /// the response if it is a page for everyone. Throws what the handler throws.
  std::shared_ptr<const StoredResponse> render(Rendering& rendering,
                                               std::optional<milliseconds> limit) const {
    Exchange& exchange = *rendering.exchange;
    // Hooks run again for each request that gets the page.
    exchange.outgoing.records_original = true;
    Dependencies observed;
    run_handler(exchange, observed, rendering.run, limit);
    const OutgoingResponse& outgoing = exchange.outgoing;
    if (outgoing.status >= 500 || may_be_cut_short(exchange)) {
      rendering.run.fail(exchange);
      return nullptr;
    }
    // "no-cache" and "private" concern caches of clients: the handler has seen nobody.
    const bool is_page = outgoing.kind == OutgoingResponse::Kind::body && outgoing.status == 200 &&
                         !outgoing.field("set-cookie") && !outgoing.has_csrf_token &&
                         !has_no_store(outgoing.fields_without_hooks());
    if (!is_page || !is_for_everyone(exchange)) {
      rendering.run.decline(exchange);
      return nullptr;
    }
    StoredResponse page{.expires = route_.cache.now() + route_.lives.ttl,
                        .stale_for = route_.lives.stale_for};
    set_body(page, outgoing);
    page.nonce = page_nonce(exchange);
    page.replacements = outgoing.fields_without_hooks();
    if (observed.has(RequestPart::language) && !exchange.env.locales.empty() &&
        !rendering.run.key().has_language()) {
      const std::size_t mark = exchange.head.target.find('?');
      rendering.key_with_language.emplace(make_key(
          exchange, mark == std::string::npos ? std::string() : exchange.head.target.substr(mark),
          true));
      rendering.run.restart(*rendering.key_with_language);
    }
    const auto shared = std::make_shared<const StoredResponse>(page);
    rendering.run.store(exchange, std::move(page));
    return shared;
  }

  static void require_whole(const Exchange& exchange) {
    const OutgoingResponse::Kind kind = exchange.outgoing.kind;
    if (kind == OutgoingResponse::Kind::none || kind == OutgoingResponse::Kind::body) return;
    throw std::logic_error(fmt::format(
        "{}: {}: the response is a stream, but with the mode 'revalidate' of 'frontend' "
        "it must be whole, because it is sent to everyone; send the stream in another "
        "route, or without a mode",
        source_of(*exchange.route), name_of(*exchange.route)));
  }

  /// Requests a stop when the time is over, and when the application stops.
  void run_handler(Exchange& exchange, Dependencies& observed, CachedRun& run,
                   std::optional<milliseconds> limit) const {
    base::DeadlineTimer& timer = *exchange.env.deadlines;
    const auto stop = [cancellation = exchange.cancellation()] { cancellation->request_stop(); };
    const std::stop_callback on_stop(background_.cancellation(), stop);
    std::optional<base::DeadlineTimer::Ticket> ticket;
    if (limit) ticket = timer.set(base::DeadlineTimer::Clock::now() + *limit, stop);
    try {
      const ObservationScope scope(exchange, &observed);
      NextStages{rendering_}(exchange);
      require_whole(exchange);
    } catch (const RequestCancelled&) {
      if (ticket) timer.cancel(*ticket);
      throw;  // the handler has not begun, so the next waiting request runs it
    } catch (const HttpError& error) {
      if (ticket) timer.cancel(*ticket);
      if (error.status() < 500) {
        run.decline(exchange);
      } else {
        run.fail(exchange);
      }
      throw;
    } catch (...) {
      if (ticket) timer.cancel(*ticket);
      run.fail(exchange);
      throw;
    }
    if (ticket) timer.cancel(*ticket);
    // Without the response to a call that was aborted, the page may be incomplete.
    const Task* const task = current_task();
    if (task != nullptr && task->has_aborted_call && *task->has_aborted_call) {
      exchange.shown_cancellation();
    }
  }

  /// Whether the page is the same for all requests of its key. The handler reads the input of a
  /// request of nobody; only its Vary can tell of other dependencies.
  bool is_for_everyone(Exchange& exchange) const {
    Dependencies announced;
    bool is_for_everyone = add_announced(exchange, {}, announced) && exchange.reads.is_complete();
    for (const Dependency& dependency : announced.all()) {
      if (dependency.name == "host") continue;
      is_for_everyone = false;
      route_.report(exchange, dependency);
    }
    return is_for_everyone;
  }

  /// Lets another renewal run instead of one that has not ended long after its time is over.
  base::DeadlineTimer::Ticket abandon_later(
      const Exchange& exchange, milliseconds limit,
      const std::shared_ptr<BackgroundPool::Running>& running) const {
    const auto abandon = [running, limit, logger = exchange.env.logger,
                          route = source_of(*exchange.route) + ": " + name_of(*exchange.route)] {
      if (!running->abandon()) return;
      logger.warn(
          fmt::format("{}: a page is still being renewed {} ms after its time was over, "
                      "because the handler ignores 'req.signal()'; until it returns, it "
                      "occupies a thread",
                      route, limit.count()));
    };
    return exchange.env.deadlines->set(base::DeadlineTimer::Clock::now() + 2 * limit, abandon);
  }

  void renew(Rendering& rendering, const std::shared_ptr<BackgroundPool::Running>& running) const {
    Exchange& exchange = *rendering.exchange;
    // The log has the id of the renewal.
    const CurrentContextScope scope = enter_context(exchange);
    // No client waits for the outbound calls of the handler, so they end with its time.
    const Task task{.signal = exchange.cancellation()->token(),
                    .reason = "the time for renewing the page is over",
                    .has_aborted_call = std::make_shared<std::atomic<bool>>(false)};
    const TaskScope task_scope(&task);
    const milliseconds limit =
        time_limit_.value_or(milliseconds(exchange.env.config.cache.wait_timeout));
    std::optional<base::DeadlineTimer::Ticket> ticket;
    try {
      // Another renewal of the page may have ended while this one waited for a thread.
      if (rendering.run.has_been_stored(exchange)) return;
      ticket = abandon_later(exchange, limit, running);
      render(rendering, limit);
    } catch (...) {
      // The next request after this one tries it again.
      const std::exception_ptr error = std::current_exception();
      if (!log_lack_of_memory(exchange.env.logger, error)) {
        exchange.env.logger.error("the page cannot be renewed: " + name_of(*exchange.route),
                                  log_fields(describe(error)));
      }
    }
    if (ticket) exchange.env.deadlines->cancel(*ticket);
  }

  void send(Exchange& exchange, const StoredResponse& page, CacheOutcome outcome) const {
    OutgoingResponse& response = exchange.outgoing;
    replace_fields(response, page.replacements);
    // Browsers ask every time whether their copy is current.
    response.freshness.must_revalidate = true;
    response.freshness.outcome = outcome;
    // A nonce that others know protects nothing.
    if (!page.nonce.empty() && needs_nonce(exchange)) response.freshness.is_private = true;
    if (page.form == StoredResponse::Form::without_id) {
      response.set_stored(page.status);
      response.complete_envelope(page.body.view());
    } else {
      send_rendered(exchange, page.status, std::string(page.body.view()), page.nonce);
    }
    if (outcome != CacheOutcome::miss) {
      response.freshness.age = max_age_of(route_.age_of(page, route_.cache.now()));
    }
  }

  /// A response that is not stored, such as a redirect.
  static void pass_on(Exchange& from, Exchange& to) {
    const int status =
        from.outgoing.original ? from.outgoing.original->status : from.outgoing.status;
    to.outgoing.fields.add(from.outgoing.fields_without_hooks());
    to.outgoing.status = status;
    to.outgoing.freshness.forbids_storing = true;
    if (from.outgoing.kind == OutgoingResponse::Kind::body) {
      to.outgoing.set_stored(status);
      const std::string_view body = from.outgoing.body_before_request_id();
      if (body.size() != from.outgoing.body.size()) return to.outgoing.complete_envelope(body);
      to.outgoing.body = std::move(from.outgoing.body);
      if (!from.outgoing.is_page) return;
      to.outgoing.body = with_nonce(to, std::move(to.outgoing.body), page_nonce(from));
      to.outgoing.is_page = true;
    }
  }

  /// JSON in the envelope gets the id of each request that it is sent to.
  static void set_body(StoredResponse& page, const OutgoingResponse& outgoing) {
    const std::string_view body = outgoing.body_before_request_id();
    if (body.size() != outgoing.body.size()) page.form = StoredResponse::Form::without_id;
    page.body = std::string(body);
  }

  BackgroundPool& background_;
  const Stages rendering_;
  const std::vector<std::string> query_;
  const std::optional<milliseconds> time_limit_;
  mutable CachedRoute route_;          ///< thread-safe
  mutable BackgroundPool::Lane lane_;  ///< of renewals; guarded by the pool
};

Stages rendered_page_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  const Frontend& options = context.route->options.frontend;
  const auto pages = context.env.pages.current();
  if (!options.page.empty() && !pages->has(options.page.str())) {
    context.error("frontend.page: there is no page '" + options.page.str() + "'" +
                  pages->suggestion(options.page.str()));
    return {};
  }
  if (options.mode.str() == "static") return static_page_stage(context);
  if (options.mode.str() != "revalidate") return {};
  // A page is rendered with an exchange of its own, whose input is not validated yet.
  Stages rendering = validation_stage(context);
  for (const auto make : {time_left_stage, handler_stage}) {
    Stages stages = make(context);
    std::move(stages.begin(), stages.end(), std::back_inserter(rendering));
  }
  return one_stage<RevalidatedPageStage>(context, std::move(rendering),
                                         std::chrono::seconds(options.revalidate.value_or(1)));
}

}  // namespace

const PageRoutes kPageRoutes = {.rendered_page_stage = rendered_page_stage};

}  // namespace fw::detail
