#include "templates/html_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "templates/html_syntax.hpp"

namespace fw::templates {

std::optional<HtmlContext::Rejection> HtmlContext::read(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (auto rejection = read_next(text, at)) {
      rejection->offset = begin;
      return rejection;
    }
  }
  auto rejection = interrupt();
  if (rejection && !text.empty()) rejection->offset = text.size() - 1;
  return rejection;
}

std::optional<HtmlContext::Rejection> HtmlContext::read_next(std::string_view text,
                                                             std::size_t& at) {
  switch (place_) {
    case Place::text:
      read_markup(text, at);
      return std::nullopt;
    case Place::escapable:
    case Place::raw_text:
    case Place::script:
    case Place::json_script:
      return read_content(text, at);
    case Place::comment: {
      const std::size_t end = std::min(text.find("-->", at), text.find("--!>", at));
      if (end == std::string_view::npos) {
        is_split_ = text.ends_with('-') || text.ends_with("--!");
        at = text.size();
      } else {
        at = text.find('>', end) + 1;
        place_ = Place::text;
      }
      return std::nullopt;
    }
    case Place::declaration:
      if (text[at++] == '>') place_ = Place::text;
      return std::nullopt;
    default:
      return read_tag(text[at++]);
  }
}

void HtmlContext::read_markup(std::string_view text, std::size_t& at) {
  at = std::min(text.find('<', at), text.size());
  const std::string_view rest = text.substr(at);
  if (rest.empty()) return;
  if (is_in(rest, {"<", "</", "<!", "<!-"})) {
    is_split_ = true;
    at = text.size();
  } else if (rest.starts_with("<!--")) {
    at += 4;
    const std::string_view content = rest.substr(4);
    if (content.starts_with('>') || content.starts_with("->")) {
      at = text.find('>', at) + 1;  // an empty comment
    } else {
      place_ = Place::comment;
    }
  } else {
    closes_ = rest[1] == '/';
    const char first = rest[closes_ ? 2 : 1];
    if (base::is_letter(first)) {
      element_.clear();
      place_ = Place::tag_name;
      at += closes_ ? 2 : 1;
    } else if (closes_ || first == '!' || first == '?') {
      place_ = Place::declaration;  // as browsers read it, a comment
      at += 2;
    } else {
      at += 1;
    }
  }
}

std::optional<HtmlContext::Rejection> HtmlContext::read_content(std::string_view text,
                                                                std::size_t& at) {
  const std::string_view rest = text.substr(at);
  const std::size_t end = find_end(rest, element_, is_split_);
  const std::string_view content = rest.substr(0, end);
  if (place_ == Place::script || place_ == Place::json_script) {
    // After '<!--', '</script>' would not always end the element.
    const std::size_t comment = content.find("<!--");
    if (comment != std::string_view::npos) {
      at += comment;
      return Rejection{"a script must not contain '<!--'", "write '\\u003c!--'"};
    }
  }
  if (place_ == Place::json_script) {
    for (const char c : content) read_json(c);
  }
  at += content.size();
  if (end == std::string_view::npos || is_split_) {
    at = text.size();
    return std::nullopt;
  }
  at += element_.size() + 2;
  closes_ = true;
  in_json_string_ = false;
  after_backslash_ = false;
  place_ = Place::tag;
  return std::nullopt;
}

void HtmlContext::read_json(char c) {
  if (!in_json_string_) {
    in_json_string_ = c == '"';
  } else if (after_backslash_) {
    after_backslash_ = false;
  } else if (c == '\\') {
    after_backslash_ = true;
  } else {
    in_json_string_ = c != '"';
  }
}

