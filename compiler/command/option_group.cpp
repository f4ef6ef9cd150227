#include "command/option_group.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>
#include <sstream>
#include <utility>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"

namespace fairway::command {
namespace {

std::vector<std::string> choices_of(const CLI::Option& option) {
  std::istringstream text(option.get_option_text());
  return {std::istream_iterator<std::string>(text), {}};
}

}  // namespace

/// CLI11 shows this text in its own help, which is not used.
void describe_choices(CLI::App& app, const std::string& name,
                      const std::vector<std::string_view>& choices) {
  app.get_option(name)->option_text(fmt::format("{}", fmt::join(choices, " ")));
}

OptionGroup::OptionGroup(CLI::App& app, std::string heading)
    : app_(app), heading_(std::move(heading)) {}

void OptionGroup::add(const std::string& name, const std::string& value, const std::string& help,
                      const std::function<void(const std::string&)>& take) const {
  const auto take_last = [take](const CLI::results_t& values) {
    take(values.back());
    return true;
  };
  app_.add_option(name, take_last, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name(value)
      ->group(heading_);
}

void OptionGroup::identifier(const std::string& name, const std::string& value,
                             std::string& variable, const std::string& help) const {
  add(name, value, help, [name, &variable](const std::string& given) {
    require_identifier(name, given);
    variable = given;
  });
}

void OptionGroup::list(const std::string& name, const std::string& value,
                       std::vector<std::string>& variable, const std::string& help) const {
  const auto take_all = [&variable, name](const CLI::results_t& values) {
    for (const std::string& given : values) require_value(name, given);
    variable = values;
    return true;
  };
  app_.add_option(name, take_all, help)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name(value)
      ->group(heading_);
}

void OptionGroup::flag(const std::string& name, bool& variable, const std::string& help) const {
  app_.add_flag_callback(
          name, [&variable] { variable = true; }, help)
      ->disable_flag_override()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->group(heading_);
}

void OptionGroup::count(const std::string& name, const std::string& value, unsigned& variable,
                        const std::string& help) const {
  add(name, value, help, [name, &variable](const std::string& given) {
    variable = fw::base::parse_number<unsigned>(given).value_or(0);
    if (variable == 0) {
      throw UsageError(fmt::format("{} must be a positive integer, not '{}'", name, given));
    }
  });
}

void OptionGroup::require(const std::string& name) const { app_.get_option(name)->required(); }

void OptionGroup::exclude(const std::string& one, const std::string& other) const {
  app_.get_option(one)->excludes(app_.get_option(other));
}

void OptionGroup::require_value(const std::string& name, const std::string& given) {
  if (given.empty()) throw UsageError(fmt::format("{} must not be empty", name));
}

void reject_choice(const std::string& name, const std::string& given,
                   const std::vector<std::string_view>& choices) {
  const bool is_missing_operand = given.empty() && !name.starts_with('-');
  throw UsageError(
      is_missing_operand
          ? fmt::format("{} is required: {}", name, alternatives(choices))
          : fmt::format("{} must be {}, not '{}'", name, alternatives(choices), given));
}

std::string DescribedOption::spelling() const {
  std::string text = short_name;
  if (!long_name.empty()) text += (text.empty() ? "" : ", ") + long_name;
  return value.empty() ? text : text + " " + value;
}

std::vector<DescribedOption> described_options(const CLI::App& app) {
  std::vector<DescribedOption> described;
  for (const std::string& heading : app.get_groups()) {
    if (heading.empty()) continue;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() != heading || !option->nonpositional()) continue;
      DescribedOption& each = described.emplace_back();
      if (!option->get_snames().empty()) each.short_name = "-" + option->get_snames().front();
      if (!option->get_lnames().empty()) each.long_name = "--" + option->get_lnames().front();
      if (option->get_items_expected_max() > 0) each.value = option->get_type_name();
      each.help = option->get_description();
      each.heading = heading;
      each.choices = choices_of(*option);
    }
  }
  return described;
}

std::vector<DescribedOperand> described_operands(const CLI::App& app) {
  std::vector<DescribedOperand> operands;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    operands.push_back({option->get_single_name(), choices_of(*option)});
  }
  return operands;
}

void require_identifier(const std::string& option, std::string_view value) {
  const bool is_identifier =
      !value.empty() && !fw::base::is_digit(value.front()) &&
      std::ranges::all_of(value, [](char c) { return fw::base::is_alphanumeric(c) || c == '_'; });
  if (is_identifier) return;
  throw UsageError(
      fmt::format("{} must be an identifier (letters, digits and '_', no digit first), not '{}'",
                  option, value));
}

std::string alternatives(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (index > 0) text += index + 1 == words.size() ? " or " : ", ";
    text += words[index];
  }
  return text;
}

}  // namespace fairway::command
