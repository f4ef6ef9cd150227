// `anyOf` and `oneOf`: alternatives are matched by their names and content, not by their order.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diff/schema_comparison.hpp"

namespace fairway::diff {
namespace {

/// One alternative, and the properties by which it is matched.
struct Branch {
  const Conjunction* schema = nullptr;
  Schema read;
  std::string name;  ///< the name of its component, or its title
  bool is_taken = false;

  Node node() const { return first_part(*schema); }
  std::string label() const { return name.empty() ? read.type_text() : '\'' + name + '\''; }
  std::string step() const {
    std::string text = name.empty() ? read.type_text() : name;
    std::erase(text, '\'');
    return '<' + text + '>';
  }
};

std::string name_of(const Conjunction& schema) {
  if (schema.empty()) return {};
  if (const Node reference = schema[0].member("$ref"); reference && reference.value->is_string()) {
    const auto& text = reference.value->get_ref<const std::string&>();
    return text.substr(text.rfind('/') + 1);
  }
  const Node title = schema[0].member("title");
  return title && title.value->is_string() ? title.value->get<std::string>() : std::string();
}

std::vector<Branch> read_branches(const Document& document, const Union& alternatives) {
  std::vector<Branch> branches;
  for (const Conjunction& schema : alternatives.branches) {
    branches.push_back({&schema, read_schema(document, schema), name_of(schema)});
  }
  return branches;
}

/// The only value that a schema allows: 'cat' in `kind: 'cat'`.
std::optional<Json> only_value(const Schema& schema) {
  if (schema.constant) return *schema.constant.value;
  if (schema.values && schema.values->size() == 1) return schema.values->front();
  return std::nullopt;
}

constexpr int kNoMatch = 0;

class Matching {
 public:
  explicit Matching(const Documents& documents) : documents_(documents) {}

  /// The similarity of two alternatives.
  int score(const Branch& before, const Branch& after) const {
    if (const Node old_node = before.node(), new_node = after.node();
        old_node && new_node && same_value(*old_node.value, *new_node.value)) {
      return 1000;
    }
    if (!before.name.empty() && before.name == after.name) return 900;
    if ((before.read.types & after.read.types) == 0) return kNoMatch;
    int common = 0;
    int distinct = 0;
    for (const Member& member : before.read.members) {
      const Member* other = after.read.find_member(member.name);
      if (!other) {
        ++distinct;
        continue;
      }
      const auto old_value = only_value(read_schema(documents_.before, member.schema));
      const auto new_value = only_value(read_schema(documents_.after, other->schema));
      if (old_value && new_value) {
        if (!same_value(*old_value, *new_value)) return kNoMatch;
        return 800;
      }
      ++common;
      if (old_value.has_value() != new_value.has_value()) ++distinct;
    }
    if (!before.read.members.empty() && !after.read.members.empty() && common == 0) return kNoMatch;
    const int same_types = before.read.types == after.read.types ? 100 : 0;
    return std::max(1, 10 + same_types + 10 * common - distinct);
  }

