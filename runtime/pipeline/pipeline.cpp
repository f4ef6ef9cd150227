#include "pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/counted.hpp"
#include "base/spare_allocator.hpp"
#include "chain/error_response.hpp"
#include "chain/features.hpp"
#include "chain/freshness.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "exchange/body_turns.hpp"
#include "features/cors/cors_stage.hpp"
#include "features/session/session_prefetch.hpp"
#include "features/sockets/socket_channel.hpp"
#include "pipeline/access_log.hpp"
#include "pipeline/measured_request.hpp"
#include "pipeline/planned_request.hpp"
#include "pipeline/request_tracing.hpp"
#include "pipeline/response_sending.hpp"
#include "pipeline/route_schemas.hpp"

namespace fw::detail {
namespace {

using std::chrono::steady_clock;

/// The final arrival stage: finds the route and runs its chain.
class Dispatch : public Stage {
 public:
  explicit Dispatch(std::function<void(Exchange&)> next) : next_(std::move(next)) {}
  void run(Exchange& exchange, const NextStages&) const override { next_(exchange); }

 private:
  std::function<void(Exchange&)> next_;
};

/// The option of a route that needs a part of the framework which the program does not contain.
/// Empty for all routes of tables that `fairway build` has generated.
std::string_view option_without_feature(const RouteOptions& options, const Features& features) {
  const bool has_pages = !options.frontend.page.empty() || !options.frontend.mode.empty();
  if (options.cache.options() && features.cached_routes == nullptr) return "cache";
  if (has_pages && (features.cached_routes == nullptr || features.page_rendering == nullptr ||
                    features.page_routes == nullptr)) {
    return "frontend";
  }
  if (options.mcp && features.mcp_tools == nullptr) return "mcp";
  return {};
}

}  // namespace

void Pipeline::add(Route route, std::vector<std::string>& errors) {
  const auto report = [&](const std::string& message) {
    errors.push_back(source_of(route) + ": " + name_of(route) + ": " + message);
  };
  auto parsed = schema::parse_route_path(route.path);
  if (const auto* path_error = std::get_if<schema::PathError>(&parsed)) {
    report(path_error->help.empty() ? path_error->message
                                    : path_error->message + "; " + path_error->help);
    return;
  }
  const std::size_t index = mounted_.size();
  if (const auto other =
          matcher_.add(request_method(route), std::get<schema::RoutePath>(parsed), index)) {
    const Route& earlier = mounted_[*other]->route;
    report(
        fmt::format("matches the same requests as {} ({})", name_of(earlier), source_of(earlier)));
    return;
  }
  const RouteOptions& options = route.options;
  if (const auto option = option_without_feature(options, env_.features); !option.empty()) {
    report(fmt::format("the features of the application's table do not include '{}'", option));
  }
  // `body_parser` takes precedence over `override_` if it is declared, even without a size.
  const ByteSize& limit = options.body_parser.declared ? options.body_parser.max_body_size
                                                       : options.override_.max_body_size;
  route.body_limit = limit.is_set() ? limit.bytes() : env_.body_limit;
  std::vector<std::string> schema_errors;
  route.inputs = compile_inputs(route.options.validate, schema_errors);
  route.response_schemas =
      compile_responses(route.options.responses, route.result_stream, route.types, schema_errors);
  if (route.response_schemas.has_stream()) {
    route.stream_policy =
        std::make_shared<const StreamPolicy>(name_of(route), options.events, env_.config.server);
  }
  if (route.method == base::kSocketMethod) {
    route.socket_policy = std::make_shared<const SocketPolicy>(
        name_of(route), options, compile_messages(options, route.types, schema_errors), env_);
  }
  if (const auto& data = route.options.frontend.data.get()) {
    std::vector<std::string> own;
    route.page_data = compile_output(*data, own);
    for (const std::string& error : own) schema_errors.push_back("frontend.data: " + error);
  }
  for (const std::string& schema_error : schema_errors) report(schema_error);
  route.number = index;
  auto mounted = std::make_unique<MountedRoute>();
  mounted->route = std::move(route);
  mounted_.push_back(std::move(mounted));
}

std::vector<const Route*> Pipeline::routes() const {
  std::vector<const Route*> routes;
  for (const auto& mounted : mounted_) routes.push_back(&mounted->route);
  return routes;
}

void Pipeline::compose(const std::vector<Middleware>& global_middlewares,
                       const ResolveMiddleware& resolve_middleware,
                       std::vector<std::string>& errors) {
  responses_.open(env_.stores.of("cache"), static_cast<std::size_t>(env_.config.cache.max_entries),
                  env_.stores.clock());
  SettingErrors setting_errors;
  const auto composition_of = [&](const Route* route) {
    return StageContext{env_,          route,  global_middlewares, responses_,
                        background_,   files_, resolve_middleware, errors,
                        setting_errors};
  };
  // The other threads are left to requests that wait for no client.
  const auto body_turns = std::make_shared<BodyTurns>(
      std::max<std::size_t>(static_cast<std::size_t>(env_.config.server.max_workers) / 2, 1),
      std::chrono::milliseconds(env_.config.server.queue_timeout), env_.deadlines);
  const StageContext without_route = composition_of(nullptr);
  arrival_ = compose_arrival(without_route);
  arrival_.push_back(
      std::make_unique<Dispatch>([this](Exchange& exchange) { dispatch(exchange); }));
  unmatched_ = compose_route(without_route);
  if (!files_.empty()) file_preflight_ = compose_preflight(without_route);
  for (const auto& mounted : mounted_) {
    auto& prefetcher = mounted->route.session_prefetcher;
    prefetcher = SessionPrefetcher::create(env_, mounted->route);
    if (prefetcher) has_prefetchers_ = true;
    auto& early_waiter = mounted->route.early_waiter;
    if (const CachedRoutes* const cached = env_.features.cached_routes) {
      early_waiter = cached->create_early_waiter(env_, mounted->route, responses_);
    }
    if (early_waiter) has_early_waiters_ = true;
    if (mounted->route.options.body_parser.stream) {
      mounted->route.body_turns = body_turns;
      has_body_turns_ = true;
    }
    const StageContext context = composition_of(&mounted->route);
    mounted->chain = compose_route(context);
    mounted->preflight = compose_preflight(context);
  }
  for (const auto& [message, routes] : setting_errors) {
    errors.push_back(fmt::format("configuration: {}: {}, {}{} ({})", message,
                                 base::counted(routes.size(), "route"),
                                 routes.size() == 1 ? "" : "the first is ",
                                 name_of(*routes.front()), source_of(*routes.front())));
  }
}

void Pipeline::handle(const std::shared_ptr<http::Transaction>& transaction) const {
  const auto exchange =
      std::allocate_shared<Exchange>(base::SpareAllocator<Exchange>(), env_, transaction);
  const bool is_traced = env_.tracer != nullptr;
  const bool logs_all = logs_all_responses(env_.config);
  RequestMetrics* const metrics = env_.metrics.get();
  if (logs_all || metrics != nullptr || is_traced) {
    const auto now = steady_clock::now();
    exchange->began = exchange->start_time(now);
    if (is_traced) begin_trace(*exchange, now);
  }
  const auto scope = enter_context(*exchange);
  if (is_traced && may_have_waited(*exchange)) add_waits(*exchange);
  if (env_.active) exchange->begin_entry(*env_.active);
  MeasuredRequest measured(metrics, *exchange);
  try {
    std::exception_ptr error;
    try {
      NextStages{arrival_}(*exchange);
    } catch (...) {
      error = std::current_exception();
    }
    finish_plan(*exchange);
    if (error) respond_to(*exchange, error);
    if ((logs_all || is_traced) && !(error && is_deadline(error))) {
      if (logs_all) end_with_access_line(*exchange, exchange->began);
      end_trace(*exchange, error);
    }
    // Later, another thread may use the source.
    const bool reads_later = may_read_while_sent(exchange->outgoing);
    send(exchange, error);
    if (!reads_later) exchange->end_body_turn();
    measured.complete();
  } catch (...) {
    report_incomplete_response(env_, std::current_exception());
    end_trace_with(*exchange, 500, "incomplete");
    transaction->respond({.status = 500, .fields = {}}, "");
  }
}

std::unique_ptr<http::RequestPlan> Pipeline::plan(const http::RequestHead& head) const {
  const auto may_prepare = [&] {
    if (has_early_waiters_ && responses_.runs()->has_runs()) return true;
    return has_prefetchers_ && head.fields.index_of("cookie") < head.fields.size();
  };
  if (!head.has_body && !may_prepare()) return nullptr;
  try {
    auto planned = make_plan(head);
    if (env_.active) {
      ActiveRequest& entry = planned->entry.emplace(*env_.active, head.method, steady_clock::now(),
                                                    RequestState::receiving);
      if (planned->route() != nullptr) entry.set_route(planned->route()->number);
    }
    return planned;
  } catch (const std::exception&) {
    return nullptr;  // the request itself will report it
  }
}

std::unique_ptr<RoutePlan> Pipeline::plan_inner(const http::RequestHead& head,
                                                Exchange& outer) const {
  auto planned = make_plan(head);
  planned->outer_session = outer.session();
  planned->outer_is_lost = Cancellation::loss_of(outer.cancellation());
  return planned;
}

std::unique_ptr<RoutePlan> Pipeline::make_plan(const http::RequestHead& head) const {
  const std::string_view target = head.target;
  routing::Matcher::Match match = matcher_.find(head.method, target.substr(0, target.find('?')));
  const Route* route =
      match.index != routing::Matcher::kNone ? &mounted_[match.index]->route : nullptr;
  return std::make_unique<PlannedRequest>(std::move(match), route);
}

void Pipeline::respond_to(Exchange& exchange, const std::exception_ptr& error) const {
  try {
    respond_with_error(exchange, error);
  } catch (...) {
    // A hook may have set a status that the response cannot have.
    report_incomplete_response(env_, std::current_exception());
    respond_without_hooks(exchange);
  }
}

void Pipeline::dispatch(Exchange& exchange) const {
  // System calls would read a zero byte as the end of a file name.
  if (exchange.path.find("%00") != std::string_view::npos) {
    throw status_error(400, "the path contains a zero byte");
  }
  RoutePlan* const plan = exchange.plan();
  routing::Matcher::Match match =
      plan != nullptr ? std::move(plan->match) : matcher_.find(exchange.head.method, exchange.path);
  if (exchange.head.opens_socket) {
    // With HTTP/2, any response of success would open it.
    const bool is_socket = match.index != routing::Matcher::kNone &&
                           mounted_[match.index]->route.socket_policy != nullptr;
    if (!is_socket) throw status_error(404, "there is no socket at this path");
  }
  if (const auto announced = announced_method(exchange)) {
    if (run_preflight(exchange, *announced, match)) return;
  }
  if (match.index != routing::Matcher::kNone) {
    run_route(exchange, *mounted_[match.index], std::move(match.params));
  } else {
    if (!match.allow.empty()) {
      exchange.allow = std::make_unique<const std::string>(std::move(match.allow));
    }
    NextStages{unmatched_}(exchange);
  }
}

bool Pipeline::run_preflight(Exchange& exchange, std::string_view announced,
                             const routing::Matcher::Match& match) const {
  const MountedRoute* const mounted = find_preflighted(exchange, announced, match);
  if (mounted == nullptr) {
    // Paths with routes are not paths of files.
    if (file_preflight_.empty() || !find_file(exchange, files_)) return false;
    NextStages{file_preflight_}(exchange);
    return true;
  }
  if (mounted->preflight.empty()) return false;
  exchange.route = &mounted->route;
  NextStages{mounted->preflight}(exchange);
  return true;
}

void Pipeline::run_route(Exchange& exchange, const MountedRoute& mounted, TextMap params) const {
  exchange.route = &mounted.route;
  exchange.params = std::move(params);
  if (exchange.entry() != nullptr) exchange.entry()->set_route(mounted.route.number);
  if (env_.hooks.any<hooks::RouteMatched>()) {
    const EachTimeScope scope(exchange);
    hooks::RouteMatched event{exchange.request, exchange.response};
    env_.hooks.emit(event, env_.logger);
    if (exchange.outgoing.is_set()) return;
  }
  NextStages{mounted.chain}(exchange);
}

const Pipeline::MountedRoute* Pipeline::find_preflighted(
    const Exchange& exchange, std::string_view announced,
    const routing::Matcher::Match& match) const {
  std::size_t index = matcher_.find(announced, exchange.path).index;
  if (index == routing::Matcher::kNone) index = match.index;
  if (index == routing::Matcher::kNone && !match.allow.empty()) {
    index = matcher_.find(match.allow.substr(0, match.allow.find(',')), exchange.path).index;
  }
  return index == routing::Matcher::kNone ? nullptr : mounted_[index].get();
}

void Pipeline::send(const std::shared_ptr<Exchange>& exchange,
                    const std::exception_ptr& error) const {
  if (exchange->entry() != nullptr) exchange->entry()->set_state(RequestState::sending);
  write_freshness(*exchange);
  send_response(exchange, error);
}

}  // namespace fw::detail
