#include "templates/template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.hpp"

namespace fw::templates {
namespace {

constexpr std::size_t kMaxNested = 64;
constexpr std::string_view kBlanks = " \t";

bool is_name_character(char c) {
  return base::is_alphanumeric(c) || c == '_' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

/// The parts of a dotted name; nothing if it is not one.
std::optional<std::vector<std::string>> path_of(std::string_view name) {
  std::vector<std::string> path;
  if (name == ".") return path;
  bool is_valid = true;
  base::for_each_token(name, '.', [&](std::string_view part) {
    is_valid = is_valid && !part.empty() && std::ranges::all_of(part, is_name_character);
    path.emplace_back(part);
  });
  if (!is_valid) return std::nullopt;
  return path;
}

bool is_template_name(std::string_view name) {
  bool is_valid = true;
  base::for_each_token(name, '/', [&](std::string_view part) {
    is_valid = is_valid && !part.empty() && std::ranges::all_of(part, is_name_character);
  });
  return is_valid;
}

class Parser {
 public:
  Parser(const Template& file, std::vector<Error>& errors)
      : name_(file.name), source_(file.source), errors_(errors) {
    open_.push_back({.closes = {}, .span = {}, .nodes = {}});
  }

  std::vector<Node> run() {
    while (at_ < source_.size()) {
      const std::size_t tag = source_.find(left_, at_);
      if (tag == std::string_view::npos) break;
      if (!read_tag(tag)) return take();
    }
    add_text(at_, source_.size());
    return take();
  }

 private:
  /// A section, parent or block that is not closed yet.
  struct Open {
    std::string closes;  ///< the name in its closing tag
    Span span;
    std::vector<Node> nodes;
  };

  struct Tag {
    char kind = 0;  ///< '#', '^', '/', '>', '<', '$', '!', '=', '&', '{', or 0 for a value
    std::string_view content;
    Span span;
  };

  std::vector<Node>& nodes() { return open_.back().nodes; }

  void report(Span span, std::string message, std::string help = {}) {
    errors_.push_back({ErrorKind::syntax, name_, span, std::move(message), std::move(help)});
  }

  void add_text(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    nodes().push_back({.kind = Node::Kind::text,
                       .text = std::string(source_.substr(begin, end - begin)),
                       .span = {begin, end - begin}});
  }

  /// Returns false if the rest of the template cannot be read.
  bool read_tag(std::size_t begin) {
    Tag tag;
    std::size_t content = begin + left_.size();
    std::string end = right_;
    if (content < source_.size() &&
        std::string_view("#^/><$!=&{").find(source_[content]) != std::string_view::npos) {
      tag.kind = source_[content++];
      if (tag.kind == '{') end.insert(0, "}");
      if (tag.kind == '=') end.insert(0, "=");
    }
    const std::size_t close = source_.find(end, content);
    if (close == std::string_view::npos) {
      const std::size_t line_end = std::min(source_.find('\n', begin), source_.size());
      report({begin, line_end - begin}, fmt::format("the tag '{}' is not closed", left_),
             fmt::format("close it with '{}'", end));
      return false;
    }
    tag.content = base::trim_whitespace(source_.substr(content, close - content));
    const std::size_t after = close + end.size();
    tag.span = {begin, after - begin};
    add_text_before(tag, after);
    return add(tag);
  }

  /// Tags that print nothing and are alone on their line remove the line.
  void add_text_before(const Tag& tag, std::size_t after) {
    const std::size_t begin = tag.span.offset;
    std::size_t line = begin;
    while (line > at_ && kBlanks.find(source_[line - 1]) != std::string_view::npos) --line;
    const bool begins_line = line == 0 || source_[line - 1] == '\n';
    std::size_t end = std::min(source_.find_first_not_of(kBlanks, after), source_.size());
    if (source_.substr(end).starts_with("\r\n")) ++end;
    const bool ends_line = end == source_.size() || source_[end] == '\n';
    const bool prints = tag.kind == 0 || tag.kind == '&' || tag.kind == '{';
    const bool is_alone = !prints && begins_line && ends_line;
    add_text(at_, is_alone ? line : begin);
    at_ = is_alone ? std::min(end + 1, source_.size()) : after;
  }

  bool add(const Tag& tag) {
    switch (tag.kind) {
      case '!':
        return true;
      case '=':
        return set_delimiters(tag);
      case '/':
        return close(tag);
      case '#':
      case '^':
        return open(tag, tag.kind == '#' ? Node::Kind::section : Node::Kind::inverted);
      case '<':
        return open(tag, Node::Kind::parent);
      case '$':
        return open(tag, Node::Kind::block);
      case '>':
        if (require_template_name(tag)) {
          nodes().push_back(
              {.kind = Node::Kind::partial, .text = std::string(tag.content), .span = tag.span});
        }
        return true;
      default:
        break;
    }
    if (auto path = required_path(tag)) {
      nodes().push_back({.kind = Node::Kind::value,
                         .text = std::string(tag.content),
                         .path = std::move(*path),
                         .is_raw = tag.kind != 0,
                         .span = tag.span});
    }
    return true;
  }

  std::optional<std::vector<std::string>> required_path(const Tag& tag) {
    auto path = path_of(tag.content);
    if (!path) {
      report(tag.span,
             tag.content.empty() ? std::string("the tag has no name")
                                 : fmt::format("'{}' is not a name", tag.content),
             "names consist of letters, digits, '_' and '-', with dots between the names of "
             "members");
    }
    return path;
  }

  bool require_template_name(const Tag& tag) {
    if (is_template_name(tag.content)) return true;
    report(tag.span,
           tag.content.empty() ? std::string("the tag has no name")
                               : fmt::format("'{}' is not the name of a template", tag.content),
           "write the path below the directory of the pages, without '.html'");
    return false;
  }

  bool open(const Tag& tag, Node::Kind kind) {
    if (open_.size() > kMaxNested) {
      report(tag.span, fmt::format("more than {} nested sections", kMaxNested));
      return false;
    }
    Node node{.kind = kind, .text = std::string(tag.content), .span = tag.span};
    if (kind == Node::Kind::parent) {
      if (!require_template_name(tag)) return false;
    } else if (auto path = required_path(tag)) {
      node.path = std::move(*path);
    } else {
      return false;
    }
    Open opened{.closes = node.text, .span = tag.span, .nodes = {}};
    nodes().push_back(std::move(node));
    open_.push_back(std::move(opened));
    return true;
  }

  bool close(const Tag& tag) {
    if (open_.size() == 1) {
      report(tag.span, fmt::format("'{{{{/{}}}}}' closes nothing", tag.content));
      return false;
    }
    if (open_.back().closes != tag.content) {
      const std::string& expected = open_.back().closes;
      report(tag.span, fmt::format("'{{{{/{}}}}}' does not close '{}'", tag.content, expected),
             fmt::format("write '{{{{/{}}}}}'; the section begins on line {}", expected,
                         line_column(source_, open_.back().span.offset).line));
      return false;
    }
    end_section();
    return true;
  }

  void end_section() {
    std::vector<Node> children = std::move(open_.back().nodes);
    open_.pop_back();
    nodes().back().children = std::move(children);
  }

  bool set_delimiters(const Tag& tag) {
    const std::size_t blank = tag.content.find_first_of(" \t\r\n");
    const std::string_view left = tag.content.substr(0, blank);
    const std::string_view right =
        blank == std::string_view::npos ? "" : base::trim_whitespace(tag.content.substr(blank));
    if (left.empty() || right.empty() ||
        right.find_first_of(" \t\r\n=") != std::string_view::npos ||
        left.find('=') != std::string_view::npos) {
      report(tag.span, "the tag must set two delimiters",
             "write them with a space between, for example '{{=<% %>=}}'");
      return false;
    }
    left_ = left;
    right_ = right;
    return true;
  }

  std::vector<Node> take() {
    const bool is_complete =
        std::ranges::none_of(errors_, [&](const Error& each) { return each.name == name_; });
    if (open_.size() > 1 && is_complete) {
      const Open& last = open_.back();
      report(last.span, fmt::format("the section '{}' is not closed", last.closes),
             fmt::format("write '{{{{/{}}}}}' after it", last.closes));
    }
    while (open_.size() > 1) end_section();
    return std::move(nodes());
  }

  const std::string& name_;
  std::string_view source_;
  std::vector<Error>& errors_;
  std::string left_ = "{{";
  std::string right_ = "}}";
  std::size_t at_ = 0;  ///< the first byte that is not in a node
  std::vector<Open> open_;
};

}  // namespace

Template parse_template(std::string name, std::string source, std::vector<Error>& errors) {
  Template file{.name = std::move(name), .source = std::move(source), .nodes = {}};
  file.nodes = Parser(file, errors).run();
  return file;
}

LineColumn line_column(std::string_view source, std::size_t offset) {
  const std::string_view before = source.substr(0, offset);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return {line + 1, before.size() - begin + 1};
}

}  // namespace fw::templates
