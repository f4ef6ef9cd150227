// The schema language: what is parsed prints to a text that means the same, and errors are placed
// within the text. The rest of the input is data for the schema.
#include <variant>

#include "fuzz.hpp"
#include "schema/node.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fw::schema;
  const std::string_view input = fuzz::text_of(data, size);
  const std::string_view text = input.substr(0, input.find('\n'));
  const auto parsed = parse_dsl(text);
  if (const auto* error = std::get_if<DslError>(&parsed)) {
    fuzz::require(error->offset <= text.size() && error->length <= text.size() - error->offset);
    fuzz::require(!error->message.empty());
    return 0;
  }
  const Node& node = std::get<Node>(parsed);
  const std::string printed = to_dsl(node);
  const auto again = parse_dsl(printed);
  fuzz::require(std::holds_alternative<Node>(again));
  fuzz::require(to_json_schema(std::get<Node>(again)) == to_json_schema(node));

  Node object;
  object.kind = Kind::object;
  object.fields.push_back({"x", node});
  const std::string_view rest = input.substr(std::min(text.size() + 1, input.size()));
  validate(object, {{"x", std::string(rest)}}, Source::text);
  const auto json = nlohmann::json::parse(rest, nullptr, false);
  if (!json.is_discarded()) validate(object, {{"x", json}}, Source::json);
  return 0;
}
