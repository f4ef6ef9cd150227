#include <fairway/fairway.hpp>

fw::RouteDefinition make_routes();
FW_EXPORT_DEFAULT = make_routes();
