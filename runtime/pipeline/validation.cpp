// Validates and converts the declared parts of the request: param, query, header, cookie, body.
#include <fairway/errors.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "chain/stages.hpp"
#include "pipeline/schema_nodes.hpp"
#include "schema/declaration_help.hpp"

namespace fw::detail {
namespace {

struct LocationSchema {
  Location location;
  const SchemaMap& fields;
  schema::Node node;

  /// The schema of the field with that name, if it is declared as an array.
  bool declares_array(std::string_view name) const {
    return std::any_of(node.fields.begin(), node.fields.end(), [&](const schema::Field& field) {
      return field.node.kind == schema::Kind::array && field.name == name;
    });
  }
  bool declares_arrays() const {
    return std::any_of(node.fields.begin(), node.fields.end(), [](const schema::Field& field) {
      return field.node.kind == schema::Kind::array;
    });
  }
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

/// The values of a field that is a list (RFC 9110, 5.6.1): empty ones are ignored.
Json list_values(std::string_view field) {
  Json values = Json::array();
  base::for_each_token(field, ',', [&](std::string_view item) {
    if (const auto value = base::trim_ows(item); !value.empty()) values.push_back(value);
  });
  return values;
}

/// The validated headers contain only declared names, because a request has many other headers.
Json declared_headers(Exchange& exchange, const schema::Node& node) {
  Json input = Json::object();
  for (const schema::Field& field : node.fields) {
    const auto value = exchange.header(field.name);
    if (!value) continue;
    input[field.name] = field.node.kind == schema::Kind::array ? list_values(*value) : Json(*value);
  }
  return input;
}

/// For declared arrays of a form, replaces the value in `pairs` by all values of the name in order.
/// `for_each_pair` calls a function with each name and value.
Json with_repeated_values(Json pairs, const LocationSchema& schema, const auto& for_each_pair) {
  if (!schema.declares_arrays()) return pairs;
  for (const schema::Field& field : schema.node.fields) {
    if (field.node.kind == schema::Kind::array) pairs.erase(field.name);
  }
  for_each_pair([&](const std::string& name, std::string value) {
    if (schema.declares_array(name)) pairs[name].push_back(std::move(value));
  });
  return pairs;
}

/// The strings of a location.
class LocationFields final : public FieldReader {
 public:
  LocationFields(Exchange& exchange, Location location)
      : exchange_(exchange), location_(location) {}

 private:
  std::optional<std::string_view> value_of(std::string_view name) override {
    switch (location_) {
      case Location::param:
        return exchange_.params.find(name);
      case Location::query:
        return exchange_.query_map().find(name);
      case Location::header:
        return exchange_.header(name);
      default:
        return exchange_.cookie_map().find(name);
    }
  }

  Exchange& exchange_;
  const Location location_;
};

class Validation : public Stage, public TreeSource {
 public:
  explicit Validation(std::vector<LocationSchema> schemas) : schemas_(std::move(schemas)) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    const Hooks& hooks = exchange.env.hooks;
    try {
      for (const LocationSchema& schema : schemas_) accept(exchange, schema);
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
    next(exchange);
  }

  Json make_tree(Exchange& exchange, Location location) const override {
    const auto& schema = *std::ranges::find(schemas_, location, &LocationSchema::location);
    Json input = location == Location::body ? exchange.json_body() : text_input(exchange, schema);
    return check(schema, std::move(input)).value;
  }

 private:
  static Json text_input(Exchange& exchange, const LocationSchema& schema) {
    switch (schema.location) {
      case Location::param:
        return exchange.params;
      case Location::query:
        return with_repeated_values(exchange.query_map(), schema, [&](const auto& visit) {
          base::for_each_form_pair(exchange.query(), visit);
        });
      case Location::header:
        return declared_headers(exchange, schema.node);
      default:
        return exchange.cookie_map();
    }
  }

