#include "exchange/parsed_body.hpp"

#include <utility>

#include "base/url_encoding.hpp"
#include "errors/messages.hpp"
#include "exchange/json_body.hpp"

namespace fw::detail {

Json parsed_json(std::string& text) {
  std::optional<Json> value = parse_json_body(text);
  if (!value) throw status_error(400, "invalid JSON in request body");
  return std::move(*value);
}

void ParsedBody::parse(BodyType type, Bytes& bytes) {
  tree_ = type == BodyType::json ? parsed_json(*bytes) : form_tree(*bytes);
  type_ = type;
}

void ParsedBody::set_form(Json fields, ReadFields read_fields) {
  read_fields_ = std::make_unique<const ReadFields>(std::move(read_fields));
  tree_ = std::move(fields);
  type_ = BodyType::form;
}

void ParsedBody::set(Json value) {
  if (tree_) base::destroy_iteratively(*tree_);
  tree_ = std::move(value);
  type_ = BodyType::assigned;
}

const Json& ParsedBody::tree(Bytes& bytes) {
  static const Json none;
  if (!exists()) return none;
  if (!tree_) parse(type_, bytes);
  has_references_ = true;
  return *tree_;
}

Json ParsedBody::take(Bytes& bytes) {
  if (!exists()) return nullptr;
  if (has_references_ || type_ == BodyType::assigned) return *tree_;
  if (!tree_) parse(type_, bytes);
  Json taken = std::move(*tree_);
  tree_.reset();
  return taken;
}

void ParsedBody::for_each_field(std::string_view bytes, const VisitField& visit) const {
  if (read_fields_) return (*read_fields_)(bytes, visit);
  base::for_each_form_pair(bytes, visit);
}

Json ParsedBody::form_tree(std::string_view bytes) const {
  Json tree = Json::object();
  for_each_field(bytes, [&](std::string name, std::string value) {
    tree[std::move(name)] = std::move(value);
  });
  return tree;
}

}  // namespace fw::detail
