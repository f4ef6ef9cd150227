#include "support/value_text.hpp"

#include <fmt/format.h>

namespace fairway::test {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      result += '\\';
      result += byte;
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(byte));
    } else {
      result += byte;
    }
  }
  return result + '"';
}

std::string joined(const std::vector<model::Value>& values) {
  std::string result;
  for (const auto& value : values) result += (result.empty() ? "" : ", ") + value_text(value);
  return result;
}

}  // namespace

std::string value_text(const model::Value& value) {
  using Kind = model::Value::Kind;
  switch (value.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::number:
      return fmt::format("{}", value.number);
    case Kind::string:
      return quoted(value.text);
    case Kind::list:
      return fmt::format("[{}]", joined(value.items));
    case Kind::function:
      return "function";
    case Kind::call: {
      std::string result = fmt::format("{}({})", value.text, joined(value.items));
      for (const auto& member : value.members) {
        result += fmt::format(".{}({})", member.name, value_text(member.value));
      }
      return result;
    }
    case Kind::record: {
      std::string result;
      for (const auto& member : value.members) {
        result += fmt::format("{}{}: {}", result.empty() ? "" : ", ", member.name,
                              value_text(member.value));
      }
      return fmt::format("{}{{{}}}", value.text, result);
    }
  }
  return "?";
}

}  // namespace fairway::test
