// Command lines, read by a table of options.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "files/user_error.hpp"

namespace fairway::cli {

/// Wrong usage: exit status 2 with the message and a pointer to --help.
class UsageError : public UserError {
  using UserError::UserError;
};

/// One option of a command.
struct Option {
  std::string_view name;   ///< "--source-dir", "-p"
  std::string_view value;  ///< what stands for its value in help: "DIR"; empty for a switch
  std::string_view help;
  std::span<const std::string_view> choices = {};  ///< allowed values; empty: any
};

/// A group of options under a heading of the help text.
struct OptionGroup {
  std::string_view heading;
  std::span<const Option> options;
};

/// What a command line says. Options may be written `--name value` or `--name=value`.
class Arguments {
 public:
  enum class Operands { none, any };

  /// Throws UsageError for an unknown option, a missing value, a value that is no choice, and for
  /// operands of a command that has none. What follows `--` is kept apart.
  Arguments(std::span<const std::string> words, std::span<const OptionGroup> groups,
            Operands operands = Operands::none);

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string get(std::string_view name, std::string_view fallback = {}) const;
  /// All values of an option that was repeated.
  std::vector<std::string> all(std::string_view name) const;
  /// A whole number from 1 on. Throws UsageError.
  unsigned number(std::string_view name, unsigned fallback) const;
  const std::vector<std::string>& operands() const { return operands_; }
  /// What follows `--`.
  const std::vector<std::string>& rest() const { return rest_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> operands_;
  std::vector<std::string> rest_;
};

/// The options of a command as text, one heading after the other.
std::string render_options(std::span<const OptionGroup> groups);

}  // namespace fairway::cli