std::optional<HtmlContext::Rejection> HtmlContext::read_tag(char c) {
  switch (place_) {
    case Place::tag_name:
      if (!ends_name(c)) {
        element_ += base::to_lower(c);
        return std::nullopt;
      }
      place_ = Place::tag;
      break;
    case Place::gap:
      if (!ends_name(c)) {
        return Rejection{"white space is missing in the tag",
                         "separate attributes by spaces, also where sections begin and end"};
      }
      place_ = Place::tag;
      break;
    case Place::attribute_name:
    case Place::after_attribute_name:
      if (c == '=') {
        place_ = Place::before_value;
        return std::nullopt;
      }
      if (is_html_space(c)) {
        place_ = Place::after_attribute_name;
        return std::nullopt;
      }
      if (place_ == Place::attribute_name && !ends_name(c)) {
        if (is_in(std::string_view(&c, 1), {"\"", "'", "<"})) break;
        attribute_ += base::to_lower(c);
        return std::nullopt;
      }
      end_attribute();
      place_ = Place::tag;
      break;
    case Place::before_value:
      if (is_html_space(c)) return std::nullopt;
      url_ = UrlPart::begin;
      scheme_.clear();
      if (c == '"' || c == '\'') {
        place_ = c == '"' ? Place::double_quoted : Place::single_quoted;
        return std::nullopt;
      }
      place_ = Place::unquoted;
      break;
    default:
      break;
  }
  if (place_ == Place::double_quoted || place_ == Place::single_quoted) {
    if (c == (place_ == Place::double_quoted ? '"' : '\'')) {
      end_attribute();
      place_ = Place::gap;
      return std::nullopt;
    }
    return read_value(c);
  }
  if (place_ == Place::unquoted) {
    if (!is_html_space(c) && c != '>') return read_value(c);
    end_attribute();
    place_ = Place::tag;
  }
  if (c == '>') return end_tag();
  if (is_html_space(c) || c == '/') return std::nullopt;
  if (is_in(std::string_view(&c, 1), {"\"", "'", "<", "="})) {
    return Rejection{fmt::format("unexpected '{}' in a tag", c),
                     "write attributes as name=\"value\""};
  }
  begin_attribute(c);
  return std::nullopt;
}

void HtmlContext::begin_attribute(char c) {
  attribute_.assign(1, base::to_lower(c));
  place_ = Place::attribute_name;
}

std::optional<HtmlContext::Rejection> HtmlContext::read_value(char c) {
  const bool is_type = element_ == "script" && attribute_ == "type";
  if (is_type && !has_script_type_) script_type_ += base::to_lower(c);
  const AttributeKind kind = attribute_kind();
  const bool is_url = kind == AttributeKind::url || kind == AttributeKind::url_list;
  if (!is_url && !is_link_type()) return std::nullopt;
  const bool is_decided = url_ == UrlPart::inside || url_ == UrlPart::script;
  if (kind == AttributeKind::url && is_decided) return std::nullopt;
  if (!reference_.empty()) {
    if (continues_reference(reference_, c)) {
      reference_ += c;
      return std::nullopt;
    }
    if (c == ';') {
      const char decoded = decode_reference(std::exchange(reference_, {}));
      return read_decoded(decoded);
    }
    if (auto rejection = end_reference()) return rejection;
  }
  if (c == '&') {
    reference_ = c;
    return std::nullopt;
  }
  return read_decoded(c);
}

/// Ends a reference without a semicolon.
std::optional<HtmlContext::Rejection> HtmlContext::end_reference() {
  if (reference_.empty()) return std::nullopt;
  const std::string reference = std::exchange(reference_, {});
  return read_decoded(reference.starts_with("&#") ? decode_reference(reference) : '&');
}

void HtmlContext::end_link_type() {
  is_active_ = is_active_ || loads_code(link_type_);
  link_type_.clear();
}

std::optional<HtmlContext::Rejection> HtmlContext::read_decoded(char c) {
  if (is_link_type()) {
    if (is_html_space(c)) {
      end_link_type();
    } else {
      link_type_ += base::to_lower(c);
    }
    return std::nullopt;
  }
  if (attribute_kind() == AttributeKind::url_list && (c == ',' || is_html_space(c))) {
    url_ = UrlPart::begin;
    scheme_.clear();
    return std::nullopt;
  }
  if (url_ == UrlPart::inside || url_ == UrlPart::script) return std::nullopt;
  if (c == '/' || c == '?' || c == '#') {
    url_ = UrlPart::inside;
  } else if (c != ':') {
    if (url_ == UrlPart::value_prefix) return std::nullopt;
    if (static_cast<unsigned char>(c) > ' ') scheme_ += base::to_lower(c);
    url_ = scheme_.empty() ? UrlPart::begin : UrlPart::prefix;
    return std::nullopt;
  } else if (url_ == UrlPart::value_prefix) {
    return Rejection{"':' after a value would make the value the scheme of the URL",
                     "write the scheme itself, or pass the whole URL as one value"};
  } else {
    url_ = runs_code(scheme_) ? UrlPart::script : UrlPart::inside;
  }
  scheme_.clear();
  return std::nullopt;
}

