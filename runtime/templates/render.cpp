#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "base/url_encoding.hpp"
#include "templates/program.hpp"

namespace fw::templates {
namespace {

constexpr std::string_view kUnsafeUrl = "#unsafe-url";
constexpr std::string_view kUnreserved = "-._~";
constexpr std::size_t kMostCalls = 100;

void append_html(std::string& out, std::string_view text) {
  constexpr std::string_view kSpecial = "&<>\"'";
  while (true) {
    const std::size_t plain = std::min(text.find_first_of(kSpecial), text.size());
    out.append(text.data(), plain);
    if (plain == text.size()) return;
    switch (text[plain]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += "&#39;";
    }
    text.remove_prefix(plain + 1);
  }
}

/// The scheme of a URL as browsers read it, which ignore white space and control characters; empty
/// for a relative URL.
std::string scheme_of(std::string_view url) {
  std::string scheme;
  for (const char c : url) {
    if (c == ':') return scheme.empty() ? ":" : scheme;
    if (c == '/' || c == '?' || c == '#') break;
    if (static_cast<unsigned char>(c) > ' ') scheme += base::to_lower(c);
  }
  return {};
}

bool is_safe_url(std::string_view url) {
  const std::string scheme = scheme_of(url);
  return scheme.empty() || scheme == "http" || scheme == "https" || scheme == "mailto" ||
         scheme == "tel";
}

/// JSON whose strings contain nothing that HTML or JavaScript read otherwise.
void append_script_json(std::string& out, const Json& value) {
  const std::string text = base::to_json_text(value);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else if (text.compare(i, 3, "\xE2\x80\xA8") == 0 || text.compare(i, 3, "\xE2\x80\xA9") == 0) {
      out += text[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
}

void append_text(std::string& out, std::string_view text, Escape escape) {
  switch (escape) {
    case Escape::none:
    case Escape::json:
      out += text;
      break;
    case Escape::html:
      append_html(out, text);
      break;
    case Escape::url:
      append_html(out, is_safe_url(text) ? text : kUnsafeUrl);
      break;
    case Escape::url_part:
      out += base::percent_encode(text, kUnreserved);
      break;
  }
}

class Renderer {
 public:
  Renderer(std::string& out, std::vector<std::vector<Instruction>> const& routines,
           RenderInput& input)
      : out_(out), routines_(routines), data_(input.data), slots_(input.slots) {}

  void run(std::size_t routine) {
    if (depth_ == kMostCalls) {
      throw std::runtime_error(
          "a template includes itself more than 100 times: items without a member use that of the "
          "item around them, so each needs its own, which may be an empty list");
    }
    ++depth_;
    run(routines_[routine], 0, routines_[routine].size());
    --depth_;
  }

 private:
  void run(const std::vector<Instruction>& code, std::size_t at, std::size_t end) {
    while (at < end) {
      const Instruction& step = code[at];
      switch (step.kind) {
        case Instruction::Kind::text:
          out_ += step.text;
          break;
        case Instruction::Kind::value:
          append_value(out_, find_value(data_, step.path), step.escape);
          break;
        case Instruction::Kind::slot:
          out_ += slots_[static_cast<std::size_t>(step.slot)];
          break;
        case Instruction::Kind::call:
          run(step.routine);
          break;
        case Instruction::Kind::inverted:
          if (!is_truthy(find_value(data_, step.path))) run(code, at + 1, step.end);
          at = step.end;
          continue;
        case Instruction::Kind::section:
          run_section(find_value(data_, step.path), code, at + 1, step.end);
          at = step.end;
          continue;
      }
      ++at;
    }
  }

  void run_section(const Json* value, const std::vector<Instruction>& code, std::size_t at,
                   std::size_t end) {
    if (!is_truthy(value)) return;
    if (!value->is_array()) return run_with(*value, code, at, end);
    for (const Json& item : *value) run_with(item, code, at, end);
  }

  void run_with(const Json& value, const std::vector<Instruction>& code, std::size_t at,
                std::size_t end) {
    data_.push_back(&value);
    run(code, at, end);
    data_.pop_back();
  }

  std::string& out_;
  const std::vector<std::vector<Instruction>>& routines_;
  std::vector<const Json*>& data_;
  const std::array<std::string_view, kSlotNames.size()>& slots_;
  std::size_t depth_ = 0;
};

}  // namespace

const Json* find_value(std::span<const Json* const> data, std::span<const std::string> path) {
  if (path.empty()) return data.empty() ? nullptr : data.back();
  for (auto frame = data.rbegin(); frame != data.rend(); ++frame) {
    const auto* object = (*frame)->get_ptr<const Json::object_t*>();
    if (object == nullptr) continue;
    auto member = object->find(path.front());
    if (member == object->end()) continue;
    const Json* value = &member->second;
    for (const std::string& name : path.subspan(1)) {
      object = value->get_ptr<const Json::object_t*>();
      if (object == nullptr || (member = object->find(name)) == object->end()) return nullptr;
      value = &member->second;
    }
    return value;
  }
  return nullptr;
}

bool is_truthy(const Json* value) {
  if (value == nullptr || value->is_null()) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_string()) return !value->get_ref<const std::string&>().empty();
  if (value->is_number()) return value->get<double>() != 0;
  return !value->is_array() || !value->empty();
}

void append_value(std::string& out, const Json* value, Escape escape) {
  if (escape == Escape::json) return append_script_json(out, value != nullptr ? *value : Json());
  if (value == nullptr || value->is_null()) return;
  if (const auto* text = value->get_ptr<const std::string*>()) {
    append_text(out, *text, escape);
  } else {
    append_text(out, base::to_json_text(*value), escape);
  }
}

void Program::render(std::string& out, RenderInput input) const {
  if (!routines_.empty()) Renderer(out, routines_, input).run(0);
}

}  // namespace fw::templates
