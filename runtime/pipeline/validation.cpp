// Validates and converts the declared parts of the request: param, query, header, cookie, body.
#include <fairway/errors.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "chain/early_hooks.hpp"
#include "chain/stages.hpp"
#include "exchange/parsed_body.hpp"
#include "exchange/valid_input.hpp"
#include "observe/active_span.hpp"
#include "schema/field_errors.hpp"

namespace fw::detail {
namespace {

/// The values of a field that is a list (RFC 9110, 5.6.1): empty ones are ignored.
Json list_values(std::string_view field) {
  Json values = Json::array();
  base::for_each_token(field, ',', [&](std::string_view item) {
    if (const auto value = base::trim_ows(item); !value.empty()) values.push_back(value);
  });
  return values;
}

/// The validated headers contain only declared names, because a request has many other headers.
Json declared_headers(Exchange& exchange, const InputSchema& schema) {
  Json input = Json::object();
  for (const schema::Field& field : schema.fields()) {
    const auto value = exchange.header(field.name);
    if (!value) continue;
    input[field.name] = field.node.kind == schema::Kind::array ? list_values(*value) : Json(*value);
  }
  return input;
}

/// For declared arrays of a form, replaces the value in `pairs` by all values of the name in order.
/// `for_each_pair` calls a function with each name and value.
Json with_repeated_values(Json pairs, const InputSchema& schema, const auto& for_each_pair) {
  if (!schema.declares_arrays()) return pairs;
  for (const schema::Field& field : schema.fields()) {
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
  explicit Validation(const std::vector<InputSchema>& schemas) : schemas_(schemas) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    const Hooks& hooks = exchange.env.hooks;
    try {
      const ActiveSpan span("validation");
      const RequestStateScope scope(exchange, RequestState::validation);
      for (const InputSchema& schema : schemas_) accept(exchange, schema);
    } catch (const ValidationError&) {
      if (hooks.any<hooks::ValidationFailed>()) {
        hooks::ValidationFailed event{exchange.request, std::current_exception()};
        emit_in_time(exchange, event);
      }
      throw;
    }
    if (hooks.any<hooks::ValidationSuccess>()) {
      hooks::ValidationSuccess event{exchange.request};
      emit_in_time(exchange, event);
    }
    next(exchange);
  }

  Json make_tree(Exchange& exchange, Location location) const override {
    const auto& schema = *std::ranges::find(schemas_, location, &InputSchema::location);
    Json input = location == Location::body ? exchange.json_body() : text_input(exchange, schema);
    return check(schema, std::move(input)).value;
  }

 private:
  static Json text_input(Exchange& exchange, const InputSchema& schema) {
    switch (schema.location) {
      case Location::param:
        return exchange.params;
      case Location::query:
        return with_repeated_values(exchange.query_map(), schema, [&](const auto& visit) {
          base::for_each_form_pair(exchange.query(), visit);
        });
      case Location::header:
        return declared_headers(exchange, schema);
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

  /// The struct of a location that is made of strings; null if there is none.
  static std::unique_ptr<TypedValue> read_fields(Exchange& exchange, const InputSchema& schema) {
    LocationFields fields(exchange, schema.location);
    if (schema.row != nullptr) {
      if (schema.location == Location::body || schema.row->read_fields == nullptr) return nullptr;
      return schema.row->read_fields(fields, schema.location);
    }
    const RouteTypes* types = exchange.route->types;
    const auto decode_fields = types != nullptr ? decoder_of(*types, schema.location) : nullptr;
    return decode_fields != nullptr ? decode_fields(fields) : nullptr;
  }

  /// Reads the struct of a location that is made of strings, if all of them are plain.
  static bool decode(Exchange& exchange, const InputSchema& schema) {
    if (!exchange.env.config.typed_path || exchange.env.validator) return false;
    auto value = read_fields(exchange, schema);
    if (!value) return false;
    exchange.valid.set_candidate(std::move(value));
    return true;
  }

  static ValidationResult check(const InputSchema& schema, Json input) {
    const auto source =
        schema.location == Location::body ? schema::Source::json : schema::Source::text;
    return schema::validate(schema.node, std::move(input), source);
  }

  /// Takes ownership of the body, because handlers with a validated body seldom use the original.
  static Json body_input(Exchange& exchange, const InputSchema& schema) {
    Json body = exchange.take_body();
    if (exchange.parsed_body.type() != BodyType::form) return body;
    return with_repeated_values(std::move(body), schema, [&](const auto& visit) {
      exchange.parsed_body.for_each_field(exchange.raw_body(), visit);
    });
  }

  static Json input_of(Exchange& exchange, const InputSchema& schema) {
    return schema.location == Location::body ? body_input(exchange, schema)
                                             : text_input(exchange, schema);
  }

  static ValidationResult check_custom(Exchange& exchange, const InputSchema& schema,
                                       const Json& input) {
    const std::function<ValidationResult()> standard = [&] { return check(schema, input); };
    return exchange.env.validator(
        {schema.location, input, schema.declared, exchange.request, standard});
  }

  static ValidationResult check_custom(Exchange& exchange, const InputSchema& schema) {
    if (schema.location == Location::body) {
      const Json& body =
          exchange.body();  // not moved, because the validator may read it from the request
      if (exchange.parsed_body.type() != BodyType::form || !schema.declares_arrays()) {
        return check_custom(exchange, schema, body);
      }
    }
    return check_custom(exchange, schema, input_of(exchange, schema));
  }

  static ValidationResult check(Exchange& exchange, const InputSchema& schema) {
    if (exchange.env.validator) return check_custom(exchange, schema);
    return check(schema, input_of(exchange, schema));
  }

  /// Whether there is a body that the body parser does not read because of its media type.
  static bool has_other_media_type(Exchange& exchange) {
    const bool parses_multipart =
        exchange.route->options.multipart.enabled.value_or(exchange.env.config.multipart.enabled);
    return exchange.head.has_body && !exchange.parsed_body.exists() && !parses_multipart &&
           body_type_of(exchange.header("content-type").value_or("")) == BodyType::other;
  }

  static ValidationResult check_body(Exchange& exchange, const InputSchema& schema) {
    ValidationResult result = check(exchange, schema);
    if (result.errors.empty() || exchange.env.validator || !has_other_media_type(exchange)) {
      return result;
    }
    schema::FieldErrors errors;
    errors.media_type(schema::ValuePath());
    result.errors = errors.take();
    return result;
  }

  static void validate(Exchange& exchange, const InputSchema& schema) {
    ValidationResult result =
        schema.location == Location::body ? check_body(exchange, schema) : check(exchange, schema);
    std::unique_ptr<TypedValue> typed;
    if (result.errors.empty() && schema.row != nullptr) {
      typed = read_tree(*schema.row, schema.location, result);
    }
    if (!result.errors.empty()) {
      exchange.set_rejection(Rejection::validation);
      throw ValidationError(std::move(result.errors),
                            schema.location == Location::param ? 400 : 422);
    }
    exchange.valid.accept_tree(schema.location, std::move(result.value));
    if (typed) exchange.valid.keep(std::move(typed));
  }

  void accept(Exchange& exchange, const InputSchema& schema) const {
    if (exchange.valid.is_decoded(schema.location) || decode(exchange, schema)) {
      exchange.valid.accept_candidate(schema.location, *this);
    } else {
      validate(exchange, schema);
    }
  }

  const std::vector<InputSchema>& schemas_;
};

}  // namespace

Stages validation_stage(const StageContext& context) {
  if (context.route == nullptr || context.route->inputs.empty()) return {};
  return one_stage<Validation>(context.route->inputs);
}

}  // namespace fw::detail