void HtmlContext::end_attribute() {
  static_cast<void>(end_reference());
  if (element_ == "meta" && attribute_ == "http-equiv") is_active_ = true;
  if (is_link_type()) end_link_type();
  if (element_ == "script" && attribute_ == "type") has_script_type_ = true;
  attribute_.clear();
  scheme_.clear();
  url_ = UrlPart::begin;
}

std::optional<HtmlContext::Rejection> HtmlContext::end_tag() {
  const bool is_rejected = is_active_ && has_active_value_;
  const std::string type(base::trim_whitespace(script_type_.substr(0, script_type_.find(';'))));
  is_active_ = false;
  has_active_value_ = false;
  has_script_type_ = false;
  attribute_.clear();
  script_type_.clear();
  place_ = Place::text;
  if (is_rejected && element_ == "link") {
    return Rejection{
        "a value in the attribute 'href' of a 'link' that loads a style sheet or code cannot be "
        "escaped safely",
        "style sheets and code are loaded from constant URLs only"};
  }
  if (is_rejected) {
    return Rejection{
        "a value in the attribute 'content' of a 'meta' with 'http-equiv' cannot be escaped safely",
        "set the header in the handler, with 'res.set_header' or 'res.redirect'"};
  }
  if (!closes_) {
    if (element_ == "script") {
      const bool is_data = is_in(type, {"application/json", "application/ld+json"});
      place_ = is_data ? Place::json_script : Place::script;
    } else if (is_in(element_, {"style", "iframe", "xmp", "noembed", "noframes", "plaintext"})) {
      place_ = Place::raw_text;
    } else if (is_in(element_, {"title", "textarea"})) {
      place_ = Place::escapable;
    }
  }
  closes_ = false;
  if (place_ == Place::text) element_.clear();
  return std::nullopt;
}

std::optional<HtmlContext::Rejection> HtmlContext::interrupt() {
  if (is_split_) {
    is_split_ = false;
    const bool is_text = place_ == Place::text || place_ == Place::escapable;
    return Rejection{"a template tag or the end of the template splits HTML markup",
                     is_text ? "write '&lt;' for a less-than sign that begins no tag"
                             : "write the markup before or after the template tag"};
  }
  if (reference_.starts_with("&#")) {
    reference_.clear();
    return Rejection{"a template tag splits a character reference in a URL",
                     "end the reference with ';'"};
  }
  if (auto rejection = end_reference()) return rejection;
  switch (place_) {
    case Place::unquoted:
    case Place::tag_name:
    case Place::attribute_name:
      place_ = Place::gap;
      break;
    case Place::after_attribute_name:
      place_ = Place::tag;
      break;
    case Place::before_value:
      return rejection();
    default:
      return std::nullopt;
  }
  end_attribute();
  return std::nullopt;
}

HtmlContext::AttributeKind HtmlContext::attribute_kind() const {
  if (attribute_.starts_with("on")) return AttributeKind::handler;
  if (attribute_ == "style") return AttributeKind::style;
  if (attribute_ == "srcdoc") return AttributeKind::document;
  if (loads_code(element_, attribute_)) return AttributeKind::loaded;
  if (is_in(attribute_, {"srcset", "imagesrcset", "ping"})) return AttributeKind::url_list;
  return is_url_attribute(attribute_) ? AttributeKind::url : AttributeKind::plain;
}

std::variant<Escape, HtmlContext::Rejection> HtmlContext::value(bool is_raw) {
  if (is_raw && place_ != Place::text) {
    return Rejection{fmt::format("an unescaped value is not allowed in {}", description()),
                     "unescaped values are HTML, and can only be between tags: write two braces"};
  }
  switch (place_) {
    case Place::text:
      return is_raw ? Escape::none : Escape::html;
    case Place::escapable:
      return Escape::html;
    case Place::double_quoted:
    case Place::single_quoted:
      return value_in_attribute();
    case Place::json_script:
      if (in_json_string_) {
        return Rejection{"a value in a data script must not be inside a string",
                         "remove the quotes around it: the value is written as JSON"};
      }
      return Escape::json;
    default:
      return rejection();
  }
}

