#include "observe/exposition.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/ascii.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kOpenMetrics = "application/openmetrics-text";

void append_escaped(std::string& out, std::string_view text, bool escapes_quotes) {
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || (c == '"' && escapes_quotes)) out += '\\';
      out += c;
    }
  }
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

/// A bound of a bucket is a label, so that it must have one form: OpenMetrics has "1.0".
std::string bound_text(double bound) {
  std::string text = number(bound);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

Exposition::Format Exposition::negotiate(std::string_view accept) {
  Format format = Format::prometheus;
  base::for_each_token(accept, ',', [&](std::string_view range) {
    const std::string_view type = base::trim_ows(range.substr(0, range.find(';')));
    if (base::equal_ignoring_case(type, kOpenMetrics)) format = Format::openmetrics;
  });
  return format;
}

std::string_view Exposition::content_type(Format format) {
  return format == Format::openmetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

void Exposition::begin(std::string_view name, Kind kind, std::string_view help) {
  name_ = name;
  kind_ = kind;
  // OpenMetrics names the metric, and Prometheus the series.
  const bool has_suffix = kind == Kind::counter && format_ == Format::prometheus;
  const std::string_view suffix = has_suffix ? "_total" : "";
  if (!help.empty()) {
    text_ += fmt::format("# HELP {}{} ", name, suffix);
    append_escaped(text_, help, format_ == Format::openmetrics);
    text_ += '\n';
  }
  text_ += fmt::format("# TYPE {}{} {}\n", name, suffix, metrics::name_of(kind));
}

void Exposition::sample(const Labels& labels, double value) {
  line(kind_ == Kind::counter ? "_total" : "", labels, {}, value);
}

void Exposition::histogram(const Labels& labels, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    count += counts[i];
    line("_bucket", labels, bound_text(bounds[i]), static_cast<double>(count));
  }
  count += counts.back();
  line("_bucket", labels, "+Inf", static_cast<double>(count));
  line("_sum", labels, {}, sum);
  line("_count", labels, {}, static_cast<double>(count));
}

void Exposition::line(std::string_view suffix, const Labels& labels, std::string_view bound,
                      double value) {
  text_.append(name_).append(suffix);
  char separator = '{';
  const auto add = [&](std::string_view name, std::string_view content) {
    text_.append(1, separator).append(name).append("=\"");
    append_escaped(text_, content, true);
    text_ += '"';
    separator = ',';
  };
  for (const auto& [name, content] : labels) add(name, content);
  if (!bound.empty()) add("le", bound);
  if (separator == ',') text_ += '}';
  text_.append(1, ' ').append(number(value)).append(1, '\n');
}

std::string Exposition::finish() {
  if (format_ == Format::openmetrics) text_ += "# EOF\n";
  return std::move(text_);
}

}  // namespace fw::detail
