#include <fairway/app.hpp>
#include <fairway/router.hpp>

#include <stdexcept>
#include <utility>

namespace fw {

Router::Router(App& app) : fetch(app.fetch), app_(app) {}

Services& Router::services() const { return app_.services(); }
ResponseCache& Router::cache() const { return app_.cache(); }
const Config& Router::config() const { return app_.config(); }
const Logger& Router::logger() const { return app_.logger(); }

void Router::add(std::string_view method, const Text& path, RouteOptions options, Handler handler) {
  const std::string name = std::string(method) + " " + path.str();
  if (!open_) {
    throw std::logic_error(name + ": routes are registered while the factory of their file runs");
  }
  if (!handler) throw std::invalid_argument(name + ": the handler is empty");
  records_.push_back({std::string(method), path.str(), std::move(options), std::move(handler)});
}

}  // namespace fw