 private:
  const Documents& documents_;
};

bool is_union_alone(Schema schema) {
  if (schema.unions.size() != 1) return false;
  schema.unions.clear();
  return schema.accepts_all_but_null();
}

/// Whether types, values and members show that no value except null is valid for both.
bool are_disjoint(const Document& document, const Schema& one, const Schema& other,
                  bool null_counts, int depth = 0) {
  if (null_counts && one.nullable && other.nullable) return false;
  const unsigned common = one.types & other.types;
  if (common == 0) return true;
  if (one.values && other.values) {
    return std::ranges::none_of(*one.values, [&](const Json& value) {
      return std::ranges::any_of(*other.values,
                                 [&](const Json& second) { return same_value(value, second); });
    });
  }
  constexpr int kLevels = 3;
  if (common != kObject || depth == kLevels) return false;
  const auto is_rejected = [&](const std::string& name, const Schema& schema) {
    return schema.forbids_more && !schema.find_member(name) &&
           !schema.has_constraint("patternProperties");
  };
  const auto decides = [&](const std::string& name) {
    if (is_rejected(name, one) || is_rejected(name, other)) return true;
    const Member* first = one.find_member(name);
    const Member* second = other.find_member(name);
    return first && second &&
           are_disjoint(document, read_schema(document, first->schema),
                        read_schema(document, second->schema), true, depth + 1);
  };
  // A required member whose schemas are disjoint, or that the other object forbids.
  return std::ranges::any_of(one.required,
                             [&](const auto& entry) {
                               return other.required.contains(entry.first)
                                          ? decides(entry.first)
                                          : is_rejected(entry.first, other);
                             }) ||
         std::ranges::any_of(other.required,
                             [&](const auto& entry) { return is_rejected(entry.first, one); });
}

/// The name of the component to which a discriminator value leads.
std::string component_of(const Json& target) {
  if (!target.is_string()) return {};
  const auto& text = target.get_ref<const std::string&>();
  return text.substr(text.rfind('/') + 1);
}

/// Whether a component has this name, which is its discriminator value without a mapping.
bool is_component_name(std::string_view value, const Json& target) {
  return target.is_string() && component_of(target) == value;
}

/// `alternatives`: of the new document; null if it has no choice or several.
void compare_discriminators(SchemaComparison& c, const SchemaPair& pair, const Node& before,
                            const Node& after, const Union* alternatives) {
  const auto is_alternative = [&](const Json& target) {
    return alternatives == nullptr ||
           std::ranges::any_of(alternatives->branches, [&](const Conjunction& each) {
             return name_of(each) == component_of(target);
           });
  };
  const auto name_of_member = [](const Node& discriminator) {
    const Node name = discriminator.member("propertyName");
    return name ? value_text(*name.value) : std::string();
  };
  const std::string old_name = name_of_member(before);
  const std::string new_name = name_of_member(after);
  if (old_name != new_name) {
    c.add_at("discriminator-changed", pair.location, before ? before : pair.old_node,
             after ? after : pair.new_node,
             old_name.empty()   ? fmt::format("discriminator {} was added", new_name)
             : new_name.empty() ? fmt::format("discriminator {} was removed", old_name)
                                : fmt::format("discriminator {} became {}", old_name, new_name));
    return;
  }
  const Json none = Json::object();
  const auto mapping_of = [&](const Node& discriminator) {
    const Node mapping = discriminator.member("mapping");
    return mapping && mapping.value->is_object() ? mapping : Node{&none, discriminator.pointer};
  };
  const Node old_mapping = mapping_of(before);
  const Node new_mapping = mapping_of(after);
  for (const auto& [value, target] : old_mapping.value->items()) {
    const Node other = new_mapping.member(value);
    if (other ? same_value(target, *other.value) : is_component_name(value, target)) continue;
    // The value goes with its alternative.
    const bool is_removed = !other && !is_alternative(target);
    c.add_at(is_removed ? "alternative-removed" : "discriminator-changed", pair.location,
             old_mapping.member(value), other,
             other ? fmt::format("discriminator value '{}' for {} became one for {}", value,
                                 value_text(target), value_text(*other.value))
                   : fmt::format("discriminator value '{}' was removed", value));
  }
  for (const auto& [value, target] : new_mapping.value->items()) {
    if (old_mapping.member(value) || is_component_name(value, target)) continue;
    c.add_at("alternative-added", pair.location, {}, new_mapping.member(value),
             fmt::format("discriminator value '{}' was added", value));
  }
}

bool overlaps(const Document& document, const Union& alternatives) {
  // With a discriminator, a value belongs to exactly one alternative.
  if (alternatives.discriminator) return false;
  const std::vector<Branch> branches = read_branches(document, alternatives);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!are_disjoint(document, branches[i].read, branches[j].read, false)) return true;
    }
  }
  return false;
}

void compare_overlap(SchemaComparison& c, const SchemaPair& pair, const Union& before,
                     const Union& after, bool is_changed) {
  if (!is_changed && before.is_exclusive == after.is_exclusive) return;
  const bool did_exclude = before.is_exclusive && overlaps(c.documents().before, before);
  const bool excludes = after.is_exclusive && overlaps(c.documents().after, after);
  if (!did_exclude && !excludes) return;
  const auto message = [&]() -> std::string {
    if (did_exclude && excludes) return "overlapping alternatives of 'oneOf' changed";
    return did_exclude ? "values that match several alternatives became valid"
                       : "values that match several alternatives became invalid";
  };
  c.add_at(did_exclude && excludes ? "constraint-changed"
           : excludes              ? "constraint-added"
                                   : "constraint-removed",
           pair.location, before.node, after.node, message());
}

/// The member `code` of a body of an error; null for other schemas.
const Member* code_member(const Branch& branch) {
  return branch.read.find_member("message") ? branch.read.find_member("code") : nullptr;
}

/// The code of a body that only errors with this code have: see docs/errors.md.
std::optional<Json> error_code(const Document& document, const Branch& branch) {
  const Member* code = code_member(branch);
  return code ? only_value(read_schema(document, code->schema)) : std::nullopt;
}

/// Whether one of the alternatives is the body of errors with any code.
bool allows_any_code(const Document& document, const std::vector<Branch>& branches) {
  return std::ranges::any_of(branches, [&](const Branch& branch) {
    const Member* code = code_member(branch);
    return code && !read_schema(document, code->schema).values;
  });
}

