#include "support/expectations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "emit/application_files.hpp"
#include "rules/check.hpp"
#include "rules/lints.hpp"
#include "rules/route_rules.hpp"
#include "support/value_text.hpp"

namespace fairway::test {
namespace {

constexpr std::string_view kMarker = "// expect-";

struct Expectation {
  std::string kind;  ///< "error", "route", …
  unsigned comment_line = 0;
  unsigned line = 0;  ///< 0: the file as a whole
  std::string rest;
};

std::vector<std::string> lines_of(const std::string& source) {
  std::vector<std::string> lines;
  std::istringstream stream(source);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

Expectation expectation(std::string_view text, unsigned comment_line) {
  Expectation result;
  result.comment_line = result.line = comment_line;
  const std::size_t word = std::min(text.find_first_of(" @"), text.size());
  result.kind = text.substr(0, word);
  text.remove_prefix(word);
  if (text.starts_with('@')) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string place(text.substr(1, end - 1));
    result.line = place == "file"
                      ? 0
                      : static_cast<unsigned>(static_cast<int>(comment_line) + std::stoi(place));
    text.remove_prefix(end);
  }
  if (text.starts_with(' ')) text.remove_prefix(1);
  result.rest = text;
  return result;
}

std::vector<Expectation> expectations_of(const std::vector<std::string>& lines) {
  std::vector<Expectation> result;
  for (unsigned index = 0; index < lines.size(); ++index) {
    const std::size_t at = lines[index].find(kMarker);
    if (at == std::string::npos) continue;
    const std::string_view text = std::string_view(lines[index]).substr(at + kMarker.size());
    result.push_back(expectation(text, index + 1));
  }
  return result;
}

/// The contents of `{{…}}` that follows `position`, which is moved after it.
std::optional<std::string> braced(const std::string& text, std::size_t& position) {
  const std::size_t begin = text.find("{{", position);
  const std::size_t end = text.find("}}", begin);
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  std::size_t close = end;
  while (close + 2 < text.size() && text[close + 2] == '}') ++close;  // `{{ {a} }}` without blanks
  position = close + 2;
  return text.substr(begin + 2, close - begin - 2);
}

std::string covered_text(const std::vector<std::string>& lines, const model::Range& range) {
  if (range.line == 0 || range.end_line > lines.size()) return "";
  if (range.line == range.end_line) {
    return lines[range.line - 1].substr(range.column - 1, range.end_column - range.column);
  }
  std::string text = lines[range.line - 1].substr(range.column - 1);
  for (unsigned line = range.line + 1; line < range.end_line; ++line)
    text += "\n" + lines[line - 1];
  return text + "\n" + lines[range.end_line - 1].substr(0, range.end_column - 1);
}

std::string export_text(const model::ParsedFile& file) {
  switch (file.export_kind) {
    case model::ExportKind::none:
      return "none";
    case model::ExportKind::routes:
      return "routes";
    case model::ExportKind::middleware:
      return "middleware";
    case model::ExportKind::plugin:
      return "plugin";
    case model::ExportKind::reexport:
      return "reexport " + file.reexport_target;
  }
  return "?";
}

class Comparison {
 public:
  Comparison(const model::ParsedFile& file, const std::string& source)
      : file_(file), lines_(lines_of(source)), matched_(file.diagnostics.size(), false) {}

  std::vector<std::string> run() {
    for (const auto& expected : expectations_of(lines_)) compare(expected);
    for (std::size_t index = 0; index < matched_.size(); ++index) {
      if (!matched_[index]) fail("unexpected " + described(file_.diagnostics[index]));
    }
    if (routes_ != file_.registrations.size()) {
      fail(fmt::format("{} registrations, {} expected", file_.registrations.size(), routes_));
    }
    return std::move(failures_);
  }

 private:
  void compare(const Expectation& expected) {
    if (expected.kind == "export") {
      if (export_text(file_) != expected.rest) {
        fail(fmt::format("exports '{}' instead of '{}'", export_text(file_), expected.rest));
      }
    } else if (expected.kind == "route" || expected.kind == "unresolved") {
      ++routes_;
      route(expected);
    } else if (expected.kind == "options") {
      options(expected);
    } else if (expected.kind == "error") {
      finding(expected, model::Severity::error);
    } else if (expected.kind == "warning") {
      finding(expected, model::Severity::warning);
    } else if (expected.kind == "reads") {
      reads(expected);
    } else if (expected.kind == "types") {
      types(expected);
    } else if (expected.kind == "signature") {
      signature(expected);
    } else if (expected.kind == "default" || expected.kind == "description") {
      member_value(expected);
    } else if (expected.kind == "sends") {
      sends(expected);
    } else if (expected.kind == "no-json") {
      const auto* registration = registration_at(expected);
      if (registration != nullptr && registration->handler.may_send_json) {
        fail(fmt::format("line {}: the handler may send JSON", expected.line));
      }
    } else if (expected.kind == "lints") {
      // Added before the comparison.
    } else if (expected.kind == "note") {
      note(expected);
    } else if (expected.kind == "help") {
      help(expected);
    } else {
      fail(fmt::format("line {}: unknown expectation '{}'", expected.comment_line, expected.kind));
    }
  }

