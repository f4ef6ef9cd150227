#include "schema/route_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"

namespace fw::schema {
namespace {

constexpr std::size_t kMaxParameters = 32;

bool is_name_character(char c) { return base::is_alphanumeric(c) || c == '_'; }

/// RFC 3986 pchar without the percent sign: an encoded static segment never matches.
bool is_literal_character(char c) {
  return is_name_character(c) ||
         std::string_view("-.~!$&'()+,;=@").find(c) != std::string_view::npos;
}

std::size_t name_length(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_character) - text.begin());
}

class RoutePathParser {
 public:
  explicit RoutePathParser(std::string_view path) : whole_(path) {}

  std::variant<RoutePath, PathError> parse() {
    std::string_view rest = whole_;
    if (!rest.starts_with('/')) {
      return error_at(rest.substr(0, 1), "a path must begin with '/'",
                      fmt::format("write '/{}'", rest));
    }
    while (rest.ends_with('/')) rest.remove_suffix(1);
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const std::string_view segment = rest.substr(0, rest.find('/'));
      rest.remove_prefix(segment.size());
      if (!add_segment(segment, rest.empty())) return std::move(error_);
    }
    return std::move(path_);
  }

 private:
  // All parts are views into `whole_`, so that errors can compute their offsets.
  PathError error_at(std::string_view part, std::string message, std::string help) const {
    return {static_cast<std::size_t>(part.data() - whole_.data()), part.size(), std::move(message),
            std::move(help)};
  }

  bool fail(std::string_view part, std::string message, std::string help = {}) {
    error_ = error_at(part, std::move(message), std::move(help));
    return false;
  }

  bool add_segment(std::string_view text, bool is_last) {
    if (text.empty()) {
      return fail(whole_.substr(static_cast<std::size_t>(text.data() - whole_.data()) - 1, 2),
                  "a path must not have empty segments", "write one '/'");
    }
    Segment segment;
    const bool added =
        text.front() == '*' ? read_wildcard(text, is_last, segment) : read_parts(text, segment);
    if (added) path_.segments.push_back(std::move(segment));
    return added;
  }

  bool read_wildcard(std::string_view text, bool is_last, Segment& segment) {
    const std::string_view name = text.substr(1);
    if (name_length(name) != name.size()) {
      return fail(text, "a wildcard must be a whole segment", "write '*' or '*name'");
    }
    if (!is_last) {
      return fail(text, "a wildcard must be the last segment of the path",
                  "write ':name' for one segment");
    }
    segment.kind = Segment::Kind::wildcard;
    segment.text = name.empty() ? text : name;
    return add_name(name.empty() ? text : name);
  }

  bool read_parts(std::string_view text, Segment& segment) {
    while (!text.empty()) {
      const bool read = text.front() == ':' ? read_parameter(text, segment.parts)
                                            : read_literal(text, segment.parts);
      if (!read) return false;
    }
    if (segment.parts.size() > 1) {
      segment.kind = Segment::Kind::pattern;
    } else {
      segment.kind =
          segment.parts.front().is_parameter ? Segment::Kind::parameter : Segment::Kind::literal;
      segment.text = std::move(segment.parts.front().text);
      segment.written = std::move(segment.parts.front().written);
      segment.parts.clear();
    }
    return true;
  }

  bool read_parameter(std::string_view& text, std::vector<SegmentPart>& parts) {
    const std::string_view name = text.substr(1, name_length(text.substr(1)));
    const std::string_view parameter = text.substr(0, name.size() + 1);
    if (name.empty()) return fail(parameter, "a parameter has no name", "write ':name'");
    if (!parts.empty() && parts.back().is_parameter) {
      return fail(
          parameter,
          fmt::format("there is no literal between ':{}' and '{}'", parts.back().text, parameter),
          fmt::format("put a literal between them: ':{}-{}'", parts.back().text, parameter));
    }
    text.remove_prefix(parameter.size());
    if (!text.empty() && (text.front() == '?' || text.front() == '(')) {
      return fail(text.substr(0, 1),
                  text.front() == '?' ? "a path cannot have optional parameters"
                                      : "a path cannot have regular expressions",
                  text.front() == '?' ? "register both paths"
                                      : "constrain the parameter in 'validate.param'");
    }
    if (!add_name(name)) return false;
    parts.push_back({true, std::string(name)});
    return true;
  }

  bool read_literal(std::string_view& text, std::vector<SegmentPart>& parts) {
    const auto length = static_cast<std::size_t>(
        std::ranges::find_if_not(text, is_literal_character) - text.begin());
    if (length == 0) return fail_at_character(text);
    parts.push_back(
        {false, base::lower_case(text.substr(0, length)), std::string(text.substr(0, length))});
    text.remove_prefix(length);
    return true;
  }

  bool fail_at_character(std::string_view text) {
    const char c = text.front();
    if (c == '*') {
      return fail(text.substr(0, 1), "a wildcard must be a whole segment",
                  "write '/*' or '/*name'");
    }
    if (c == '{') {
      const std::string_view name = text.substr(1, name_length(text.substr(1)));
      return fail(text.substr(0, 1), "a path cannot have the character '{'",
                  fmt::format("write ':{}' for a parameter", name.empty() ? "name" : name));
    }
    if (c == '?' || c == '#') {
      return fail(text.substr(0, 1), fmt::format("a path cannot have the character '{}'", c),
                  c == '?' ? "declare the query in 'validate.query'" : "remove the fragment");
    }
    if (static_cast<unsigned char>(c) >= 0x80) {
      std::size_t length = 1;
      while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
        ++length;
      }
      return fail(text.substr(0, length),
                  fmt::format("a path cannot have the character '{}'", text.substr(0, length)),
                  "use ASCII in static segments; a parameter takes any text");
    }
    if (c == ' ') return fail(text.substr(0, 1), "a path must not contain spaces");
    if (c < ' ' || c == 0x7F) {
      return fail(text.substr(0, 1),
                  fmt::format("a path cannot have the control character {:#04x}", c));
    }
    return fail(text.substr(0, 1), fmt::format("a path cannot have the character '{}'", c));
  }

  bool add_name(std::string_view name) {
    if (std::ranges::find(path_.names, name) != path_.names.end()) {
      return fail(name, fmt::format("the parameter '{}' is declared twice", name),
                  "give each parameter another name");
    }
    if (path_.names.size() == kMaxParameters) {
      return fail(name,
                  fmt::format("a path must not have more than {} parameters", kMaxParameters));
    }
    path_.names.emplace_back(name);
    return true;
  }

  std::string_view whole_;
  RoutePath path_;
  PathError error_;
};

}  // namespace

std::variant<RoutePath, PathError> parse_route_path(std::string_view path) {
  return RoutePathParser(path).parse();
}

std::string RoutePath::shape() const {
  std::string result;
  for (const Segment& segment : segments) {
    result += '/';
    switch (segment.kind) {
      case Segment::Kind::literal:
        result += segment.text;
        break;
      case Segment::Kind::parameter:
        result += ':';
        break;
      case Segment::Kind::wildcard:
        result += '*';
        break;
      case Segment::Kind::pattern:
        for (const SegmentPart& part : segment.parts) result += part.is_parameter ? ":" : part.text;
        break;
    }
  }
  return result.empty() ? "/" : result;
}

std::string join_route_paths(std::string_view prefix, std::string_view subpath) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  while (subpath.ends_with('/')) subpath.remove_suffix(1);
  std::string path(prefix);
  if (!subpath.empty() && subpath.front() != '/') path += '/';
  path += subpath;
  return path.empty() ? "/" : path;
}

}  // namespace fw::schema
