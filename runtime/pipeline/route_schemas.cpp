#include "pipeline/route_schemas.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "pipeline/type_registry.hpp"
#include "schema/declaration_help.hpp"

namespace fw::detail {

namespace {

constexpr std::array<std::pair<std::string_view, SchemaMap Validate::*>, 5> kLocations{{
    {"param", &Validate::param},
    {"query", &Validate::query},
    {"header", &Validate::header},
    {"cookie", &Validate::cookie},
    {"body", &Validate::body},
}};

schema::Node node_of(const TypeReference& type, std::vector<std::string>& errors) {
  try {
    return schema::node_of_schema(nlohmann::ordered_json::parse(schema_text(row_of(type))));
  } catch (const std::exception& error) {
    errors.emplace_back(error.what());
    return {};
  }
}

}  // namespace

std::vector<InputSchema> compile_inputs(const Validate& validate,
                                        std::vector<std::string>& errors) {
  std::vector<InputSchema> inputs;
  for (std::size_t i = 0; i < kLocations.size(); ++i) {
    const auto [name, member] = kLocations[i];
    const SchemaMap& declared = validate.*member;
    if (declared.empty()) continue;
    std::vector<std::string> own;
    InputSchema input{static_cast<Location>(i), declared, compile_fields(declared, own)};
    if (declared.type()) input.row = declared.type()->row();
    for (schema::Field& field : input.node.fields) {
      if (const std::string error = schema::field_type_error(name, field.node); !error.empty()) {
        own.push_back(field.name + ": " + error);
      }
      if (input.location == Location::header) field.name = base::lower_case(field.name);
    }
    for (const std::string& error : own) {
      errors.push_back("validate." + std::string(name) + (declared.type() ? ": " : ".") + error);
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

schema::Node compile_fields(const SchemaMap& fields, std::vector<std::string>& errors) {
  if (fields.type()) return node_of(*fields.type(), errors);
  schema::Node node;
  node.kind = schema::Kind::object;
  for (const SchemaEntry& entry : fields.entries()) {
    std::vector<std::string> own;
    if (std::string error = schema::field_name_error(entry.name()); !error.empty()) {
      own.push_back(std::move(error));
    }
    node.fields.push_back({entry.name(), compile_field(entry.field(), own)});
    for (const std::string& error : own) errors.push_back(entry.name() + ": " + error);
  }
  return node;
}

schema::Node compile_field(const SchemaField& field, std::vector<std::string>& errors) {
  if (field.form() == SchemaField::Form::object) {
    schema::Node node = compile_fields(field.fields(), errors);
    node.required = !field.is_optional();
    return node;
  }
  if (field.form() == SchemaField::Form::array) {
    schema::Node node;
    node.kind = schema::Kind::array;
    node.required = !field.is_optional();
    node.items = std::make_shared<const schema::Node>(compile_fields(field.fields(), errors));
    return node;
  }
  auto parsed = schema::parse_dsl(field.dsl());
  if (const auto* error = std::get_if<schema::DslError>(&parsed)) {
    errors.push_back("'" + field.dsl() + "': " + error->message +
                     (error->help.empty() ? "" : "; " + error->help));
    return {};
  }
  auto node = std::get<schema::Node>(std::move(parsed));
  node.description = field.description();
  return node;
}

namespace {

/// The type whose values conform to the schema of a status, or of an event of its stream; null if
/// there is none.
const std::type_info* type_of(const ResponseSchema& schema, const RouteTypes* types,
                              std::string_view selector, std::string_view event = {}) {
  if (const auto* field = std::get_if<SchemaField>(&schema.get());
      field != nullptr && field->form() == SchemaField::Form::object && field->fields().type()) {
    return &field->fields().type()->type();
  }
  if (types == nullptr) return nullptr;
  const auto found = std::ranges::find_if(types->responses, [&](const ResponseType& response) {
    return response.selector == selector && response.event == event;
  });
  return found == types->responses.end() ? nullptr : found->type;
}

/// An event name is a line of the stream, and part of names in generated code.
std::string event_name_error(const std::string& name) {
  if (name.empty()) return "an event needs a name";
  const bool is_valid = std::ranges::none_of(name, base::is_control);
  return is_valid ? "" : "the name of an event must not have control characters";
}

DeclaredStream compile_stream(const StreamSchema& stream, const RouteTypes* types,
                              std::string_view selector, std::vector<std::string>& errors) {
  DeclaredStream declared{stream.format(), {}};
  const bool has_names = stream.format() == StreamSchema::Format::events;
  if (stream.events().empty()) errors.emplace_back("fw::events needs at least one event");
  for (const EventSchema& event : stream.events()) {
    const std::string& name = event.name.str();
    std::vector<std::string> own;
    if (has_names) {
      if (std::string error = event_name_error(name); !error.empty()) own.push_back(error);
      if (declared.find(name) != nullptr) own.emplace_back("the event is declared twice");
    }
    if (std::holds_alternative<StreamSchema>(event.data.get())) {
      own.emplace_back("the data of an event cannot be a stream");
    } else if (auto schema = compile_output(event.data, own)) {
      declared.events.push_back(
          {name, std::move(*schema), type_of(event.data, types, selector, name)});
    }
    for (const std::string& error : own) {
      errors.push_back(has_names ? "event '" + name + "': " + error : error);
    }
  }
  return declared;
}

}  // namespace

std::optional<schema::OutputSchema> compile_output(const ResponseSchema& schema,
                                                   std::vector<std::string>& errors) {
  try {
    if (std::holds_alternative<StreamSchema>(schema.get())) {
      errors.emplace_back("a stream is only possible in 'responses'");
      return std::nullopt;
    }
    if (const auto* text = std::get_if<JsonSchema>(&schema.get())) {
      return schema::OutputSchema(Json::parse(text->text));
    }
    return schema::OutputSchema(
        schema::to_json_schema(compile_field(std::get<SchemaField>(schema.get()), errors)));
  } catch (const std::exception& error) {
    errors.emplace_back(error.what());
    return std::nullopt;
  }
}

ResponseSchemas compile_responses(const Responses& responses,
                                  const std::optional<StreamSchema>& result,
                                  const RouteTypes* types, std::vector<std::string>& errors) {
  constexpr std::string_view kStatusOfResults = "200";
  ResponseSchemas schemas;
  if (result)
    schemas.add(kStatusOfResults, compile_stream(*result, types, kStatusOfResults, errors));
  for (const auto& [selector, response] : responses) {
    const std::string member = "responses." + selector.str();
    std::vector<std::string> own;
    try {
      if (const auto* stream = std::get_if<StreamSchema>(&response.get())) {
        schemas.add(selector.str(), compile_stream(*stream, types, selector.str(), own));
      } else if (auto schema = compile_output(response, own)) {
        schemas.add(selector.str(), std::move(*schema), type_of(response, types, selector.str()));
      }
    } catch (const std::exception& error) {
      own.emplace_back(error.what());
    }
    for (const std::string& error : own) errors.push_back(member + ": " + error);
  }
  return schemas;
}

namespace {

/// `error` is the message that a client gets for an invalid one.
constexpr std::string_view kErrorMessage = "error";

std::string message_name_error(const std::string& name, bool is_sent) {
  if (name.empty()) return "a message needs a name";
  if (std::ranges::any_of(name, base::is_control)) {
    return "the name of a message must not have control characters";
  }
  if (is_sent && name == kErrorMessage) {
    return "the name belongs to the message about invalid messages; choose another one";
  }
  return {};
}

const MessageType* find_type(std::span<const MessageType> types, std::string_view name) {
  const auto found = std::ranges::find(types, name, &MessageType::name);
  return found == types.end() ? nullptr : &*found;
}

/// Calls `add` with the name, the members and their node of each valid message.
void compile_each(const Messages& messages, std::string_view option,
                  std::vector<std::string>& errors, const auto& add) {
  std::vector<std::string_view> names;
  for (const MessageSchema& message : messages) {
    const std::string& name = message.name.str();
    std::vector<std::string> own;
    if (std::string error = message_name_error(name, option == "send"); !error.empty()) {
      own.push_back(std::move(error));
    }
    if (std::ranges::find(names, name) != names.end()) {
      own.emplace_back("the message is declared twice");
    }
    names.push_back(name);
    schema::Node node = compile_fields(message.members, own);
    if (own.empty() && node.kind != schema::Kind::object) {
      own.emplace_back("the schema of a message must be an object with members");
    }
    if (std::ranges::any_of(node.fields, [](const auto& field) { return field.name == "type"; })) {
      own.emplace_back("a message must not have a member 'type', which is its name");
    }
    if (own.empty()) add(message, std::move(node));
    for (const std::string& error : own) {
      errors.push_back(std::string(option) + ": message '" + name + "': " + error);
    }
  }
}

}  // namespace

DeclaredMessages compile_messages(const RouteOptions& options, const RouteTypes* types,
                                  std::vector<std::string>& errors) {
  DeclaredMessages declared{.receives_raw = options.receive.is_raw(),
                            .sends_raw = options.send.is_raw()};
  const auto row_of_type = [](const SchemaMap& members) {
    return members.type() ? members.type()->row() : nullptr;
  };
  compile_each(
      options.receive, "receive", errors, [&](const MessageSchema& message, schema::Node node) {
        DeclaredMessages::Received received{.name = message.name.str(), .node = std::move(node)};
        if (const TypeRow* const row = row_of_type(message.members)) {
          received.row = row;
          received.type = row->type;
        } else if (const MessageType* const type =
                       types == nullptr ? nullptr : find_type(types->receive, received.name);
                   type != nullptr && type->decode != nullptr) {
          received.type = type->type;
          received.decode = type->decode;
        }
        declared.received.push_back(std::move(received));
      });
  compile_each(options.send, "send", errors,
               [&](const MessageSchema& message, const schema::Node& node) {
                 const std::string& name = message.name.str();
                 const std::type_info* valid_type = nullptr;
                 if (const TypeRow* const row = row_of_type(message.members)) {
                   valid_type = row->type;
                 } else if (const MessageType* const type =
                                types == nullptr ? nullptr : find_type(types->send, name)) {
                   valid_type = type->type;
                 }
                 declared.sent.push_back({name, schema::OutputSchema(schema::to_json_schema(node)),
                                          !node.fields.empty(), valid_type});
               });
  return declared;
}

}  // namespace fw::detail
