// Where in an HTML document a value is, which decides how it must be escaped. A tokenizer of HTML
// that reads the literal text of templates and rejects values where none can be safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace fw::templates {

/// How a value is written.
enum class Escape : std::uint8_t {
  none,      ///< as it is: HTML of the application
  html,      ///< in text and in quoted attributes
  url,       ///< as a whole URL, of a scheme that runs no code
  url_part,  ///< as a part of a URL: percent-encoded
  json,      ///< as JSON, in a data script
};

/// The state of the tokenizer between two pieces of text. States are equal if the same text means
/// the same after them.
class HtmlContext {
 public:
  struct Rejection {
    std::string message;
    std::string help = {};
    std::size_t offset = 0;  ///< in the text that was read
  };

  /// Reads literal text that a tag of the template, or its end, follows.
  std::optional<Rejection> read(std::string_view text);
  /// How to write a value here, or why there must be none. Then reads the value.
  std::variant<Escape, Rejection> value(bool is_raw);

  /// Whether text between tags may follow.
  bool is_text() const { return place_ == Place::text; }
  bool is_in_tag() const { return place_ == Place::tag || place_ == Place::gap; }
  /// For messages: "an attribute value".
  std::string_view description() const;
  /// The state after a part that is left out or repeated; nothing if the two have different
  /// meanings.
  static std::optional<HtmlContext> merged(const HtmlContext& a, const HtmlContext& b);

  friend bool operator==(const HtmlContext&, const HtmlContext&) = default;

 private:
  enum class Place : std::uint8_t {
    text,
    escapable,    ///< the content of title and textarea
    raw_text,     ///< of other elements without markup inside: style, iframe, …
    script,       ///< a script that is executed
    json_script,  ///< a data script
    comment,
    declaration,  ///< <!doctype …>
    tag_open,     ///< after '<'
    tag_name,
    tag,  ///< between attributes
    gap,  ///< between attributes, where white space or the end of the tag must follow
    attribute_name,
    after_attribute_name,
    before_value,
    double_quoted,
    single_quoted,
    unquoted,
  };
  /// What has been read of the URL in an attribute.
  enum class UrlPart : std::uint8_t {
    begin,
    prefix,        ///< literal text that may be a scheme
    value_prefix,  ///< a value, or text that depends on one, without a delimiter after it
    inside,        ///< after the scheme, or in a URL that has none
    script,        ///< after a scheme that runs code
  };
  enum class AttributeKind : std::uint8_t {
    plain,
    url,
    url_list,
    handler,
    style,
    document,
    loaded
  };

  std::optional<Rejection> read_next(std::string_view text, std::size_t& at);
  void read_markup(std::string_view text, std::size_t& at);
  std::optional<Rejection> read_content(std::string_view text, std::size_t& at);
  void read_json(char c);
  std::optional<Rejection> read_tag(char c);
  std::optional<Rejection> read_value(char c);
  /// A character of a value, after character references have been decoded.
  std::optional<Rejection> read_decoded(char c);
  std::optional<Rejection> end_reference();
  void end_link_type();
  std::optional<Rejection> end_tag();
  std::optional<Rejection> interrupt();
  void begin_attribute(char c);
  /// After an attribute, also one without a value.
  void end_attribute();
  AttributeKind attribute_kind() const;
  bool is_link_type() const { return element_ == "link" && attribute_ == "rel"; }
  Rejection rejection() const;
  std::variant<Escape, Rejection> value_in_attribute();

  Place place_ = Place::text;
  UrlPart url_ = UrlPart::begin;
  bool in_json_string_ = false;
  bool after_backslash_ = false;   ///< in such a string
  bool closes_ = false;            ///< the tag is a closing one
  bool is_active_ = false;         ///< the element is a meta with http-equiv, or a loading link
  bool has_active_value_ = false;  ///< a value in the attribute that matters then
  bool has_script_type_ = false;
  bool is_split_ = false;    ///< the text has ended in the beginning of markup
  std::string element_;      ///< in lower case
  std::string attribute_;    ///< in lower case
  std::string scheme_;       ///< literal beginning of a URL
  std::string reference_;    ///< the beginning of a character reference, in a URL or in `rel`
  std::string link_type_;    ///< the word of the attribute `rel` that is being read
  std::string script_type_;  ///< the first `type` of a script element
};

}  // namespace fw::templates
