#include "observe/exposition.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/media_type.hpp"

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

/// Writes the lines of a metric.
class Writer {
 public:
  Writer(std::string& text, Exposition::Format format, const MetricFigures& figures)
      : text_(text), format_(format), figures_(figures) {}

  void write() {
    head();
    for (const MetricFigures::Series& series : figures_.series) {
      if (figures_.type == metrics::MetricType::histogram) {
        histogram(series);
      } else {
        const bool is_counter = figures_.type == metrics::MetricType::counter;
        line(is_counter ? "_total" : "", series.labels, {}, series.value);
      }
    }
  }

 private:
  void head() {
    // OpenMetrics names the metric, and Prometheus the series.
    const bool has_suffix =
        figures_.type == metrics::MetricType::counter && format_ == Exposition::Format::prometheus;
    const std::string_view suffix = has_suffix ? "_total" : "";
    if (!figures_.help.empty()) {
      text_ += fmt::format("# HELP {}{} ", figures_.name, suffix);
      append_escaped(text_, figures_.help, format_ == Exposition::Format::openmetrics);
      text_ += '\n';
    }
    text_ +=
        fmt::format("# TYPE {}{} {}\n", figures_.name, suffix, metrics::name_of(figures_.type));
  }

  void histogram(const MetricFigures::Series& series) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < series.counts.size(); ++i) {
      count += series.counts[i];
      const bool is_last = i >= figures_.bounds.size();
      const Exemplar* exemplar = nullptr;
      if (i < series.exemplars.size() && series.exemplars[i]) exemplar = &*series.exemplars[i];
      line("_bucket", series.labels, is_last ? "+Inf" : bound_text(figures_.bounds[i]),
           static_cast<double>(count), exemplar);
    }
    line("_sum", series.labels, {}, series.value);
    line("_count", series.labels, {}, static_cast<double>(count));
  }

  void line(std::string_view suffix, const Labels& labels, std::string_view bound, double value,
            const Exemplar* exemplar = nullptr) {
    text_.append(figures_.name).append(suffix);
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
    text_.append(1, ' ').append(number(value));
    // The text format of Prometheus has none.
    if (exemplar != nullptr && format_ == Exposition::Format::openmetrics) {
      text_ += fmt::format(" # {{trace_id=\"{}\"}} {} {:.3f}", exemplar->trace,
                           number(exemplar->value), exemplar->time);
    }
    text_ += '\n';
  }

  std::string& text_;
  const Exposition::Format format_;
  const MetricFigures& figures_;
};

}  // namespace

Exposition::Format Exposition::negotiate(std::string_view accept) {
  return base::accepts(accept, {kOpenMetrics}) ? Format::openmetrics : Format::prometheus;
}

std::string_view Exposition::content_type(Format format) {
  return format == Format::openmetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

void Exposition::begin(std::string_view name, metrics::MetricType type, std::string_view help) {
  figures_.push_back({.name = std::string(name), .type = type, .help = std::string(help)});
}

void Exposition::sample(const Labels& labels, double value) {
  figures_.back().series.push_back({.labels = labels, .value = value});
}

void Exposition::histogram(const Labels& labels, std::span<const double> bounds,
                           std::span<const std::uint64_t> counts, double sum,
                           std::vector<std::optional<Exemplar>> exemplars) {
  MetricFigures& figures = figures_.back();
  figures.bounds.assign(bounds.begin(), bounds.end());
  figures.series.push_back({.labels = labels,
                            .value = sum,
                            .counts = {counts.begin(), counts.end()},
                            .exemplars = std::move(exemplars)});
}

void Exposition::add(const MetricFigures& figures) { figures_.push_back(figures); }

std::string Exposition::finish() {
  std::string text;
  for (const MetricFigures& figures : figures_) Writer(text, format_, figures).write();
  if (format_ == Format::openmetrics) text += "# EOF\n";
  return text;
}

}  // namespace fw::detail
