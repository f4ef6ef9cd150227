// Options of a command, declared once: their names, their variables, and their lines in --help.
//
//   const OptionGroup output = command.group("Output");
//   output.path("-o", "FILE", options.file, "write to FILE instead of standard output");
//   output.flag("--strict", options.strict, "fail on warnings too");
//
// A variable keeps its value if its option is absent. If an option is repeated, the last value
// wins. Every variable must outlive the command line.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "files/user_error.hpp"

namespace CLI {
class App;
}

namespace fairway::cli {

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
      std::vector<std::string_view> documented;
      for (const Choice<T>& choice : choices) {
        if (choice.name == given) {
          variable = choice.value;
          return;
        }
        if (!choice.is_old) documented.push_back(choice.name);
      }
      reject_choice(name, given, documented);
    });
  }

  /// Makes the option required.
  void require(const std::string& name) const;
  /// Makes the two options mutually exclusive.
  void exclude(const std::string& one, const std::string& other) const;

 private:
  void add(const std::string& name, const std::string& value, const std::string& help,
           const std::function<void(const std::string&)>& take) const;
  static void require_value(const std::string& name, const std::string& given);
  [[noreturn]] static void reject_choice(const std::string& name, const std::string& given,
                                         const std::vector<std::string_view>& choices);

  CLI::App& app_;
  std::string heading_;
};

/// Throws UsageError if a value that becomes a part of C++ names is not an identifier.
void require_identifier(const std::string& option, std::string_view value);

/// "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string_view>& words);

}  // namespace fairway::cli
