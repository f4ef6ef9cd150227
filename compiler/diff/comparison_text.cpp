#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/counted.hpp"
#include "diff/comparison.hpp"

namespace fairway::diff {
namespace {

// The styles of Clang's text diagnostics.
constexpr std::string_view kReset = "\033[0m";
constexpr std::string_view kBold = "\033[1m";

constexpr std::size_t kMaxOperations = 3;

/// A change; for a shared component, with all affected operations.
struct Line {
  const Change* change = nullptr;
  std::string location;
  std::vector<std::string> operations;  ///< empty for a change of one operation
};

struct Group {
  std::string title;
  std::vector<Line> lines;
};

/// "/components/schemas/Error/properties/code" as the component's name and the path within it.
struct ComponentSlot {
  std::string component;
  std::string path;
};

ComponentSlot component_slot(const std::string& pointer) {
  std::vector<std::string> steps;
  for (std::size_t begin = 1; begin < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    steps.push_back(pointer.substr(begin, end - begin));
    begin = end + 1;
  }
  if (steps.size() < 3 || steps[0] != "components") return {};
  ComponentSlot node{fmt::format("{}/{}", steps[1], steps[2]), ""};
  for (std::size_t i = 3; i < steps.size(); ++i) {
    if (steps[i] == "properties" && i + 1 < steps.size()) {
      if (!node.path.empty()) node.path += '.';
      node.path += steps[++i];
    } else if (steps[i] == "items") {
      node.path += "[]";
    }
  }
  return node;
}

/// A change of a component affects every operation that uses it; it is reported once.
std::vector<Group> grouped(const Changes& changes) {
  using Key = std::tuple<std::string, std::string, std::string, bool, std::string>;
  const auto key_of = [](const Change& change) {
    return Key{change.id, change.pointer, change.message, change.approved, change.reason};
  };
  std::map<Key, std::size_t> uses;
  for (const Change& change : changes) ++uses[key_of(change)];

  std::vector<Group> groups;
  std::map<Key, std::pair<std::size_t, std::size_t>> known;  // group and line
  std::map<std::string, std::size_t> indexes;                // of groups, by title
  const auto group_of = [&](const std::string& title) {
    const auto [found, is_new] = indexes.try_emplace(title, groups.size());
    if (is_new) groups.push_back({title, {}});
    return found->second;
  };
  for (const Change& change : changes) {
    const ComponentSlot node = component_slot(change.pointer);
    const Key key = key_of(change);
    if (node.component.empty() || uses[key] < 2) {
      groups[group_of(change.operation())].lines.push_back({&change, change.location, {}});
      continue;
    }
    const auto found = known.find(key);
    if (found == known.end()) {
      Group& group = groups[group_of("components/" + node.component)];
      group.lines.push_back({&change, node.path, {change.operation()}});
      known[key] = {static_cast<std::size_t>(&group - groups.data()), group.lines.size() - 1};
    } else {
      auto& operations = groups[found->second.first].lines[found->second.second].operations;
      if (operations.back() != change.operation()) operations.push_back(change.operation());
    }
  }
  const auto worst = [](const Group& group) {
    Level level = Level::documentation;
    for (const Line& line : group.lines) {
      if (!line.change->approved) level = std::min(level, line.change->level);
    }
    return level;
  };
  std::ranges::stable_sort(groups, {}, worst);
  return groups;
}

std::string_view style_of(const Change& change) {
  if (change.approved) return "\033[0;32m";
  switch (change.level) {
    case Level::breaking:
      return "\033[0;1;31m";
    case Level::non_breaking:
      return "\033[0;1;36m";
    case Level::documentation:
      break;
  }
  return "\033[0;37m";
}

std::string label_of(const Change& change) {
  return change.approved ? fmt::format("approved {}", level_name(change.level))
                         : std::string(level_name(change.level));
}

std::string operations_text(const std::vector<std::string>& operations) {
  std::string text = fw::base::counted(operations.size(), "operation") + ": ";
  for (std::size_t i = 0; i < operations.size() && i < kMaxOperations; ++i) {
    text += (i == 0 ? "" : ", ") + operations[i];
  }
  return operations.size() > kMaxOperations ? text + ", …" : text;
}

std::string summary(const Comparison& comparison) {
  if (comparison.changes.empty()) return "no changes";
  std::string text = fw::base::counted(comparison.changes.size(), "change") + ": ";
  const std::size_t breaking = comparison.count(Level::breaking);
  text += fmt::format("{} breaking", breaking);
  if (const std::size_t approved = comparison.approved(); approved > 0) {
    text += approved == breaking ? " (approved)" : fmt::format(" ({} approved)", approved);
  }
  return text + fmt::format(", {} non-breaking, {} documentation",
                            comparison.count(Level::non_breaking),
                            comparison.count(Level::documentation));
}

}  // namespace

std::string render_text(const Comparison& comparison, bool color) {
  std::string out;
  const auto styled = [&](std::string_view style, std::string_view text) {
    if (color) out.append(style);
    out.append(text);
    if (color) out.append(kReset);
  };
  for (const Group& group : grouped(comparison.changes)) {
    styled(kBold, group.title);
    out += '\n';
    for (const Line& line : group.lines) {
      out += "  ";
      styled(style_of(*line.change), label_of(*line.change) + ':');
      if (!line.location.empty()) out += ' ' + line.location + ':';
      out += fmt::format(" {} [{}]\n", line.change->message, line.change->id);
      if (!line.operations.empty()) {
        out += fmt::format("    in {}\n", operations_text(line.operations));
      }
      if (!line.change->reason.empty()) {
        out += fmt::format("    reason: {}\n", line.change->reason);
      }
    }
    out += '\n';
  }
  for (const Approval& approval : comparison.unused) {
    out += fmt::format("unused approval: {}{}{} [{}]\n", approval.operation,
                       approval.location.empty() ? "" : ": ", approval.location, approval.id);
  }
  return out + summary(comparison) + '\n';
}

}  // namespace fairway::diff
