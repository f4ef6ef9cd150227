// [bad-configuration]
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/suggest.hpp"
#include "rules/settings_rules.hpp"

namespace fairway::rules {
namespace {

using fw::settings::LayerError;

/// Appends an error for each name in `middlewares` that no middleware has.
void check_listed_middlewares(const fw::Json& layer, const MiddlewareNames& known,
                              std::vector<LayerError>& errors) {
  if (!layer.is_object() || !layer.contains("middlewares")) return;
  const fw::Json& list = layer["middlewares"];
  if (!list.is_array()) return;
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (std::size_t index = 0; index < list.size(); ++index) {
    const bool has_options = list[index].is_object() && list[index].contains("name");
    const fw::Json& item = has_options ? list[index]["name"] : list[index];
    if (!item.is_string()) continue;
    const std::string name = item;
    if (known.contains(name)) continue;
    std::string remedy = fw::base::did_you_mean(name, names);
    if (remedy.empty()) {
      remedy = fmt::format(
          ": add 'middlewares/{0}.cpp', or, if the program registers it, declare it with "
          "'--middleware {0}'",
          name);
    }
    errors.push_back({fmt::format("/middlewares/{}{}", index, has_options ? "/name" : ""),
                      fmt::format("there is no middleware '{}'{}", name, remedy)});
  }
}

}  // namespace

model::Range range_of(const SettingsFile& file, const fw::base::TextPosition& position) {
  const std::string_view text = file.text;
  std::size_t begin = 0;
  for (std::size_t line = 1; line < position.line; ++line) begin = text.find('\n', begin) + 1;
  begin = std::min(begin + position.column - 1, text.size());
  std::size_t end = begin + 1;
  if (begin < text.size() && text[begin] == '"') {
    while (end < text.size() && text[end] != '"' && text[end] != '\n') {
      end += text[end] == '\\' ? 2U : 1U;
    }
    ++end;
  }
  const auto line = static_cast<unsigned>(position.line);
  const auto column = static_cast<unsigned>(position.column);
  return {file.display_path, line, column, line, column + static_cast<unsigned>(end - begin)};
}

model::Diagnostic& report_in(const SettingsFile& file, const fw::settings::FileError& error,
                             const model::Rule& rule, Reporter& reporter) {
  model::Range range;
  range.file = file.display_path;
  if (error.position) range = range_of(file, *error.position);
  return reporter.report(rule, error.message, range);
}

std::vector<fw::settings::FileError> errors_in(const SettingsFile& file,
                                               const MiddlewareNames& middlewares,
                                               fw::Config& config) {
  std::vector<fw::settings::FileError> errors;
  if (file.error) return {*file.error};
  if (const auto layer = fw::settings::parse_file(file.text, errors)) {
    std::vector<LayerError> found = fw::settings::apply_layer(config, *layer);
    std::ranges::move(fw::settings::value_errors(config, *layer), std::back_inserter(found));
    check_listed_middlewares(*layer, middlewares, found);
    for (const LayerError& error : found) errors.push_back(error.in_text(file.text));
    std::ranges::stable_sort(errors, {}, [](const fw::settings::FileError& error) {
      const auto [line, column] = error.position.value_or(fw::base::TextPosition{0, 0});
      return std::pair(line, column);
    });
  }
  return errors;
}

void check_configuration(const SettingsFile& file, const MiddlewareNames& middlewares,
                         fw::Config& config, model::Diagnostics& diagnostics) {
  Reporter reporter(diagnostics);
  for (const fw::settings::FileError& error : errors_in(file, middlewares, config)) {
    report_in(file, error, rules::bad_configuration, reporter);
  }
}

}  // namespace fairway::rules
