// [auth-differs-from-siblings]
#include <algorithm>

#include "base/methods.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

using Routes = std::vector<const LintedRoute*>;

bool uses(const model::Route& route, const std::string& middleware) {
  return std::ranges::find(route.middlewares, middleware, &model::MiddlewareReference::name) !=
         route.middlewares.end();
}

// A middleware that no guarded route has may guard this route instead.
bool has_middleware_of_its_own(const LintedRoute& route, const Routes& guarded) {
  return std::ranges::any_of(route.route->middlewares, [&](const model::MiddlewareReference& each) {
    return std::ranges::none_of(
        guarded, [&](const LintedRoute* sibling) { return uses(*sibling->route, each.name); });
  });
}

// The guarded route that this one is compared with. Reading is often public where writing is not,
// so a read is not compared with a guarded write.
const LintedRoute* guarded_sibling(const LintedRoute& route, const Routes& guarded) {
  const auto found = std::ranges::find_if(guarded, [&](const LintedRoute* sibling) {
    return !fw::base::is_safe(route.route->method) || fw::base::is_safe(sibling->route->method);
  });
  return found == guarded.end() ? nullptr : *found;
}

}  // namespace

void lint_auth_differs_from_siblings(const LintedFile& file, model::Diagnostics& diagnostics) {
  Routes guarded;
  Routes silent;
  for (const LintedRoute& route : file.routes) {
    if (route.route->auth.guards()) guarded.push_back(&route);
    if (route.route->auth.kind == model::AuthKind::unset) silent.push_back(&route);
  }
  // If half of the routes are public, an unguarded route is not unusual.
  if (guarded.size() < 2 || silent.size() >= guarded.size()) return;
  for (const LintedRoute* route : silent) {
    const LintedRoute* sibling = guarded_sibling(*route, guarded);
    if (!sibling || has_middleware_of_its_own(*route, guarded)) continue;
    Reporter(diagnostics, route->route->method, route->route->path)
        .report(rules::auth_differs_from_siblings,
                "the route has no 'auth', unlike most routes of its file",
                route->registration->method_range,
                "write '.auth = true', or '.auth = false' for a public route")
        .notes.push_back({"a guarded route is here", sibling->option("auth")->name_range});
  }
}

}  // namespace fairway::rules