std::variant<Escape, HtmlContext::Rejection> HtmlContext::value_in_attribute() {
  const auto reject = [&](std::string help) {
    return Rejection{fmt::format("a value in the attribute '{}' of '{}' cannot be escaped safely",
                                 attribute_, element_),
                     std::move(help)};
  };
  switch (attribute_kind()) {
    case AttributeKind::handler:
      return reject(
          "put the value into a 'data-…' attribute and handle the event in the script "
          "of the page");
    case AttributeKind::style:
      return reject("choose between classes, and write the styles in the style sheet of the page");
    case AttributeKind::document:
      return reject("write the content as elements of the page");
    case AttributeKind::loaded:
      return reject("code is loaded from constant URLs only");
    case AttributeKind::url_list:
      if (url_ == UrlPart::begin) return reject("write the beginning of each URL in the template");
      break;
    case AttributeKind::url:
      break;
    case AttributeKind::plain:
      if ((element_ == "script" && attribute_ == "type") ||
          (element_ == "meta" && attribute_ == "http-equiv")) {
        return reject(
            "write the attribute in the template, because it decides what the element "
            "does");
      }
      if (element_ == "meta" && attribute_ == "content") has_active_value_ = true;
      if (is_link_type()) is_active_ = true;  // it may be any type
      return Escape::html;
  }
  if (element_ == "link") has_active_value_ = true;
  if (url_ == UrlPart::script) return reject("a URL that runs code must not contain values");
  const bool is_whole = url_ == UrlPart::begin;
  if (url_ != UrlPart::inside) url_ = UrlPart::value_prefix;
  scheme_.clear();
  return is_whole ? Escape::url : Escape::url_part;
}

HtmlContext::Rejection HtmlContext::rejection() const {
  const auto reject = [&](std::string help) {
    return Rejection{fmt::format("a value in {} cannot be escaped safely", description()),
                     std::move(help)};
  };
  switch (place_) {
    case Place::script:
      return reject(
          "write it to a data script, <script type=\"application/json\">, or to a "
          "'data-…' attribute, and read it from there");
    case Place::raw_text:
      return reject(element_ == "style" ? "choose between classes instead" : "");
    case Place::before_value:
    case Place::unquoted:
      return reject("write quotes around the value");
    case Place::comment:
      return reject(
          "write a template comment, '{{! … }}', for what readers of the page "
          "need not see");
    default:
      return reject("values can be between tags and in quoted attribute values");
  }
}

std::string_view HtmlContext::description() const {
  switch (place_) {
    case Place::text:
      return "text";
    case Place::escapable:
      return "the text of an element";
    case Place::raw_text:
      return element_ == "style" ? "a style sheet" : "an element without markup";
    case Place::script:
      return "a script";
    case Place::json_script:
      return "a data script";
    case Place::comment:
      return "a comment";
    case Place::declaration:
      return "a declaration";
    case Place::double_quoted:
    case Place::single_quoted:
      return "an attribute value";
    case Place::before_value:
    case Place::unquoted:
      return "an attribute value without quotes";
    default:
      return "a tag";
  }
}

std::optional<HtmlContext> HtmlContext::merged(const HtmlContext& a, const HtmlContext& b) {
  HtmlContext result = a;
  const bool are_in_tag = a.is_in_tag() && b.is_in_tag();
  if (are_in_tag) {
    if (b.place_ == Place::gap) result.place_ = Place::gap;
  } else if (a.place_ == b.place_ && (a.url_ != b.url_ || a.scheme_ != b.scheme_)) {
    const bool is_script = a.url_ == UrlPart::script || b.url_ == UrlPart::script;
    result.url_ = is_script ? UrlPart::script : UrlPart::value_prefix;
    result.scheme_.clear();
  }
  // A word of which a part is left out or repeated may be any.
  const bool has_same_type = a.link_type_ == b.link_type_;
  if (!has_same_type) result.link_type_.clear();
  result.is_active_ = a.is_active_ || b.is_active_ || !has_same_type;
  result.has_active_value_ = a.has_active_value_ || b.has_active_value_;
  HtmlContext other = b;
  other.place_ = result.place_;
  other.url_ = result.url_;
  other.scheme_ = result.scheme_;
  other.link_type_ = result.link_type_;
  other.is_active_ = result.is_active_;
  other.has_active_value_ = result.has_active_value_;
  if ((a.place_ != b.place_ && !are_in_tag) || !(result == other)) return std::nullopt;
  return result;
}

}  // namespace fw::templates
