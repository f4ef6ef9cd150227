// Templates: errors are within their source, and a value cannot change what the HTML around it
// means. The input is a page, a partial and a layout, with a NUL between them.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "fuzz.hpp"
#include "templates/program.hpp"

namespace {

using namespace fw::templates;
using Names = std::initializer_list<std::string_view>;

bool is_in(std::string_view name, Names names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_space(char c) { return is_in(std::string_view(&c, 1), {" ", "\t", "\n", "\f", "\r"}); }
bool ends_name(char c) { return is_space(c) || c == '/' || c == '>'; }

/// A browser's reading of HTML: its elements and attributes, and all that is executed. A
/// tokenizer as the HTML standard describes it, which shares no code with the tokenizer of the
/// templates.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view html) : html_(html) {}

  std::vector<std::string> run() {
    while (at_ < html_.size()) read_text();
    return std::move(trace_);
  }

 private:
  std::string_view rest() const { return html_.substr(at_); }

  /// Returns the text before `end`, and skips both.
  std::string_view until(std::string_view end) {
    const std::string_view text = rest().substr(0, rest().find(end));
    at_ = std::min(html_.size(), at_ + text.size() + end.size());
    return text;
  }

  template <class Ends>
  std::string_view while_not(Ends ends) {
    const std::string_view left = rest();
    const auto end = std::ranges::find_if(left, ends);
    const auto size = static_cast<std::size_t>(end - left.begin());
    at_ += size;
    return left.substr(0, size);
  }

  void read_text() {
    until("<");
    if (rest().starts_with("!--")) {
      at_ += 3;
      if (rest().starts_with('>') || rest().starts_with("->")) {
        until(">");
        return;
      }
      const std::size_t end = std::min(rest().find("-->"), rest().find("--!>"));
      trace_.push_back("comment " + std::string(rest().substr(0, end)));
      at_ = end == std::string_view::npos ? html_.size() : at_ + end;
      until(">");
    } else if (rest().starts_with('!') || rest().starts_with('?')) {
      trace_.push_back("declaration " + std::string(until(">")));
    } else if (rest().starts_with('/')) {
      ++at_;
      if (!rest().empty() && fw::base::is_letter(rest().front())) {
        read_tag();
      } else {
        trace_.push_back("declaration " + std::string(until(">")));
      }
    } else if (!rest().empty() && fw::base::is_letter(rest().front())) {
      const std::string name = read_tag();
      read_content(name);
    }
  }

  /// Returns the name.
  std::string read_tag() {
    const std::string name = fw::base::lower_case(while_not(ends_name));
    trace_.push_back("tag " + name);
    has_type_ = false;
    is_data_ = false;
    while (true) {
      while_not([](char c) { return !is_space(c) && c != '/'; });
      if (rest().empty() || rest().front() == '>') break;
      read_attribute(name);
    }
    until(">");
    return name;
  }

  void read_attribute(const std::string& element) {
    const std::size_t begin = at_++;  // an equals sign may begin a name
    while_not([](char c) { return ends_name(c) || c == '='; });
    const std::string name = fw::base::lower_case(html_.substr(begin, at_ - begin));
    while_not([](char c) { return !is_space(c); });
    std::string_view value;
    if (rest().starts_with('=')) {
      ++at_;
      while_not([](char c) { return !is_space(c); });
      if (rest().starts_with('"') || rest().starts_with('\'')) {
        const std::string quote(rest().substr(0, 1));
        ++at_;
        value = until(quote);
      } else {
        value = while_not([](char c) { return is_space(c) || c == '>'; });
      }
    }
    add_attribute(element, name, value);
  }

  void add_attribute(const std::string& element, const std::string& name, std::string_view value) {
    std::string shown = "attribute " + name;
    const bool is_code = name.starts_with("on") || is_in(name, {"style", "srcdoc"});
    const bool selects_code = (element == "script" && is_in(name, {"src", "type"})) ||
                              (element == "meta" && name == "http-equiv");
    if (is_code || selects_code) {
      shown += ' ' + std::string(value);
    }
    if (is_in(name, {"href", "src", "action", "formaction", "data", "xlink:href"})) {
      std::string scheme(value);
      std::erase_if(scheme, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
      if (fw::base::lower_case(scheme).starts_with("javascript:")) shown += " runs";
    }
    // The first of two attributes with one name is the one that counts.
    if (name == "type" && !has_type_) {
      has_type_ = true;
      const std::string type =
          fw::base::lower_case(fw::base::trim_whitespace(value.substr(0, value.find(';'))));
      is_data_ = is_in(type, {"application/json", "application/ld+json"});
    }
    trace_.push_back(std::move(shown));
  }

  void read_content(const std::string& name) {
    const bool is_escapable = is_in(name, {"title", "textarea"});
    const bool is_raw = is_in(name, {"style", "xmp", "iframe", "noembed", "noframes", "script"});
    if (name == "plaintext") at_ = html_.size();
    if (!is_escapable && !is_raw) return;
    const std::size_t begin = at_;
    while (at_ < html_.size()) {
      until("<");
      const std::string_view tag = rest().substr(0, name.size() + 2);
      if (tag.size() < name.size() + 2 || tag.front() != '/' || !ends_name(tag.back()) ||
          !fw::base::equal_ignoring_case(tag.substr(1, name.size()), name)) {
        continue;
      }
      --at_;
      break;
    }
    const std::string_view content = html_.substr(begin, at_ - begin);
    if (name == "script" && is_data_) {
      const bool is_json = nlohmann::json::accept(content);
      trace_.push_back(is_json ? "JSON" : "no JSON");
    } else if (is_raw) {
      trace_.push_back("content " + std::string(content));
    }
  }

  std::string_view html_;
  std::size_t at_ = 0;
  bool has_type_ = false;  ///< the last element has a type
  bool is_data_ = false;   ///< the type is JSON
  std::vector<std::string> trace_;
};

/// Data in which all values are strings of the same truth.
fw::Json data_of(const std::string& value) {
  const fw::Json object = {{"a", value}, {"x", value}};
  return {{"a", value},
          {"b", object},
          {"c", fw::Json::array({object})},
          {"d", fw::Json::array({value})},
          {"e", ""}};
}

bool has_raw_values(const Program& program) {
  return std::ranges::any_of(program.routines(), [](const auto& routine) {
    return std::ranges::any_of(routine, [](const Instruction& step) {
      return step.kind == Instruction::Kind::value && step.escape == Escape::none;
    });
  });
}

std::vector<std::string> trace_of(const Program& program, const std::string& value) {
  const fw::Json values = data_of(value);
  const Data data(values);
  std::string html;
  program.render(html, {.data = {&data.root()}});
  return Tokenizer(html).run();
}

void check_errors(const Library& library, const std::vector<Error>& errors) {
  for (const Error& error : errors) {
    const Template* const file = library.find(error.name);
    fuzz::require(file != nullptr && !error.message.empty());
    fuzz::require(error.span.offset <= file->source.size());
    // An error of a whole template may be at the first byte of an empty one.
    fuzz::require(error.span.length <=
                  std::max<std::size_t>(1, file->source.size()) - error.span.offset);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input = fuzz::text_of(data, size);
  Library library;
  std::vector<Error> errors;
  for (const char* name : {"page", "_part", "_layout"}) {
    const std::string_view source = input.substr(0, input.find('\0'));
    library.add(parse_template(name, std::string(source), errors));
    input.remove_prefix(std::min(input.size(), source.size() + 1));
  }
  check_errors(library, errors);
  if (!errors.empty()) return 0;
  const Program program = library.link("page", false, errors);
  check_errors(library, errors);
  if (!errors.empty() || has_raw_values(program)) return 0;
  try {
    const auto expected = trace_of(program, "v");
    for (const char* hostile : {"\"'><script>x()</script><p onclick=x() a=\"'", "javascript:x()",
                                "--></title></textarea></script>", "x\" onfocus=x() y=\"",
                                "x' onfocus=x() y='", "x onfocus=x() y=`z` \\"}) {
      fuzz::require(trace_of(program, hostile) == expected);
    }
  } catch (const std::runtime_error&) {
    // A partial that includes itself without end.
  }
  return 0;
}
