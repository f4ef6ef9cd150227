// Checks and converts the declared parts of the request: param, query, header, cookie, body.
#include <fairway/errors.hpp>

#include <array>
#include <functional>
#include <utility>

#include "exchange/ascii.hpp"
#include "pipeline/schema_nodes.hpp"
#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

struct LocationSchema {
  Location location;
  const SchemaMap& fields;
  schema::Node node;
};

constexpr std::array<std::pair<Location, std::string_view>, 5> kLocations{{
    {Location::param, "param"},
    {Location::query, "query"},
    {Location::header, "header"},
    {Location::cookie, "cookie"},
    {Location::body, "body"},
}};

const SchemaMap& fields_of(const Validate& validate, Location location) {
  switch (location) {
    case Location::param:
      return validate.param;
    case Location::query:
      return validate.query;
    case Location::header:
      return validate.header;
    case Location::cookie:
      return validate.cookie;
    default:
      return validate.body;
  }
}

/// Header results hold the declared names only: a request has many headers nobody asked for.
Json declared_headers(Exchange& exchange, const schema::Node& node) {
  Json input = Json::object();
  for (const schema::Field& field : node.fields) {
    if (const auto value = exchange.header(field.name)) input[field.name] = *value;
  }
  return input;
}

class Validation : public Stage {
 public:
  explicit Validation(std::vector<LocationSchema> schemas) : schemas_(std::move(schemas)) {}

  void run(Exchange& exchange, const Rest& rest) const override {
    const Hooks& hooks = exchange.env.hooks;
    try {
      for (const LocationSchema& schema : schemas_) validate(exchange, schema);
    } catch (const ValidationError&) {
      if (hooks.any<hooks::ValidationFailed>()) {
        hooks::ValidationFailed event{exchange.request, std::current_exception()};
        hooks.emit(event, exchange.env.logger);
      }
      throw;
    }
    if (hooks.any<hooks::ValidationSuccess>()) {
      hooks::ValidationSuccess event{exchange.request};
      hooks.emit(event, exchange.env.logger);
    }
    rest(exchange);
  }

 private:
  static Json text_input(Exchange& exchange, const LocationSchema& schema) {
    switch (schema.location) {
      case Location::param:
        return exchange.params;
      case Location::query:
        return exchange.query_map();
      case Location::header:
        return declared_headers(exchange, schema.node);
      default:
        return exchange.cookie_map();
    }
  }

  static ValidationResult check(const LocationSchema& schema, Json input) {
    const auto source =
        schema.location == Location::body ? schema::Source::json : schema::Source::text;
    schema::Validation checked = schema::validate(schema.node, std::move(input), source);
    ValidationResult result{.value = std::move(checked.value), .errors = {}};
    for (schema::FieldFailure& failure : checked.failures) {
      result.errors.push_back({std::move(failure.field), std::move(failure.message)});
    }
    return result;
  }

  static ValidationResult check_custom(Exchange& exchange, const LocationSchema& schema) {
    const Json text = schema.location == Location::body ? Json() : text_input(exchange, schema);
    const Json& input = schema.location == Location::body ? exchange.body() : text;
    const std::function<ValidationResult()> standard = [&] { return check(schema, input); };
    return exchange.env.validator(
        {schema.location, input, schema.fields, exchange.request, standard});
  }

  static ValidationResult check(Exchange& exchange, const LocationSchema& schema) {
    if (exchange.env.validator) return check_custom(exchange, schema);
    // The handler of a validated body seldom wants the one before it, too.
    return check(schema, schema.location == Location::body ? exchange.take_body()
                                                           : text_input(exchange, schema));
  }

  static void validate(Exchange& exchange, const LocationSchema& schema) {
    ValidationResult result = check(exchange, schema);
    if (!result.errors.empty()) {
      throw ValidationError(std::move(result.errors),
                            schema.location == Location::param ? 400 : 422);
    }
    exchange.valid[static_cast<std::size_t>(schema.location)] = std::move(result.value);
  }

  std::vector<LocationSchema> schemas_;
};

}  // namespace

Stages validation_stage(const Composition& composition) {
  if (composition.route == nullptr) return {};
  std::vector<LocationSchema> schemas;
  for (const auto& [location, name] : kLocations) {
    const SchemaMap& fields = fields_of(composition.route->options.validate, location);
    if (fields.empty()) continue;
    std::vector<std::string> faults;
    schema::Node node = compile_fields(fields, faults);
    if (location == Location::header) {
      for (schema::Field& field : node.fields) field.name = to_lower(field.name);
    }
    for (const std::string& fault : faults) {
      composition.fault("validate." + std::string(name) + "." + fault);
    }
    schemas.push_back({location, fields, std::move(node)});
  }
  if (schemas.empty()) return {};
  return one_stage<Validation>(std::move(schemas));
}

}  // namespace fw::detail
