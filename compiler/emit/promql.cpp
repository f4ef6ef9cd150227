#include "emit/promql.hpp"

#include <fmt/format.h>

namespace fairway::emit::promql {
namespace {

std::string literal(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
    } else {
      if (c == '\\' || c == '"') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

std::string selector(const std::vector<Matcher>& matchers) {
  std::string text;
  for (const Matcher& matcher : matchers) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ",", matcher.label, matcher.comparison,
                        literal(matcher.value));
  }
  return '{' + text + '}';
}

std::string route_labels() {
  return fmt::format("{}, {}", fw::metrics::kMethodLabel, fw::metrics::kRouteLabel);
}

std::string one_of(const std::vector<std::string>& texts) {
  constexpr std::string_view kSpecial = R"(\.+*?()|[]{}^$)";
  std::string pattern;
  for (const std::string& text : texts) {
    if (!pattern.empty()) pattern += '|';
    for (const char c : text) {
      if (kSpecial.find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
  }
  return pattern;
}

std::string rate(const fw::metrics::Metric& metric, std::string_view suffix,
                 const std::string& matchers, std::string_view window) {
  return fmt::format("rate({}{}{}[{}])", metric.series(), suffix, matchers, window);
}

std::string sum(std::string_view labels, const std::string& query) {
  if (labels.empty()) return fmt::format("sum({})", query);
  return fmt::format("sum by ({}) ({})", labels, query);
}

std::string quantile(std::string_view quantile, const fw::metrics::Metric& metric,
                     std::string_view labels, const std::string& matchers,
                     std::string_view window) {
  return fmt::format("histogram_quantile({}, {})", quantile,
                     sum(labels.empty() ? "le" : fmt::format("{}, le", labels),
                         rate(metric, "_bucket", matchers, window)));
}

std::string error_ratio(std::string_view labels, std::vector<Matcher> matchers,
                        std::string_view window) {
  const auto requests = [&] {
    return sum(labels, rate(fw::metrics::kRequestDuration, "_count", selector(matchers), window));
  };
  const std::string all = requests();
  matchers.push_back({fw::metrics::kStatusLabel, "=~", "5.."});
  return fmt::format("({} or 0 * {})\n  / {}", requests(), all, all);
}

}  // namespace fairway::emit::promql
