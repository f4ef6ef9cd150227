// The public classes App and Router.
#include <fairway/app.hpp>
#include <fairway/router.hpp>

#include <stdexcept>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "app/server.hpp"
#include "base/methods.hpp"
#include "features/topics/topic_relay.hpp"

namespace fw {

App::App(Config config)
    : core_(std::make_unique<detail::AppCore>(*this, std::move(config))),
      server_(std::make_unique<detail::Server>(*core_)),
      fetch(core_->client, core_->proxy) {}
App::~App() = default;

void App::mount(const AppTable& table) { core_->mount(table); }

int App::listen() { return server_->listen(std::nullopt); }
int App::listen(std::uint16_t port) { return server_->listen(port); }
void App::start() { server_->start(); }
void App::stop() { server_->stop(); }
std::string App::address() const { return server_->address(); }
std::uint16_t App::port() const { return server_->port(); }

Services& App::services() { return core_->services; }
Health& App::health() { return core_->health; }
Metrics& App::metrics() { return core_->metrics; }
ResponseCache& App::cache() { return core_->cache(); }

Topics& App::topics() {
  if (config().cluster.enabled && detail::Access::relay(core_->topics).bus() == nullptr) {
    throw std::logic_error(
        "topics are in the memory of one process, so events would not reach the clients of other "
        "workers: set store.type to \"redis\", or set cluster.enabled to false");
  }
  return core_->topics;
}

const Config& App::config() const { return core_->env.config; }
const Logger& App::logger() const { return core_->env.logger; }
Hooks& App::hooks() { return core_->env.hooks; }

void App::use(Middleware middleware) { core_->use(std::move(middleware)); }

void App::serve_static(std::string prefix, std::string root, StaticOptions options) {
  core_->serve_static(
      {.prefix = std::move(prefix), .root = std::move(root), .options = std::move(options)});
}

void App::set_logger(Logger logger) {
  core_->require_not_prepared("app.set_logger");
  core_->env.logger = std::move(logger);
}

void App::set_request_id_generator(std::function<std::string()> generator) {
  core_->require_not_prepared("app.set_request_id_generator");
  core_->env.generate_request_id = std::move(generator);
}

void App::set_validator(Validator validator) {
  core_->require_not_prepared("app.set_validator");
  core_->env.validator = std::move(validator);
}

void App::skip_csrf(std::function<bool(Request&)> skip) {
  core_->require_not_prepared("app.skip_csrf");
  core_->env.skip_csrf = std::move(skip);
}

void App::set_rate_limiter(std::shared_ptr<RateLimiter> limiter) {
  core_->require_not_prepared("app.set_rate_limiter");
  core_->env.rate_limiter = std::move(limiter);
}

void App::set_store(std::string_view feature, std::shared_ptr<Store> store) {
  core_->require_not_prepared("app.set_store");
  core_->env.stores.set(feature, std::move(store));
}

void App::on_ready(std::function<void(App&)> callback) {
  core_->require_not_prepared("app.on_ready");
  core_->lifecycle.on_ready(std::move(callback));
}
void App::on_close(std::function<void(App&)> callback) {
  core_->require_not_prepared("app.on_close");
  core_->lifecycle.on_close(std::move(callback));
}

void App::set_extension(std::string name, std::any value) {
  core_->require_not_prepared("app.extend");
  const auto [slot, added] = core_->extensions.try_emplace(std::move(name), std::move(value));
  if (!added) throw std::logic_error("the extension '" + slot->first + "' already exists");
}

std::any& App::get_extension(std::string_view name) {
  const auto found = core_->extensions.find(name);
  if (found == core_->extensions.end()) {
    throw std::out_of_range("there is no extension '" + std::string(name) + "'");
  }
  return found->second;
}

Router::Router(App& app) : fetch(app.fetch), app_(app) {}
Router::~Router() = default;

Services& Router::services() const { return app_.services(); }
ResponseCache& Router::cache() const { return app_.cache(); }
Topics& Router::topics() const { return app_.topics(); }
const Config& Router::config() const { return app_.config(); }
const Logger& Router::logger() const { return app_.logger(); }

void Router::get(Text path, RouteHandler handler) { add("GET", path, {}, std::move(handler)); }
void Router::get(Text path, RouteOptions options, RouteHandler handler) {
  add("GET", path, std::move(options), std::move(handler));
}
void Router::post(Text path, RouteHandler handler) { add("POST", path, {}, std::move(handler)); }
void Router::post(Text path, RouteOptions options, RouteHandler handler) {
  add("POST", path, std::move(options), std::move(handler));
}
void Router::put(Text path, RouteHandler handler) { add("PUT", path, {}, std::move(handler)); }
void Router::put(Text path, RouteOptions options, RouteHandler handler) {
  add("PUT", path, std::move(options), std::move(handler));
}
void Router::patch(Text path, RouteHandler handler) { add("PATCH", path, {}, std::move(handler)); }
void Router::patch(Text path, RouteOptions options, RouteHandler handler) {
  add("PATCH", path, std::move(options), std::move(handler));
}
void Router::del(Text path, RouteHandler handler) { add("DELETE", path, {}, std::move(handler)); }
void Router::del(Text path, RouteOptions options, RouteHandler handler) {
  add("DELETE", path, std::move(options), std::move(handler));
}
void Router::head(Text path, RouteHandler handler) { add("HEAD", path, {}, std::move(handler)); }
void Router::head(Text path, RouteOptions options, RouteHandler handler) {
  add("HEAD", path, std::move(options), std::move(handler));
}
void Router::options(Text path, RouteHandler handler) {
  add("OPTIONS", path, {}, std::move(handler));
}
void Router::options(Text path, RouteOptions options, RouteHandler handler) {
  add("OPTIONS", path, std::move(options), std::move(handler));
}

void Router::add_inline(std::string_view method, const Text& path,
                        const detail::InlineRouteOptions& options, RouteHandler handler) {
  add(method, path, detail::made_options(options), std::move(handler));
}
void Router::add_socket_inline(const Text& path, const detail::InlineRouteOptions& options,
                               SocketHandler handler) {
  socket(path, detail::made_options(options), std::move(handler));
}

void Router::socket(Text path, RouteOptions options, SocketHandler handler) {
  if (!handler) throw std::invalid_argument("SOCKET " + path.str() + ": the handler is empty");
  add(base::kSocketMethod, path, std::move(options), detail::opening_handler(std::move(handler)));
}

void Router::add(std::string_view method, const Text& path, RouteOptions options,
                 RouteHandler handler) {
  const std::string name = std::string(method) + " " + path.str();
  if (!open_) {
    throw std::logic_error(name +
                           ": routes can only be registered while the factory of their file runs");
  }
  if (!handler.get()) throw std::invalid_argument(name + ": the handler is empty");
  records_.push_back({std::string(method), path.str(), std::move(options), std::move(handler)});
}

}  // namespace fw
