#include "schema/output_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "schema/convert.hpp"
#include "schema/output_compiler.hpp"
#include "schema/output_node.hpp"

namespace fw::schema {
namespace {

using nlohmann::json;
using Failure = std::optional<FieldError>;

bool has_type(const json& value, OutputType type) {
  switch (type) {
    case OutputType::null:
      return value.is_null();
    case OutputType::boolean:
      return value.is_boolean();
    case OutputType::integer:
      return is_whole(value);
    case OutputType::number:
      return value.is_number_integer() ||
             (value.is_number_float() && std::isfinite(value.get<double>()));
    case OutputType::string:
      return value.is_string();
    case OutputType::array:
      return value.is_array();
    case OutputType::object:
      return value.is_object();
  }
  return false;
}

bool has_some_type(const OutputNode& node, const json& value) {
  return node.types.empty() || std::any_of(node.types.begin(), node.types.end(),
                                           [&](OutputType type) { return has_type(value, type); });
}

const OutputNode* item_node(const OutputNode& node, std::size_t index) {
  return index < node.prefix.size() ? node.prefix[index] : node.items;
}

/// The schema of a member: declared by name, by pattern, or for additional members. Null if there
/// is none.
const OutputNode* member_node(const OutputNode& node, const std::string& name) {
  for (const OutputMember& member : node.members) {
    if (member.name == name) return member.node;
  }
  for (const OutputPattern& pattern : node.patterns) {
    if (pattern.pattern.matches(name)) return pattern.node;
  }
  return node.additional;
}

std::string_view type_name(const json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "not a finite number";
  return value.type_name();
}

/// Converts without loss, or returns false without a change.
bool convert(json& value, OutputType type) {
  switch (type) {
    case OutputType::string:
      if (!value.is_number() && !value.is_boolean()) return false;
      value = value.dump();
      return true;
    case OutputType::integer:
      return value.is_string() &&
             to_integer(value.get_ref<const std::string&>(), value) == Conversion::done;
    case OutputType::number:
      return value.is_string() &&
             to_number(value.get_ref<const std::string&>(), value) == Conversion::done;
    case OutputType::boolean: {
      if (!value.is_string()) return false;
      const auto truth = to_boolean(value.get_ref<const std::string&>());
      if (truth) value = *truth;
      return truth.has_value();
    }
    default:
      return false;
  }
}

std::size_t count_values(const json& value) {
  std::size_t count = 1;
  if (!value.is_structured()) return count;
  for (const json& member : value) count += count_values(member);
  return count;
}

/// Shapes one value. In all functions, `original` is the unmodified value: `value` itself, or the
/// source of a copy for an attempt. A part of it does not change before it is processed, so its
/// address is a key of the memo.
class Shaper {
 public:
  Failure apply(const OutputNode& node, json& value, const json& original) {
    if (node.is_false) return FieldError{"", "must not be present"};
    if (!node.alternatives.empty()) return apply_alternative(node, value, original);
    if (node.condition != nullptr) {
      const bool is_met = matches(*node.condition, original);
      return apply(is_met ? *node.when_true : *node.when_false, value, original);
    }
    if (Failure failure = apply_type(node, value)) return failure;
    if (value.is_object()) return apply_members(node, value, original);
    if (value.is_array()) return apply_items(node, value, original);
    return std::nullopt;
  }

 private:
  /// The number of values that attempts to convert may copy: a constant number for each value, and
  /// a minimum for small, deep values.
  static constexpr std::size_t kCopiesOfEachValue = 100;
  static constexpr std::size_t kMinCopies = 200'000;

  static Failure inside(std::string_view name, Failure failure) {
    failure->field =
        failure->field.empty() ? std::string(name) : fmt::format("{}/{}", name, failure->field);
    return failure;
  }

  /// Whether the value matches the schema without conversion. Undeclared members are ignored,
  /// because they will be removed.
  bool matches(const OutputNode& node, const json& value) {
    if (node.alternatives.empty() && node.condition == nullptr) return matches_plain(node, value);
    // The memo is only needed for schemas with alternatives, which may check the same value
    // repeatedly.
    const auto key = std::pair(&node, &value);
    if (const auto known = matches_.find(key); known != matches_.end()) return known->second;
    const bool result = matches_branching(node, value);
    matches_.emplace(key, result);
    return result;
  }

  bool matches_branching(const OutputNode& node, const json& value) {
    if (node.is_false || !has_some_type(node, value)) return false;
    if (!node.alternatives.empty()) {
      return std::any_of(node.alternatives.begin(), node.alternatives.end(),
                         [&](const OutputNode* branch) { return matches(*branch, value); });
    }
    return matches(matches(*node.condition, value) ? *node.when_true : *node.when_false, value);
  }

  bool matches_plain(const OutputNode& node, const json& value) {
    if (node.is_false || !has_some_type(node, value)) return false;
    if (node.values &&
        std::find(node.values->begin(), node.values->end(), value) == node.values->end()) {
      return false;
    }
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const OutputNode* item = item_node(node, i);
        if (item != nullptr && !matches(*item, value[i])) return false;
      }
    }
    if (value.is_object()) {
      for (const OutputMember& member : node.members) {
        if (member.required && !value.contains(member.name)) return false;
      }
      for (const auto& [name, child] : value.items()) {
        const OutputNode* member = member_node(node, name);
        if (member != nullptr && !matches(*member, child)) return false;
      }
    }
    return true;
  }

