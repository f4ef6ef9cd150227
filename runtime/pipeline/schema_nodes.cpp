#include "pipeline/schema_nodes.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace fw::detail {

schema::Node compile_fields(const SchemaMap& fields, std::vector<std::string>& faults) {
  schema::Node node;
  node.kind = schema::Kind::object;
  for (const SchemaEntry& entry : fields.entries()) {
    std::vector<std::string> own;
    node.fields.push_back({entry.name(), compile_field(entry.field(), own)});
    for (const std::string& fault : own) faults.push_back(entry.name() + ": " + fault);
  }
  return node;
}

schema::Node compile_field(const SchemaField& field, std::vector<std::string>& faults) {
  if (field.form() == SchemaField::Form::object) return compile_fields(field.fields(), faults);
  if (field.form() == SchemaField::Form::array) {
    schema::Node node;
    node.kind = schema::Kind::array;
    node.items = std::make_shared<const schema::Node>(compile_fields(field.fields(), faults));
    return node;
  }
  auto parsed = schema::parse_dsl(field.dsl());
  if (const auto* error = std::get_if<schema::DslError>(&parsed)) {
    faults.push_back("'" + field.dsl() + "': " + error->message +
                     (error->help.empty() ? "" : "; " + error->help));
    return {};
  }
  auto node = std::get<schema::Node>(std::move(parsed));
  node.description = field.description();
  return node;
}

}  // namespace fw::detail
