// Options of a command, declared once: their names, their variables, and their lines in --help.
//
//   const OptionGroup output = command.group("Output");
//   output.path("-o", "FILE", options.file, "write to FILE instead of standard output");
//   output.flag("--strict", options.strict, "fail on warnings too");
//
// A variable keeps its value if its option is absent. If an option is repeated, the last value
// wins. Every variable must outlive the command line.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "files/user_error.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace fairway::command {

/// A usage error: exit status 2, the message, and a hint to use --help.
class UsageError : public UserError {
  using UserError::UserError;
};

/// An allowed value of an option.
template <class T>
struct Choice {
  std::string_view name;
  T value;
  bool is_old = false;  ///< accepted, but not documented
};

/// The names in the help.
template <class T, std::size_t size>
std::vector<std::string_view> documented_names(const std::array<Choice<T>, size>& choices) {
  std::vector<std::string_view> names;
  for (const Choice<T>& choice : choices) {
    if (!choice.is_old) names.push_back(choice.name);
  }
  return names;
}

/// Throws UsageError for a word that is none of these; `name` is an option or an operand.
[[noreturn]] void reject_choice(const std::string& name, const std::string& given,
                                const std::vector<std::string_view>& choices);

/// The value of the operand `name`, which is required.
template <class T, std::size_t size>
T chosen(const std::string& name, const std::string& given,
         const std::array<Choice<T>, size>& choices) {
  const auto found = std::ranges::find(choices, given, &Choice<T>::name);
  if (found == choices.end()) reject_choice(name, given, documented_names(choices));
  return found->value;
}

/// Tells completion which values an option or an operand accepts.
void describe_choices(CLI::App& app, const std::string& name,
                      const std::vector<std::string_view>& choices);

/// Options below one heading of --help. Without a heading, they are accepted but not documented.
class OptionGroup {
 public:
  OptionGroup(CLI::App& app, std::string heading);

  /// Any value, including an empty one.
  template <class T>
  void text(const std::string& name, const std::string& value, T& variable,
            const std::string& help) const {
    add(name, value, help, [&variable](const std::string& given) { variable = given; });
  }

  /// A path, or another value that must not be empty.
  template <class T>
  void path(const std::string& name, const std::string& value, T& variable,
            const std::string& help) const {
    add(name, value, help, [name, &variable](const std::string& given) {
      require_value(name, given);
      variable = given;
    });
  }

  /// A value that becomes a part of C++ names.
  void identifier(const std::string& name, const std::string& value, std::string& variable,
                  const std::string& help) const;

  /// An option that may be repeated; each occurrence adds a value.
  void list(const std::string& name, const std::string& value, std::vector<std::string>& variable,
            const std::string& help) const;

  void flag(const std::string& name, bool& variable, const std::string& help) const;

  /// An integer of at least 1.
  void count(const std::string& name, const std::string& value, unsigned& variable,
             const std::string& help) const;

  /// One of `choices`, which must outlive the command line.
  template <class Variable, class T, std::size_t size>
  void choice(const std::string& name, const std::string& value, Variable& variable,
              const std::array<Choice<T>, size>& choices, const std::string& help) const {
    add(name, value, help, [name, &variable, &choices](const std::string& given) {
      variable = chosen(name, given, choices);
    });
    describe_choices(app_, name, documented_names(choices));
  }

  /// Makes the option required.
  void require(const std::string& name) const;
  /// Makes the two options mutually exclusive.
  void exclude(const std::string& one, const std::string& other) const;

 private:
  void add(const std::string& name, const std::string& value, const std::string& help,
           const std::function<void(const std::string&)>& take) const;
  static void require_value(const std::string& name, const std::string& given);

  CLI::App& app_;
  std::string heading_;
};

/// An option as the help, the manual and completion describe it.
struct DescribedOption {
  std::string short_name;  ///< "-p"; may be empty
  std::string long_name;   ///< "--jobs"; may be empty
  std::string value;       ///< "DIR"; empty for flags
  std::string help;
  std::string heading;
  std::vector<std::string> choices;  ///< the values, if they are a list

  /// "-h, --help", "--jobs N"
  std::string spelling() const;
};

/// The documented options, by heading.
std::vector<DescribedOption> described_options(const CLI::App& app);

/// An operand, and its values if they are a list.
struct DescribedOperand {
  std::string value;  ///< "LANGUAGE"
  std::vector<std::string> choices;
};

/// The operands, in their order.
std::vector<DescribedOperand> described_operands(const CLI::App& app);

/// Throws UsageError if a value that becomes a part of C++ names is not an identifier.
void require_identifier(const std::string& option, std::string_view value);

/// "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string_view>& words);

}  // namespace fairway::command
