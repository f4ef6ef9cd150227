#include <fairway/define_routes.hpp>

#include <utility>
#include <variant>

#include "base/declared_impl.hpp"

namespace fw {

DefaultExport::DefaultExport(RouteDefinition routes) : definition_(std::move(routes)) {}
DefaultExport::DefaultExport(MiddlewareDefinition middleware)
    : definition_(std::move(middleware)) {}
DefaultExport::DefaultExport(PluginDefinition plugin) : definition_(std::move(plugin)) {}
DefaultExport::DefaultExport(Reexport reexport) : definition_(reexport) {}

const RouteDefinition* DefaultExport::routes() const {
  return std::get_if<RouteDefinition>(definition_.get());
}
const MiddlewareDefinition* DefaultExport::middleware() const {
  return std::get_if<MiddlewareDefinition>(definition_.get());
}
const PluginDefinition* DefaultExport::plugin() const {
  return std::get_if<PluginDefinition>(definition_.get());
}

template class detail::Constant<
    std::variant<RouteDefinition, MiddlewareDefinition, PluginDefinition, Reexport>>;

}  // namespace fw
