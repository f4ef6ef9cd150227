#include "routing/matcher.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/methods.hpp"
#include "base/url_encoding.hpp"
#include "base/utf8.hpp"

namespace fw::routing {
namespace {

using base::kMethods;
static_assert(kMethods[0] == "GET" && kMethods[1] == "HEAD" && kMethods[6] == "OPTIONS");
constexpr std::size_t kGet = 0;
constexpr std::size_t kHead = 1;
constexpr std::size_t kOptions = 6;

constexpr std::size_t kMaxParameterLength = 500;  // code points

std::size_t method_index(std::string_view method) {
  return static_cast<std::size_t>(std::find(kMethods.begin(), kMethods.end(), method) -
                                  kMethods.begin());
}

bool same_shape(const std::vector<schema::SegmentPart>& a,
                const std::vector<schema::SegmentPart>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const schema::SegmentPart& x, const schema::SegmentPart& y) {
                      return x.is_parameter == y.is_parameter &&
                             (x.is_parameter || x.text == y.text);
                    });
}

std::size_t literal_length(const std::vector<schema::SegmentPart>& parts) {
  std::size_t length = 0;
  for (const schema::SegmentPart& part : parts) length += part.is_parameter ? 0 : part.text.size();
  return length;
}

}  // namespace

int Matcher::compare(std::string_view literal, std::string_view text) const {
  if (literal.size() != text.size()) return literal.size() < text.size() ? -1 : 1;
  if (case_ == Case::sensitive) return literal.compare(text);
  if (text.empty()) return 0;
  // Most literals differ in their first letter.
  if (const char first = base::to_lower(text.front()); literal.front() != first) {
    return literal.front() < first ? -1 : 1;
  }
  if (base::equal_ignoring_case(literal, text)) return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = base::to_lower(text[i]);
    if (literal[i] != c) return literal[i] < c ? -1 : 1;
  }
  return 0;
}

bool Matcher::starts_with(std::string_view text, std::string_view literal) const {
  return text.size() >= literal.size() && compare(literal, text.substr(0, literal.size())) == 0;
}

const std::string& Matcher::literal_text(const schema::Segment& segment) const {
  return case_ == Case::sensitive ? segment.written : segment.text;
}

bool Matcher::Leaf::empty() const {
  return std::all_of(indexes.begin(), indexes.end(),
                     [](std::size_t index) { return index == kNone; });
}

/// The child for a segment of a path; `kNoNode` if there is none.
std::uint32_t Matcher::find_literal(const Node& node, std::string_view segment) const {
  std::size_t begin = 0;
  std::size_t end = node.literals.size();
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    const int order = compare(node.literals[middle].text, segment);
    if (order == 0) return node.literals[middle].node;
    if (order < 0) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return kNoNode;
}