  const model::Registration* registration_at(const Expectation& expected) {
    for (const auto& registration : file_.registrations) {
      if (registration.method_range.line == expected.line) return &registration;
    }
    fail(fmt::format("line {}: no registration", expected.line));
    return nullptr;
  }

  void route(const Expectation& expected) {
    const auto* registration = registration_at(expected);
    if (registration == nullptr) return;
    const std::string actual = registration->method + " " + registration->path;
    if (actual != expected.rest) {
      fail(fmt::format("line {}: '{}' instead of '{}'", expected.line, actual, expected.rest));
    }
    if (registration->options_resolved != (expected.kind == "route")) {
      fail(fmt::format("line {}: options_resolved is {}", expected.line,
                       registration->options_resolved));
    }
  }

  void options(const Expectation& expected) {
    const auto* registration = registration_at(expected);
    if (registration == nullptr) return;
    const std::string actual =
        registration->options ? value_text(*registration->options) : "no options";
    if (actual != expected.rest) {
      fail(fmt::format("line {}: options\n    {}\n  instead of\n    {}", expected.line, actual,
                       expected.rest));
    }
  }

  void reads(const Expectation& expected) {
    const auto* registration = registration_at(expected);
    if (registration == nullptr) return;
    std::string actual;
    for (const auto& read : registration->handler.reads) {
      actual += fmt::format("{}{} {}{}", actual.empty() ? "" : ", ", read.location,
                            read.validated ? "!" : "", fmt::join(read.path, "/"));
    }
    if (actual != expected.rest) {
      fail(
          fmt::format("line {}: reads '{}' instead of '{}'", expected.line, actual, expected.rest));
    }
  }

  void types(const Expectation& expected) {
    const auto* registration = registration_at(expected);
    if (registration == nullptr) return;
    std::vector<std::string> actual;
    for (const auto& sent : registration->handler.sent) {
      actual.push_back(sent.type.name.empty() ? "?" : sent.type.name);
    }
    std::string text = fmt::format("{}", fmt::join(actual, "; "));
    if (text.ends_with(' ')) text.pop_back();  // a comment does not end with a space
    if (text != expected.rest) {
      fail(fmt::format("line {}: sends the types '{}' instead of '{}'", expected.line, text,
                       expected.rest));
    }
  }

  void signature(const Expectation& expected) {
    const auto* registration = registration_at(expected);
    if (registration == nullptr) return;
    std::vector<std::string> actual;
    for (const auto& input : registration->signature.inputs) {
      actual.push_back(fmt::format("{} {}", input.location, input.type.name));
    }
    for (const auto& result : registration->signature.results) {
      actual.push_back(fmt::format("{}{}{}", result.status, result.type.name.empty() ? "" : " ",
                                   result.type.name));
    }
    const std::string text = fmt::format("{}", fmt::join(actual, "; "));
    if (text != expected.rest) {
      fail(fmt::format("line {}: the signature is '{}' instead of '{}'", expected.line, text,
                       expected.rest));
    }
  }

  void member_value(const Expectation& expected) {
    for (const auto& type : file_.types) {
      for (const auto& member : type.members) {
        if (member.range.line != expected.line) continue;
        const auto schema = model::Json::parse(type.schema);
        const auto& properties = schema["properties"][member.json_name];
        const auto found = properties.find(expected.kind);
        const std::string actual = found == properties.end() ? "none" : found->dump();
        if (actual != expected.rest) {
          fail(fmt::format("line {}: the {} is '{}' instead of '{}'", expected.line, expected.kind,
                           actual, expected.rest));
        }
        return;
      }
    }
    fail(fmt::format("line {}: no member", expected.line));
  }

  void sends(const Expectation& expected) {
    const auto* registration = registration_at(expected);
    if (registration == nullptr) return;
    std::vector<std::string> actual;
    for (const auto& sent : registration->handler.sent) {
      // Of an error without a status, its key.
      const std::string& detail = sent.function != "raise" ? sent.media_type
                                  : sent.statuses.empty()  ? sent.message
                                                           : sent.code;
      actual.push_back(fmt::format("{} {}{}{}{}", sent.function, fmt::join(sent.statuses, ","),
                                   sent.is_error ? "error" : "", detail.empty() ? "" : " ",
                                   detail));
    }
    if (registration->handler.sends_others) actual.emplace_back("…");
    std::string text = fmt::format("{}", fmt::join(actual, "; "));
    if (text.ends_with(' ')) text.pop_back();  // a comment does not end with a space
    if (text != expected.rest) {
      fail(fmt::format("line {}: sends '{}' instead of '{}'", expected.line, text, expected.rest));
    }
  }

