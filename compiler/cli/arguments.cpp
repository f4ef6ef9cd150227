#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "schema/suggest.hpp"

namespace fairway::cli {
namespace {

[[noreturn]] void refuse_option(std::span<const OptionGroup> groups, const std::string& name) {
  std::vector<std::string_view> names;
  for (const OptionGroup& group : groups) {
    for (const Option& option : group.options) names.push_back(option.name);
  }
  throw UsageError(
      fmt::format("unknown option '{}'{}", name, fw::schema::did_you_mean(name, names)));
}

const Option* find_option(std::span<const OptionGroup> groups, std::string_view name) {
  for (const OptionGroup& group : groups) {
    for (const Option& option : group.options) {
      if (option.name == name) return &option;
    }
  }
  return nullptr;
}

[[noreturn]] void refuse_operand(std::span<const OptionGroup> groups, const std::string& word) {
  const bool reads_sources = find_option(groups, "--source-dir") != nullptr;
  throw UsageError(fmt::format(
      "unexpected operand '{}'{}", word,
      reads_sources ? ": name the folder that contains routes/ with --source-dir" : ""));
}

void check_choice(const Option& option, const std::string& value) {
  if (option.choices.empty()) return;
  if (std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end())
    return;
  throw UsageError(fmt::format("'{}' is not a value of {}: it takes {}", value, option.name,
                               fmt::join(option.choices, ", ")));
}

}  // namespace

Arguments::Arguments(std::span<const std::string> words, std::span<const OptionGroup> groups,
                     Operands operands) {
  for (std::size_t index = 0; index < words.size(); ++index) {
    const std::string& word = words[index];
    if (word == "--") {
      rest_.assign(words.begin() + static_cast<std::ptrdiff_t>(index) + 1, words.end());
      return;
    }
    if (!word.starts_with("-") || word == "-") {
      if (operands == Operands::none) refuse_operand(groups, word);
      operands_.push_back(word);
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const std::string name = word.substr(0, equals);
    const Option* option = find_option(groups, name);
    if (option == nullptr) refuse_option(groups, name);
    if (option->value.empty()) {
      if (equals != std::string::npos) throw UsageError(fmt::format("{} takes no value", name));
      values_[name];
      continue;
    }
    std::string value;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (index + 1 < words.size()) {
      value = words[++index];
    } else {
      throw UsageError(fmt::format("{} needs a value: {} {}", name, name, option->value));
    }
    check_choice(*option, value);
    values_[name].push_back(std::move(value));
  }
}

std::string Arguments::get(std::string_view name, std::string_view fallback) const {
  const auto found = values_.find(name);
  if (found == values_.end() || found->second.empty()) return std::string(fallback);
  return found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

unsigned Arguments::number(std::string_view name, unsigned fallback) const {
  if (!has(name)) return fallback;
  const std::string text = get(name);
  unsigned value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value == 0) {
    throw UsageError(
        fmt::format("'{}' is not a value of {}: it takes a whole number from 1 on", text, name));
  }
  return value;
}

std::string render_options(std::span<const OptionGroup> groups) {
  constexpr std::size_t kColumn = 26;
  std::string text;
  for (const OptionGroup& group : groups) {
    text += fmt::format("\n{}:\n", group.heading);
    for (const Option& option : group.options) {
      const std::string left = fmt::format("  {} {}", option.name, option.value);
      text += fmt::format("{:<{}}", left, kColumn);
      if (left.size() >= kColumn) text += fmt::format("\n{:{}}", "", kColumn);
      text += fmt::format("{}\n", option.help);
    }
  }
  return text;
}

}  // namespace fairway::cli