/// Codes of errors that were added or removed are no other values than before if any code is
/// possible. Takes their alternatives.
void compare_error_codes(SchemaComparison& c, const SchemaPair& pair,
                         std::vector<Branch>& old_branches, std::vector<Branch>& new_branches) {
  const auto& [before, after] = c.documents();
  if (c.direction() != Direction::response || !allows_any_code(before, old_branches) ||
      !allows_any_code(after, new_branches)) {
    return;
  }
  const auto take = [](const Document& document, std::vector<Branch>& branches,
                       std::vector<Json>& codes) {
    std::vector<Node> nodes;
    for (Branch& branch : branches) {
      const auto code = branch.is_taken ? std::nullopt : error_code(document, branch);
      if (!code) continue;
      branch.is_taken = true;
      codes.push_back(*code);
      nodes.push_back(branch.node());
    }
    return nodes;
  };
  std::vector<Json> old_codes;
  std::vector<Json> new_codes;
  const std::vector<Node> old_nodes = take(before, old_branches, old_codes);
  const std::vector<Node> new_nodes = take(after, new_branches, new_codes);
  for (std::size_t i = 0; i < old_codes.size(); ++i) {
    const std::string code = value_text(old_codes[i]);
    if (new_codes.empty()) {
      c.add_at("error-code-removed", pair.location, old_nodes[i], {},
               fmt::format("error code {} was removed", code));
    } else {
      c.add_at(
          "error-code-replaced", pair.location, old_nodes[i], {},
          fmt::format("error code {} was removed, and {} was added", code, list_text(new_codes)));
    }
  }
  for (std::size_t i = 0; i < new_codes.size() && old_codes.empty(); ++i) {
    c.add_at("error-code-added", pair.location, {}, new_nodes[i],
             fmt::format("error code {} was added", value_text(new_codes[i])));
  }
}

void compare_branches(SchemaComparison& c, const SchemaPair& pair, const Union& before,
                      const Union& after) {
  compare_discriminators(c, pair, before.discriminator, after.discriminator, &after);
  std::vector<Branch> old_branches = read_branches(c.documents().before, before);
  std::vector<Branch> new_branches = read_branches(c.documents().after, after);
  const Matching matching(c.documents());
  struct Candidate {
    int score;
    Branch* before;
    Branch* after;
  };
  std::vector<Candidate> candidates;
  for (Branch& old_branch : old_branches) {
    for (Branch& new_branch : new_branches) {
      const int score = matching.score(old_branch, new_branch);
      if (score != kNoMatch) candidates.push_back({score, &old_branch, &new_branch});
    }
  }
  std::ranges::stable_sort(candidates, std::greater(), &Candidate::score);
  bool is_changed = false;
  for (const Candidate& candidate : candidates) {
    if (candidate.before->is_taken || candidate.after->is_taken) continue;
    candidate.before->is_taken = candidate.after->is_taken = true;
    c.compare(*candidate.before->schema, *candidate.after->schema,
              pair.location.step(candidate.after->step()), Null::is_ignored);
    is_changed = is_changed || !c.same_schema(*candidate.before->schema, *candidate.after->schema,
                                              Null::is_ignored);
  }
  compare_error_codes(c, pair, old_branches, new_branches);
  for (const Branch& branch : old_branches) {
    if (branch.is_taken) continue;
    is_changed = true;
    c.add_at("alternative-removed", pair.location, branch.node(), {},
             fmt::format("alternative {} was removed", branch.label()));
  }
  for (const Branch& branch : new_branches) {
    if (branch.is_taken) continue;
    is_changed = true;
    c.add_at("alternative-added", pair.location, {}, branch.node(),
             fmt::format("alternative {} was added", branch.label()));
  }
  compare_overlap(c, pair, before, after, is_changed);
}

}  // namespace

bool compare_unions(SchemaComparison& c, const SchemaPair& pair) {
  const auto& before = pair.before.unions;
  const auto& after = pair.after.unions;
  // A single schema became one of several alternatives, or the reverse.
  const bool was_single = before.empty() && is_union_alone(pair.after);
  const bool is_single = after.empty() && is_union_alone(pair.before);
  if (was_single || is_single) {
    const Schema& single = was_single ? pair.before : pair.after;
    if (single.accepts_all_but_null() && (single.nullable || pair.null == Null::is_ignored)) {
      const Union& choice = was_single ? after[0] : before[0];
      const std::string alternatives =
          fmt::format("one of {} alternatives", choice.branches.size());
      c.add(was_single ? "type-narrowed" : "type-widened", pair,
            was_single ? fmt::format("any value became {}", alternatives)
                       : fmt::format("{} became any value", alternatives));
      return false;
    }
    const Node& node = was_single ? pair.old_node : pair.new_node;
    const Union only{node, {single.parts}, single.discriminator};
    compare_null(c, pair);
    compare_branches(c, pair, was_single ? only : before[0], was_single ? after[0] : only);
    return false;
  }
  compare_discriminators(c, pair, pair.before.discriminator, pair.after.discriminator,
                         after.size() == 1 ? &after.front() : nullptr);
  const std::size_t common = std::min(before.size(), after.size());
  for (std::size_t i = 0; i < common; ++i) compare_branches(c, pair, before[i], after[i]);
  for (std::size_t i = common; i < after.size(); ++i) {
    c.add_at("constraint-added", pair.location, pair.old_node, after[i].node,
             fmt::format("a choice of {} alternatives was added", after[i].branches.size()));
  }
  for (std::size_t i = common; i < before.size(); ++i) {
    c.add_at("constraint-removed", pair.location, before[i].node, {},
             fmt::format("a choice of {} alternatives was removed", before[i].branches.size()));
  }
  return true;
}

}  // namespace fairway::diff