  void finding(const Expectation& expected, model::Severity severity) {
    std::size_t position = 0;
    const auto id = braced(expected.rest, position);
    const auto message = braced(expected.rest, position);
    if (!id || !message) {
      return fail(fmt::format("line {}: needs {{{{id}}}} {{{{text}}}}", expected.comment_line));
    }
    const auto covered = braced(expected.rest, position);
    std::string context;
    if (expected.rest.starts_with('['))
      context = expected.rest.substr(1, expected.rest.find(']') - 1);
    for (std::size_t index = 0; index < matched_.size(); ++index) {
      const auto& diagnostic = file_.diagnostics[index];
      if (matched_[index] || diagnostic.severity != severity || diagnostic.id != *id ||
          diagnostic.range.line != expected.line ||
          diagnostic.message.find(*message) == std::string::npos) {
        continue;
      }
      const std::string actual = diagnostic.method + " " + diagnostic.route;
      if (!context.empty() && actual != context && actual != context + " ") continue;
      if (covered && covered_text(lines_, diagnostic.range) != *covered) continue;
      matched_[index] = true;
      return check_style(diagnostic);
    }
    fail(fmt::format("line {}: missing {} {}", expected.line, expected.kind, expected.rest));
  }

  /// The form that every message has, whatever it says. Clang's own texts are Clang's.
  void check_style(const model::Diagnostic& diagnostic) {
    if (diagnostic.id == "does-not-parse") return;
    if (diagnostic.help.empty()) fail("no help in " + described(diagnostic));
    const auto is_plain = [](const std::string& text) {
      return !text.empty() && !text.ends_with('.') && (text[0] < 'A' || text[0] > 'Z');
    };
    if (!is_plain(diagnostic.message)) fail("not in plain style: " + described(diagnostic));
    for (const auto& note : diagnostic.notes) {
      if (!is_plain(note.message)) fail("note is not in plain style: " + note.message);
    }
  }

  void help(const Expectation& expected) {
    std::size_t position = 0;
    const std::string text = braced(expected.rest, position).value_or("missing braces");
    const bool found = std::ranges::any_of(file_.diagnostics, [&](const auto& each) {
      return each.range.line == expected.line && each.help.find(text) != std::string::npos;
    });
    if (!found) fail(fmt::format("line {}: missing help {}", expected.line, expected.rest));
  }

  void note(const Expectation& expected) {
    std::size_t position = 0;
    const std::string text = braced(expected.rest, position).value_or("missing braces");
    const bool found = std::any_of(
        file_.diagnostics.begin(), file_.diagnostics.end(), [&](const model::Diagnostic& each) {
          return std::any_of(each.notes.begin(), each.notes.end(),
                             [&](const model::Note& candidate) {
                               return candidate.range.line == expected.line &&
                                      candidate.message.find(text) != std::string::npos;
                             });
        });
    if (!found) fail(fmt::format("line {}: missing note {}", expected.line, expected.rest));
  }

  std::string described(const model::Diagnostic& diagnostic) {
    std::string text = fmt::format(
        "{}:{}:{}: [{} {}] {{{{{}}}}} {{{{{}}}}} at {{{{{}}}}}", diagnostic.range.file,
        diagnostic.range.line, diagnostic.range.column, diagnostic.method, diagnostic.route,
        diagnostic.id, diagnostic.message, covered_text(lines_, diagnostic.range));
    for (const auto& each : diagnostic.notes) {
      text += fmt::format("\n    note {}:{}: {}", each.range.file, each.range.line, each.message);
    }
    return text;
  }

  void fail(std::string text) { failures_.push_back(std::move(text)); }

  const model::ParsedFile& file_;
  std::vector<std::string> lines_;
  std::vector<bool> matched_;
  std::size_t routes_ = 0;
  std::vector<std::string> failures_;
};

/// The file with what the rules and the lints say about an application of it alone.
model::ParsedFile linted(model::ParsedFile file) {
  file.path = "routes/index.cpp";
  const std::vector<model::ParsedFile> files = {file};
  auto resolution = rules::check(files, {.name = "", .source_name = "src", .middlewares = {}},
                                 emit::generated_code());
  file.diagnostics = std::move(resolution.diagnostics);
  // Lints build on what was resolved, as in `fairway doctor`.
  const bool is_resolved = std::ranges::none_of(
      file.diagnostics, [](const auto& each) { return each.severity == model::Severity::error; });
  if (!is_resolved) return file;
  for (auto& lint : rules::lint(resolution.application, files)) {
    file.diagnostics.push_back(std::move(lint));
  }
  return file;
}

}  // namespace

std::vector<std::string> disagreements(const model::ParsedFile& file, const std::string& source) {
  if (source.find("// expect-lints") != std::string::npos) {
    return Comparison(linted(file), source).run();
  }
  return Comparison(file, source).run();
}

}  // namespace fairway::test