std::uint32_t Matcher::add_node() {
  nodes_.emplace_back();
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t Matcher::child(std::uint32_t node, const schema::Segment& segment) {
  if (segment.kind == schema::Segment::Kind::parameter) {
    if (nodes_[node].parameter == kNoNode) {
      const std::uint32_t added = add_node();
      nodes_[node].parameter = added;
    }
    return nodes_[node].parameter;
  }
  if (segment.kind == schema::Segment::Kind::pattern) {
    std::vector<schema::SegmentPart> parts = segment.parts;
    if (case_ == Case::sensitive) {
      for (schema::SegmentPart& part : parts) {
        if (!part.is_parameter) part.text = part.written;
      }
    }
    for (const PatternChild& known : nodes_[node].patterns) {
      if (same_shape(known.parts, parts)) return known.node;
    }
    const std::uint32_t added = add_node();
    auto& patterns = nodes_[node].patterns;
    patterns.push_back({std::move(parts), added});
    std::stable_sort(patterns.begin(), patterns.end(),
                     [](const PatternChild& a, const PatternChild& b) {
                       return literal_length(a.parts) > literal_length(b.parts);
                     });
    return added;
  }
  const std::string& text = literal_text(segment);
  const auto position = [&](std::vector<LiteralChild>& literals) {
    return std::lower_bound(literals.begin(), literals.end(), text,
                            [&](const LiteralChild& item, const std::string& wanted) {
                              return compare(item.text, wanted) < 0;
                            });
  };
  const auto known = position(nodes_[node].literals);
  if (known != nodes_[node].literals.end() && known->text == text) return known->node;
  const std::uint32_t added = add_node();
  auto& literals = nodes_[node].literals;
  literals.insert(position(literals), {text, added});
  return added;
}

std::optional<std::size_t> Matcher::add(std::string_view method, const schema::RoutePath& path,
                                        std::size_t index) {
  std::uint32_t node = 0;
  Leaf* leaf = nullptr;
  for (const schema::Segment& segment : path.segments) {
    if (segment.kind == schema::Segment::Kind::wildcard) {
      leaf = &nodes_[node].wildcard;
    } else {
      node = child(node, segment);
    }
  }
  if (leaf == nullptr) leaf = &nodes_[node].leaf;
  std::size_t& slot = leaf->indexes.at(method_index(method));
  if (slot != kNone) return slot;
  slot = index;
  if (names_.size() <= index) names_.resize(index + 1);
  names_[index].names = path.names;
  names_[index].ends_in_wildcard =
      !path.segments.empty() && path.segments.back().kind == schema::Segment::Kind::wildcard;
  return std::nullopt;
}

bool Matcher::match_pattern(const std::vector<schema::SegmentPart>& parts, std::string_view text,
                            Captures& captures) const {
  std::size_t part = 0;
  if (!parts[0].is_parameter) {
    if (!starts_with(text, parts[0].text)) return false;
    text.remove_prefix(parts[0].text.size());
    part = 1;
  }
  // Literals and parameters alternate. Matching each inner literal at its first occurrence and the
  // last one at the end finds a match if there is one, in linear time.
  for (; part < parts.size(); part += 2) {
    if (text.empty()) return false;
    if (part + 1 == parts.size()) {
      captures.add(text);
      return true;
    }
    const std::string& literal = parts[part + 1].text;
    std::size_t length = 1;
    if (part + 2 == parts.size()) {
      if (text.size() <= literal.size()) return false;
      length = text.size() - literal.size();
      if (!starts_with(text.substr(length), literal)) return false;
    } else {
      while (length < text.size() && !starts_with(text.substr(length), literal)) ++length;
      if (length >= text.size()) return false;
    }
    captures.add(text.substr(0, length));
    text.remove_prefix(length + literal.size());
  }
  return text.empty();
}

/// A search. Visits the leaves that match a path, in order of precedence, until one is accepted.
struct Matcher::Walk {
  explicit Walk(const Matcher& of) : matcher(of) { captures.count = 0; }

  const Matcher& matcher;
  Captures captures;

  /// `rest` is empty or begins with a slash. `take(leaf)` returns true to end the search. No route
  /// matches an empty segment.
  template <class Take>
  bool run(std::uint32_t at, std::string_view rest, const Take& take) {
    const Node& node = matcher.nodes_[at];
    if (rest.empty()) {
      if (take(node.leaf)) return true;
    } else {
      const std::string_view segment = rest.substr(1, rest.find('/', 1) - 1);
      if (segment.empty()) return false;
      const std::string_view next = rest.substr(1 + segment.size());
      const std::uint32_t literal = matcher.find_literal(node, segment);
      if (literal != kNoNode && run(literal, next, take)) return true;
      const std::size_t count = captures.count;
      for (const PatternChild& pattern : node.patterns) {
        if (matcher.match_pattern(pattern.parts, segment, captures) &&
            run(pattern.node, next, take)) {
          return true;
        }
        captures.count = count;
      }
      if (node.parameter != kNoNode) {
        captures.add(segment);
        if (run(node.parameter, next, take)) return true;
        captures.count = count;
      }
    }
    if (!node.wildcard.empty() && rest.find("//") == std::string_view::npos) {
      captures.add(rest.empty() ? rest : rest.substr(1));
      if (take(node.wildcard)) return true;
      --captures.count;
    }
    return false;
  }
};

void Matcher::fill_params(Match& match, const Captures& captures) const {
  const RouteNames& route = names_[match.index];
  for (std::size_t i = 0; i < captures.count; ++i) {
    auto value = base::decode_path(captures[i]);
    const bool is_wildcard = route.ends_in_wildcard && i + 1 == captures.count;
    if (!value || (!is_wildcard && value->size() > kMaxParameterLength &&
                   base::count_code_points(*value).count > kMaxParameterLength)) {
      match = Match();
      return;
    }
    match.params.set(route.names[i], std::move(*value));
  }
}

Matcher::Match Matcher::find(std::string_view method, std::string_view path) const {
  Match match;
  if (!path.starts_with('/')) return match;
  while (path.ends_with('/')) path.remove_suffix(1);

  const auto search = [&](std::size_t wanted) {
    Walk walk(*this);
    const auto take = [&](const Leaf& leaf) {
      match.index = leaf.indexes[wanted];
      return match.index != kNone;
    };
    if (!walk.run(0, path, take)) return false;
    fill_params(match, walk.captures);
    return true;
  };
  const std::size_t wanted = method_index(method);
  if (wanted < kMethodCount && search(wanted)) return match;
  if (wanted == kHead && search(kGet)) return match;

  std::array<bool, kMethodCount> known{};
  Walk walk(*this);
  walk.run(0, path, [&](const Leaf& leaf) {
    for (std::size_t i = 0; i < kMethodCount; ++i) {
      if (leaf.indexes[i] != kNone) known[i] = true;
    }
    return false;
  });
  if (std::find(known.begin(), known.end(), true) == known.end()) return match;
  known[kHead] = known[kHead] || known[kGet];
  known[kOptions] = true;
  for (std::size_t i = 0; i < kMethodCount; ++i) {
    if (!known[i]) continue;
    if (!match.allow.empty()) match.allow += ", ";
    match.allow += kMethods[i];
  }
  return match;
}

}  // namespace fw::routing
