// Finds the route of a request in a trie of path segments.
#pragma once

#include <fairway/fields.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/route_path.hpp"

namespace fw::routing {

/// Thread-safe after it has been built. Precedence in each segment: literal, pattern, parameter,
/// wildcard, with backtracking. Literals are case-insensitive by default; trailing slashes are
/// ignored.
class Matcher {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  enum class Case { ignored, sensitive };
  explicit Matcher(Case letter_case = Case::ignored) : case_(letter_case) {}

  /// Adds a route with an index of the caller. If another route matches the same requests, returns
  /// its index instead.
  std::optional<std::size_t> add(std::string_view method, const schema::RoutePath& path,
                                 std::size_t index);

  struct Match {
    std::size_t index = kNone;  ///< kNone: no route for this method
    TextMap params;             ///< decoded
    std::string allow;          ///< value of `Allow`, if the path only has routes for other methods
  };
  /// HEAD uses the GET route if there is no HEAD route. Does not allocate for routes without
  /// parameters.
  Match find(std::string_view method, std::string_view path) const;

 private:
  static constexpr std::size_t kMethodCount = 7;
  static constexpr std::size_t kMaxCaptures = 32;
  static constexpr std::uint32_t kNoNode = 0;  // the root is never a child

  struct Leaf {
    std::array<std::size_t, kMethodCount> indexes;
    Leaf() { indexes.fill(kNone); }
    bool empty() const;
  };
  struct LiteralChild {
    std::string text;
    std::uint32_t node;
  };
  struct PatternChild {
    std::vector<schema::SegmentPart> parts;
    std::uint32_t node;
  };
  struct Node {
    std::vector<LiteralChild> literals;  // by length, then text
    std::vector<PatternChild> patterns;  // those with the most literal text first
    std::uint32_t parameter = kNoNode;
    Leaf leaf;
    Leaf wildcard;
  };
  /// Trivial, because most searches set none of them.
  struct Capture {
    const char* begin;
    std::size_t size;
  };
  struct Captures {
    std::array<Capture, kMaxCaptures> captures;
    std::size_t count;

    void add(std::string_view text) { captures[count++] = {text.data(), text.size()}; }
    std::string_view operator[](std::size_t index) const {
      return {captures[index].begin, captures[index].size};
    }
  };
  struct Walk;

  /// Compares by length first, because this decides most comparisons. `literal` is in lower case if
  /// case is ignored.
  int compare(std::string_view literal, std::string_view text) const;
  bool starts_with(std::string_view text, std::string_view literal) const;
  /// The literal in the form for comparisons.
  const std::string& literal_text(const schema::Segment& segment) const;

  std::uint32_t child(std::uint32_t node, const schema::Segment& segment);
  std::uint32_t find_literal(const Node& node, std::string_view segment) const;
  std::uint32_t add_node();
  bool match_pattern(const std::vector<schema::SegmentPart>& parts, std::string_view text,
                     Captures& captures) const;
  void fill_params(Match& match, const Captures& captures) const;

  struct RouteNames {
    std::vector<std::string> names;
    bool ends_in_wildcard = false;
  };

  Case case_;
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<RouteNames> names_;  // by index
};

}  // namespace fw::routing
