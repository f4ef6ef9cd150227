// The command lines of the programs in this folder: options with values, and after `--` flags of
// the compiler.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fairway::fuzz {

/// By name, such as "--seed", what sets the value.
using Options = std::map<std::string, std::function<void(const std::string& value)>>;

/// Appends what is after `--` to `flags`. Throws std::invalid_argument.
void read_options(const std::vector<std::string>& words, const Options& options,
                  std::vector<std::string>& flags);

/// Sets `number` to the value.
template <class Number>
std::function<void(const std::string& value)> into(Number& number) {
  return [&number](const std::string& value) { number = static_cast<Number>(std::stoull(value)); };
}

}  // namespace fairway::fuzz
