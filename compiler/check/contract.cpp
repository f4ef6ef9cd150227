#include "check/contract.hpp"

#include "check/option_json.hpp"

namespace fairway::check {

model::Json route_contract(const model::Route& route, const model::Json& validate,
                           const model::Json& responses) {
  model::Json contract;
  contract["method"] = route.method;
  contract["path"] = route.subpath;
  if (!validate.empty()) contract["validate"] = validate;
  if (!responses.empty()) contract["responses"] = responses;
  for (const model::MiddlewareReference& reference : route.middlewares) {
    model::MiddlewareReference sorted = reference;
    // At run time options are objects with sorted members.
    sorted.options = nlohmann::json(reference.options);
    contract["middlewares"].push_back(middleware_json(sorted));
  }
  if (!route.operation_id_inferred) contract["operationId"] = route.operation_id;
  return contract;
}

}  // namespace fairway::check
