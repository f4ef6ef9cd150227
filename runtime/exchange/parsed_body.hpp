// The body of a request, as a JSON value or as the fields of a form.
#pragma once

#include <fairway/json.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "base/media_type.hpp"

namespace fw::detail {

/// The type of a body; `assigned`: the application has set it.
enum class BodyType : std::uint8_t { other, json, form, assigned };

/// The value of JSON text. Throws HttpError 400 if it is not valid.
Json parsed_json(std::string& text);

/// Belongs to one request. `bytes` are the bytes of its body, which must have been read if the
/// body was parsed.
class ParsedBody {
 public:
  using Bytes = std::optional<std::string>;
  using VisitField = std::function<void(std::string name, std::string value)>;
  /// Visits the text fields of a form in its bytes, in order.
  using ReadFields = std::function<void(std::string_view bytes, const VisitField& visit)>;

  ParsedBody() = default;
  ParsedBody(const ParsedBody&) = delete;
  ParsedBody& operator=(const ParsedBody&) = delete;
  ~ParsedBody() {
    if (tree_) base::destroy_iteratively(*tree_);
  }

  /// The type that the body was parsed as; `other` if it was not parsed.
  BodyType type() const { return type_; }
  bool exists() const { return type_ != BodyType::other; }

  /// Parses the body as `type`, `json` or `form`. Throws HttpError 400.
  void parse(BodyType type, Bytes& bytes);
  /// The body is JSON, which is parsed when it is needed.
  void parse_json_later() { type_ = BodyType::json; }
  /// Makes the text fields of a multipart form the body: `fields` has the last value of each name.
  void set_form(Json fields, ReadFields read_fields);
  void set(Json value);

  /// Null if there is none.
  const Json& tree(Bytes& bytes);
  /// Like `tree`, but transfers ownership: copies it only if a reference to it was returned. A
  /// later call of `tree` parses the bytes again.
  Json take(Bytes& bytes);
  /// Visits the fields of a body of type `form`, in order.
  void for_each_field(std::string_view bytes, const VisitField& visit) const;

 private:
  Json form_tree(std::string_view bytes) const;

  std::optional<Json> tree_;
  std::unique_ptr<const ReadFields> read_fields_;  ///< null: the body is no multipart form
  BodyType type_ = BodyType::other;
  bool has_references_ = false;
};

/// The type of a body with this `Content-Type`.
inline BodyType body_type_of(std::string_view content_type) {
  if (base::is_json(content_type)) return BodyType::json;
  const bool is_form = base::equal_ignoring_case(base::media_type(content_type),
                                                 "application/x-www-form-urlencoded");
  return is_form ? BodyType::form : BodyType::other;
}

}  // namespace fw::detail
