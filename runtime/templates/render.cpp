#include <stdexcept>
#include <string>
#include <string_view>

#include "base/ascii.hpp"
#include "base/html.hpp"
#include "base/json_text.hpp"
#include "base/url_encoding.hpp"
#include "templates/program.hpp"

namespace fw::templates {
namespace {

constexpr std::string_view kUnsafeUrl = "#unsafe-url";
constexpr std::string_view kUnreserved = "-._~";
constexpr std::size_t kMaxCalls = 100;

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

/// Appends JSON text so that it contains nothing that HTML or JavaScript read otherwise.
void append_script_json(std::string& out, std::string_view json) {
  std::size_t plain = 0;  // the first byte that is not appended yet
  const auto replace = [&](std::size_t at, std::size_t size, std::string_view escape) {
    out.append(json, plain, at - plain);
    out += escape;
    plain = at + size;
  };
  for (std::size_t at = 0; at < json.size(); ++at) {
    switch (json[at]) {
      case '<':
        replace(at, 1, "\\u003c");
        break;
      case '>':
        replace(at, 1, "\\u003e");
        break;
      case '&':
        replace(at, 1, "\\u0026");
        break;
      case '\xE2':
        if (json.substr(at, 3) == "\xE2\x80\xA8") replace(at, 3, "\\u2028");
        if (json.substr(at, 3) == "\xE2\x80\xA9") replace(at, 3, "\\u2029");
        break;
      default:
        break;
    }
  }
  out.append(json, plain);
}

/// The value of a name, or null: the value in the innermost object with a member for its first
/// part, which has the other ones too. An empty path is the innermost value.
const DataNode* find_value(const std::vector<const DataNode*>& data,
                           const std::vector<std::string>& path) {
  if (path.empty()) return data.empty() ? nullptr : data.back();
  for (auto frame = data.rbegin(); frame != data.rend(); ++frame) {
    const DataNode* value = (*frame)->member(path.front());
    for (std::size_t i = 1; i < path.size() && value != nullptr; ++i) {
      value = value->member(path[i]);
      if (value == nullptr) return nullptr;
    }
    if (value != nullptr) return value;
  }
  return nullptr;
}

class Renderer {
 public:
  Renderer(std::string& out, std::vector<std::vector<Instruction>> const& routines,
           RenderInput& input)
      : out_(out), routines_(routines), data_(input.data), slots_(input.slots) {}

  void run(std::size_t routine) {
    if (depth_ == kMaxCalls) {
      throw std::runtime_error(
          "a template includes itself more than 100 times: items without a member use the outer "
          "item's member, so each needs its own, which may be an empty list");
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
          fill(slots_[static_cast<std::size_t>(step.slot)]);
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

  void fill(const SlotContent& slot) {
    out_ += slot.text;
    if (slot.program != nullptr) slot.program->render(out_, {.data = {slot.data}});
  }

  void run_section(const DataNode* value, const std::vector<Instruction>& code, std::size_t at,
                   std::size_t end) {
    if (!is_truthy(value)) return;
    if (value->kind != DataNode::Kind::array) return run_with(*value, code, at, end);
    for (const DataNode* item = value + 1; item != value->after(); item = item->after()) {
      run_with(*item, code, at, end);
    }
  }

  void run_with(const DataNode& value, const std::vector<Instruction>& code, std::size_t at,
                std::size_t end) {
    data_.push_back(&value);
    run(code, at, end);
    data_.pop_back();
  }

  std::string& out_;
  const std::vector<std::vector<Instruction>>& routines_;
  std::vector<const DataNode*>& data_;
  const std::array<SlotContent, kSlotNames.size()>& slots_;
  std::size_t depth_ = 0;
};

}  // namespace

void append_text(std::string& out, std::string_view text, Escape escape) {
  switch (escape) {
    case Escape::none:
      out += text;
      break;
    case Escape::html:
      base::append_html(out, text);
      break;
    case Escape::url:
      base::append_html(out, is_safe_url(text) ? text : kUnsafeUrl);
      break;
    case Escape::url_part:
      out += base::percent_encode(text, kUnreserved);
      break;
    case Escape::json: {
      std::string json;
      base::append_json_text(json, text);
      append_script_json(out, json);
      break;
    }
  }
}

void append_value(std::string& out, const DataNode* value, Escape escape) {
  if (value != nullptr && value->source != nullptr) {
    append_value(out, *value->source, escape);
  } else if (value == nullptr || value->kind == DataNode::Kind::null) {
    if (escape == Escape::json) out += "null";
  } else if (value->kind == DataNode::Kind::string) {
    append_text(out, value->text, escape);
  } else if (escape == Escape::json) {
    append_script_json(out, value->text);
  } else {
    append_text(out, value->text, escape);
  }
}

void append_value(std::string& out, const Json& value, Escape escape) {
  if (const auto* text = value.get_ptr<const std::string*>()) {
    append_text(out, *text, escape);
  } else if (escape == Escape::json) {
    append_script_json(out, base::to_json_text(value));
  } else if (!value.is_null()) {
    append_text(out, base::to_json_text(value), escape);
  }
}

std::string fill_text(const std::string& text, const Data& data) {
  std::vector<Error> errors;
  const Template parsed = parse_template({}, text, errors);
  if (!errors.empty()) {
    throw std::invalid_argument("'" + text + "': " + errors.front().message);
  }
  std::string filled;
  for (const Node& node : parsed.nodes) {
    if (node.kind == Node::Kind::text) {
      filled += node.text;
    } else if (node.kind == Node::Kind::value) {
      append_value(filled, find_value({&data.root()}, node.path), Escape::none);
    } else {
      throw std::invalid_argument("'" + text + "': only values can be in metadata");
    }
  }
  return filled;
}

void Program::render(std::string& out, RenderInput input) const {
  if (!routines_.empty()) Renderer(out, routines_, input).run(0);
}

}  // namespace fw::templates