  static RouteTypes::DecodeFields decoder_of(const RouteTypes& types, Location location) {
    switch (location) {
      case Location::param:
        return types.decode_param;
      case Location::query:
        return types.decode_query;
      case Location::header:
        return types.decode_header;
      case Location::cookie:
        return types.decode_cookie;
      default:
        return nullptr;  // a body is read by the body parser
    }
  }

  /// Reads the struct of a location that is made of strings, if all of them are plain.
  static bool decode(Exchange& exchange, Location location) {
    const RouteTypes* types = exchange.route->types;
    if (types == nullptr || exchange.env.validator) return false;
    const auto decode_fields = decoder_of(*types, location);
    if (decode_fields == nullptr) return false;
    LocationFields fields(exchange, location);
    auto value = decode_fields(fields);
    if (!value) return false;
    exchange.valid.set_candidate(std::move(value));
    return true;
  }

  static ValidationResult check(const LocationSchema& schema, Json input) {
    const auto source =
        schema.location == Location::body ? schema::Source::json : schema::Source::text;
    return schema::validate(schema.node, std::move(input), source);
  }

  /// Takes ownership of the body, because handlers with a validated body seldom use the original.
  static Json body_input(Exchange& exchange, const LocationSchema& schema) {
    Json body = exchange.take_body();
    if (exchange.body_type() != BodyType::form) return body;
    return with_repeated_values(std::move(body), schema,
                                [&](const auto& visit) { exchange.for_each_form_field(visit); });
  }

  static Json input_of(Exchange& exchange, const LocationSchema& schema) {
    return schema.location == Location::body ? body_input(exchange, schema)
                                             : text_input(exchange, schema);
  }

  static ValidationResult check_custom(Exchange& exchange, const LocationSchema& schema,
                                       const Json& input) {
    const std::function<ValidationResult()> standard = [&] { return check(schema, input); };
    return exchange.env.validator(
        {schema.location, input, schema.fields, exchange.request, standard});
  }

  static ValidationResult check_custom(Exchange& exchange, const LocationSchema& schema) {
    if (schema.location == Location::body) {
      const Json& body =
          exchange.body();  // not moved, because the validator may read it from the request
      if (exchange.body_type() != BodyType::form || !schema.declares_arrays()) {
        return check_custom(exchange, schema, body);
      }
    }
    return check_custom(exchange, schema, input_of(exchange, schema));
  }

  static ValidationResult check(Exchange& exchange, const LocationSchema& schema) {
    if (exchange.env.validator) return check_custom(exchange, schema);
    return check(schema, input_of(exchange, schema));
  }

  static void validate(Exchange& exchange, const LocationSchema& schema) {
    ValidationResult result = check(exchange, schema);
    if (!result.errors.empty()) {
      throw ValidationError(std::move(result.errors),
                            schema.location == Location::param ? 400 : 422);
    }
    exchange.valid.accept_tree(schema.location, std::move(result.value));
  }

  void accept(Exchange& exchange, const LocationSchema& schema) const {
    if (exchange.valid.is_decoded(schema.location) || decode(exchange, schema.location)) {
      exchange.valid.accept_candidate(schema.location, *this);
    } else {
      validate(exchange, schema);
    }
  }

  std::vector<LocationSchema> schemas_;
};

}  // namespace

Stages validation_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  std::vector<LocationSchema> schemas;
  for (const auto& [location, name] : kLocations) {
    const SchemaMap& fields = fields_of(context.route->options.validate, location);
    if (fields.empty()) continue;
    std::vector<std::string> errors;
    schema::Node node = compile_fields(fields, errors);
    for (const schema::Field& field : node.fields) {
      if (const std::string error = schema::field_type_error(name, field.node); !error.empty()) {
        errors.push_back(field.name + ": " + error);
      }
    }
    if (location == Location::header) {
      for (schema::Field& field : node.fields) field.name = base::lower_case(field.name);
    }
    for (const std::string& error : errors) {
      context.error("validate." + std::string(name) + "." + error);
    }
    schemas.push_back({location, fields, std::move(node)});
  }
  if (schemas.empty()) return {};
  return one_stage<Validation>(std::move(schemas));
}

}  // namespace fw::detail
