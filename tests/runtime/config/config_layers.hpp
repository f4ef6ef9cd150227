// The layers of a configuration in tests, and their errors.
#pragma once

#include <fairway/config.hpp>
#include <fairway/errors.hpp>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "temporary_directory.hpp"

namespace fw::config::test {

using Errors = std::vector<std::string>;

inline Errors errors_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const StartupError& error) {
    return error.errors();
  }
  return {};
}

inline Errors layer_errors(const Json& layer) {
  Config config;
  return errors_of([&] { apply_config_layer(config, layer, "default.json"); });
}

class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~EnvironmentVariable() { unsetenv(name_); }

 private:
  const char* name_;
};

class ConfigFolder {
 public:
  explicit ConfigFolder(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, text] : files) directory_.write(name, text);
  }
  std::string path() const { return directory_.path(); }

 private:
  fairway::test::TemporaryDirectory directory_;
};

}  // namespace fw::config::test