  bool accepts_null(const OutputNode& node) {
    static const json null;  // with a unique address, for the memo
    return matches(node, null);
  }

  Failure apply_alternative(const OutputNode& node, json& value, const json& original) {
    if (!node.discriminator.empty() && original.is_object()) {
      return apply_selected(node, value, original);
    }
    for (const OutputNode* branch : node.alternatives) {
      if (matches(*branch, original)) return apply(*branch, value, original);
    }
    const std::size_t size = count_values(original);
    // The first attempt has the largest value.
    if (!copies_left_) copies_left_ = kMinCopies + kCopiesOfEachValue * size;
    for (const OutputNode* branch : node.alternatives) {
      if (*copies_left_ < size) {
        return FieldError{
            "", "matches none of its alternatives, and would take too many attempts to convert"};
      }
      *copies_left_ -= size;
      json copy = original;
      if (!apply(*branch, copy, original)) {
        value = std::move(copy);
        return std::nullopt;
      }
    }
    return FieldError{"", "matches none of the declared alternatives"};
  }

  /// The alternative that the discriminator selects.
  Failure apply_selected(const OutputNode& node, json& value, const json& original) {
    const auto member = original.find(node.discriminator);
    if (member == original.end()) return FieldError{node.discriminator, "is required"};
    const auto selected = member->is_string()
                              ? node.by_discriminator.find(member->get_ref<const std::string&>())
                              : node.by_discriminator.end();
    if (selected == node.by_discriminator.end()) {
      return FieldError{node.discriminator, "selects none of the declared alternatives"};
    }
    return apply(*selected->second, value, original);
  }

  static Failure apply_type(const OutputNode& node, json& value) {
    if (has_some_type(node, value)) {
      const auto is = [&](OutputType type) {
        return std::find(node.types.begin(), node.types.end(), type) != node.types.end();
      };
      if (value.is_number_float() && is(OutputType::integer) && is_whole(value) &&
          !is(OutputType::number)) {
        static_cast<void>(to_integer(value.get<double>(), value));
      }
      return std::nullopt;
    }
    for (const OutputType type : node.types) {
      if (convert(value, type)) return std::nullopt;
    }
    std::vector<std::string_view> names;
    for (const OutputType type : node.types) {
      names.push_back(kOutputTypes[static_cast<std::size_t>(type)]);
    }
    return FieldError{
        "", fmt::format("must be {}, but is {}", fmt::join(names, " or "), type_name(value))};
  }

  Failure apply_members(const OutputNode& node, json& value, const json& original) {
    for (const OutputMember& member : node.members) {
      auto found = value.find(member.name);
      if (found != value.end() && found->is_null() && !member.required &&
          !accepts_null(*member.node)) {
        value.erase(found);
        found = value.end();
      }
      if (found == value.end()) {
        if (member.node->fallback) {
          value[member.name] = *member.node->fallback;
        } else if (member.required) {
          return FieldError{member.name, "is required"};
        }
      } else if (Failure failure = apply(*member.node, *found, original.at(member.name))) {
        return inside(member.name, std::move(failure));
      }
    }
    return apply_other_members(node, value, original);
  }

  Failure apply_other_members(const OutputNode& node, json& value, const json& original) {
    for (auto other = value.begin(); other != value.end();) {
      const bool is_declared =
          std::any_of(node.members.begin(), node.members.end(),
                      [&](const OutputMember& member) { return member.name == other.key(); });
      const OutputNode* schema = is_declared ? nullptr : member_node(node, other.key());
      if (!is_declared && schema == nullptr && node.is_closed) {
        other = value.erase(other);
        continue;
      }
      if (schema != nullptr) {
        if (Failure failure = apply(*schema, other.value(), original.at(other.key()))) {
          return inside(other.key(), std::move(failure));
        }
      }
      ++other;
    }
    return std::nullopt;
  }

  Failure apply_items(const OutputNode& node, json& value, const json& original) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const OutputNode* item = item_node(node, i);
      if (item == nullptr) continue;
      if (Failure failure = apply(*item, value[i], original[i])) {
        return inside(std::to_string(i), std::move(failure));
      }
    }
    return std::nullopt;
  }

  std::map<std::pair<const OutputNode*, const json*>, bool> matches_;
  std::optional<std::size_t> copies_left_;
};

}  // namespace

bool is_whole(const json& value) {
  if (value.is_number_integer()) return true;
  return value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>();
}

struct OutputSchema::Graph {
  std::deque<OutputNode> nodes;
  const OutputNode* root = nullptr;
};

OutputSchema::OutputSchema(const json& schema) {
  auto graph = std::make_unique<Graph>();
  graph->root = OutputCompiler(schema, graph->nodes).compile(schema);
  graph_ = std::move(graph);
}

OutputSchema::~OutputSchema() = default;
OutputSchema::OutputSchema(OutputSchema&&) noexcept = default;
OutputSchema& OutputSchema::operator=(OutputSchema&&) noexcept = default;

Failure OutputSchema::apply(json& value) const {
  return Shaper().apply(*graph_->root, value, value);
}

}  // namespace fw::schema
