#include "model/option_reader.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include "model/output_schema.hpp"
#include "model/schema_text.hpp"
#include "options/option_members.hpp"

namespace fairway::model {
namespace {

using fw::options::OptionMember;
using fw::schema::Kind;
using fw::schema::Node;

std::string shown(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

const Json& member_of(const Json& record, const char* name) {
  static const Json kAbsent;
  const auto found = record.is_object() ? record.find(name) : record.end();
  return found == record.end() ? kAbsent : *found;
}

void OptionReader::read(std::string_view record, const Json& written) {
  if (!written.is_object()) return;
  for (const OptionMember& member : fw::options::kOptionMembers) {
    if (member.record != record) continue;
    const Read read_member = reader_of(record, member.name);
    const bool is_record = member.form == fw::options::Form::record;
    if (!read_member && !is_record) continue;
    const auto value = written.find(fw::options::reference_name(member.name));
    if (value == written.end() || value->is_null()) continue;
    if (read_member) read_member(*this, member.name, *value);
    if (is_record) read(member.record_type, *value);
  }
}

std::string OptionReader::string(std::string_view name, const Json& value) const {
  if (value.is_string()) return value.get<std::string>();
  complain_(fmt::format("'{}' must be a string", name));
  return {};
}

std::string OptionReader::string_member(const Json& record, const char* name) const {
  const Json& value = member_of(record, name);
  return value.is_null() ? std::string() : string(name, value);
}

bool OptionReader::flag_member(const Json& record, const char* name) const {
  const Json& value = member_of(record, name);
  return value.is_boolean() && value.get<bool>();
}

LocationSchema OptionReader::location(std::string_view name, const Json& written) const {
  LocationSchema result{.location = std::string(name), .schema = {}, .range = {}};
  if (const Json& type = member_of(written, "$type"); type.is_object()) {
    try {
      result.schema = fw::schema::node_of_schema(type);
      result.type_json = type_in_requests(type);
    } catch (const std::invalid_argument& error) {
      complain_(fmt::format("'$type': {}", error.what()));
    }
  } else {
    result.schema = schema(written);
  }
  return result;
}

Schema OptionReader::response_schema(const Json& written) const {
  if (const Json& type = member_of(written, "$type"); type.is_object()) {
    try {
      return type_in_responses(type);
    } catch (const std::invalid_argument& error) {
      complain_(fmt::format("'$type': {}", error.what()));
      return Json(true);
    }
  }
  const Json& text = member_of(written, "$jsonSchema");
  if (!text.is_string()) return schema(written);
  auto parsed = parse_schema_text(text.get_ref<const std::string&>());
  if (auto* json = std::get_if<Json>(&parsed)) return std::move(*json);
  complain_("'$jsonSchema': " + std::get<SchemaTextError>(parsed).message);
  return Json(true);
}

Schema OptionReader::message(std::string_view direction, const Json& written) const {
  if (direction == "send" || !member_of(written, "$type").is_object()) {
    return response_schema(written);
  }
  LocationSchema read = location(direction, written);
  return TypeSchema{.json = std::move(read.type_json), .node = std::move(read.schema)};
}

std::optional<Stream> OptionReader::stream(const Json& written) const {
  if (const Json& events = member_of(written, "$events"); events.is_object()) {
    Stream stream{.format = Stream::Format::events, .items = {}};
    for (const auto& [name, data] : events.items()) {
      stream.items.push_back({.name = name, .schema = response_schema(data)});
    }
    return stream;
  }
  const Json& line = member_of(written, "$lines");
  if (line.is_null()) return std::nullopt;
  return Stream{.format = Stream::Format::lines,
                .items = {{.name = {}, .schema = response_schema(line)}}};
}

Node OptionReader::parsed(const Json& dsl) const {
  const auto& text = dsl.get_ref<const std::string&>();
  auto parsed = fw::schema::parse_dsl(text);
  if (auto* node = std::get_if<Node>(&parsed)) return std::move(*node);
  complain_(fmt::format("'{}' is not a schema: {}", text,
                        std::get<fw::schema::DslError>(parsed).message));
  return {};
}

Node OptionReader::schema(const Json& written) const {
  if (written.is_string()) return parsed(written);
  if (const Json& dsl = member_of(written, "$field"); dsl.is_string()) {
    Node node = parsed(dsl);
    node.description = string_member(written, "description");
    return node;
  }
  if (const Json& inner = member_of(written, "$optional"); inner.is_structured()) {
    Node node = schema(inner);
    node.required = false;
    return node;
  }
  Node node;
  if (written.is_array()) {
    node.kind = Kind::array;
    if (!written.empty()) node.items = std::make_shared<const Node>(schema(written[0]));
  } else if (written.is_object()) {
    node.kind = Kind::object;
    for (const auto& [name, field] : written.items()) node.fields.push_back({name, schema(field)});
  } else {
    complain_(fmt::format("{} is not a schema", shown(written)));
  }
  return node;
}

}  // namespace fairway::model
