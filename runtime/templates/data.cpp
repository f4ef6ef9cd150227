#include "templates/data.hpp"

#include <cstring>
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/word_scan.hpp"

namespace fw::templates {
namespace {

using Kind = DataNode::Kind;

constexpr int kMaxDepth = 1000;

void require_depth(int depth) {
  if (depth > kMaxDepth) throw std::invalid_argument("the data of a page is nested too deeply");
}

/// Where the characters of a string end that need no decoding: at a quotation mark or a backslash.
std::size_t plain_end(std::string_view text, std::size_t at) {
  std::uint64_t word = 0;
  for (; text.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((base::mark_equal(word, '"') | base::mark_equal(word, '\\')) != 0) break;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
  return at;
}

Kind kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      return value.get<bool>() ? Kind::yes : Kind::no;
    case Json::value_t::string:
      return Kind::string;
    case Json::value_t::array:
      return Kind::array;
    case Json::value_t::object:
      return Kind::object;
    case Json::value_t::null:
    case Json::value_t::discarded:
      return Kind::null;
    default:
      return Kind::number;
  }
}

}  // namespace

std::size_t Data::begin(Kind kind, const Json* source) {
  nodes_.push_back({.source = source, .kind = kind});
  return nodes_.size() - 1;
}

void Data::end(std::size_t begin) {
  nodes_[begin].size = static_cast<std::uint32_t>(nodes_.size() - begin);
}

void Data::append(const Json& value, int depth) {
  require_depth(depth);
  const std::size_t node = begin(kind_of(value), &value);
  if (const auto* text = value.get_ptr<const std::string*>()) {
    nodes_[node].text = *text;
  } else if (const auto* items = value.get_ptr<const Json::array_t*>()) {
    for (const Json& item : *items) append(item, depth + 1);
  } else if (const auto* members = value.get_ptr<const Json::object_t*>()) {
    for (const auto& [name, member] : *members) {
      nodes_.push_back({.text = name, .kind = Kind::string});
      append(member, depth + 1);
    }
  }
  end(node);
}

class Data::Parser {
 public:
  Parser(Data& data, std::string_view text) : data_(data), text_(text) {}

  void parse() {
    value(0);
    skip_blanks();
    if (at_ != text_.size()) fail();
  }

 private:
  [[noreturn]] static void fail() {
    throw std::invalid_argument("the data of a page was not encoded as JSON");
  }

  void skip_blanks() {
    while (at_ < text_.size() && base::is_whitespace(text_[at_])) ++at_;
  }
  char next() {
    skip_blanks();
    if (at_ == text_.size()) fail();
    return text_[at_];
  }
  bool take(char c) {
    if (next() != c) return false;
    ++at_;
    return true;
  }
  void require(char c) {
    if (!take(c)) fail();
  }

  void value(int depth) {
    require_depth(depth);
    const char first = next();
    if (first == '"') return string();
    const std::size_t begin = at_;
    std::size_t node = 0;
    if (first == '{') {
      node = data_.begin(Kind::object, nullptr);
      items('}', [&] {
        if (next() != '"') fail();
        string();
        require(':');
        value(depth + 1);
      });
    } else if (first == '[') {
      node = data_.begin(Kind::array, nullptr);
      items(']', [&] { value(depth + 1); });
    } else {
      while (at_ < text_.size() && is_scalar(text_[at_])) ++at_;
      node = data_.begin(scalar_kind(text_.substr(begin, at_ - begin)), nullptr);
    }
    data_.nodes_[node].text = text_.substr(begin, at_ - begin);
    data_.end(node);
  }

  template <class Item>
  void items(char end, Item item) {
    ++at_;
    if (take(end)) return;
    do item();
    while (take(','));
    require(end);
  }

  static bool is_scalar(char c) {
    return base::is_alphanumeric(c) || c == '-' || c == '+' || c == '.';
  }
  static Kind scalar_kind(std::string_view text) {
    if (text == "null") return Kind::null;
    if (text == "true") return Kind::yes;
    if (text == "false") return Kind::no;
    if (text.empty() || !(base::is_digit(text.front()) || text.front() == '-')) fail();
    return Kind::number;
  }

  void string() {
    const std::size_t begin = at_ + 1;
    const std::size_t end = plain_end(text_, begin);
    if (end == text_.size()) fail();
    const std::size_t node = data_.begin(Kind::string, nullptr);
    if (text_[end] == '"') {
      at_ = end + 1;
      data_.nodes_[node].text = text_.substr(begin, end - begin);
    } else {
      data_.nodes_[node].text = decoded(begin - 1, end);
    }
  }

  /// A string with escapes, the first of which is at `escape`.
  std::string_view decoded(std::size_t begin, std::size_t escape) {
    std::size_t end = escape;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2U : 1U;
    if (end >= text_.size()) fail();
    at_ = end + 1;
    const Json string = Json::parse(text_.substr(begin, at_ - begin), nullptr, false);
    if (!string.is_string()) fail();
    return data_.decoded_.emplace_front(string.get_ref<const std::string&>());
  }

  Data& data_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Data Data::parse(std::string_view json) {
  Data data;
  data.nodes_.reserve(json.size() / 12 + 1);
  Parser(data, json).parse();
  return data;
}

bool is_truthy(const DataNode* value) {
  if (value == nullptr) return false;
  switch (value->kind) {
    case Kind::null:
    case Kind::no:
      return false;
    case Kind::yes:
    case Kind::object:
      return true;
    case Kind::string:
      return !value->text.empty();
    case Kind::array:
      return value->size > 1;
    case Kind::number:
      break;
  }
  if (value->source != nullptr) return value->source->get<double>() != 0;
  const std::string_view digits = value->text.substr(0, value->text.find_first_of("eE"));
  return digits.find_first_of("123456789") != std::string_view::npos;
}

}  // namespace fw::templates
