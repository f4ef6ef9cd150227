#include "base/json_text.hpp"

#include <fairway/json_writer.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "base/utf8.hpp"

/// <fairway/json.hpp> declares it.
template class nlohmann::basic_json<>;

namespace fw::base {
namespace {

using detail::TextWriter;

/// Whether a string needs no escapes in JSON.
bool is_plain(std::string_view text) {
  return !any_byte(text, [](auto word) { return mark_not_plain(word); });
}

constexpr auto kIsPlain = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = ' '; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

/// Writes the first character of a nonempty string, one that is not plain. Returns its bytes.
std::size_t put_special(TextWriter& out, std::string_view text) {
  const char c = text.front();
  if (static_cast<unsigned char>(c) >= 0x80) {
    const Utf8Part part = utf8_part(text);
    out.put(part.is_code_point ? text.substr(0, part.length) : "\xEF\xBF\xBD");
    return part.length;
  }
  constexpr std::string_view kCharacters = "\"\\\b\f\n\r\t";
  constexpr std::string_view kEscapes = "\"\\bfnrt";
  out.put('\\');
  if (const auto index = kCharacters.find(c); index != std::string_view::npos) {
    out.put(kEscapes[index]);
  } else {
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    out.put(c < 0x10 ? "u000" : "u001");
    out.put(kHexDigits[static_cast<unsigned char>(c) & 0xFU]);
  }
  return 1;
}

/// A string that is not plain, with its quotation marks. Not inlined, so that plain strings do not
/// pay for its registers.
[[gnu::noinline]] void put_escaped(TextWriter& out, std::string_view text) {
  out.put('"');
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && kIsPlain[static_cast<unsigned char>(text[end])]) ++end;
    out.put(text.substr(at, end - at));
    at = end;
    if (at < text.size()) at += put_special(out, text.substr(at));
  }
  out.put('"');
}

void put_zeros(TextWriter& out, int count) {
  for (int i = 0; i < count; ++i) out.put('0');
}

/// 0.<digits> times ten to the power of `point`.
void put_decimal(TextWriter& out, std::string_view digits, int point) {
  constexpr int kMaxWholeDigits = 15;
  constexpr int kMaxLeadingZeros = 3;
  const int count = static_cast<int>(digits.size());
  if (point > kMaxWholeDigits || point < -kMaxLeadingZeros) {
    out.put(digits.front());
    if (count > 1) {
      out.put('.');
      out.put(digits.substr(1));
    }
    const int exponent = point - 1;
    out.put(exponent < 0 ? "e-" : "e+");
    if (std::abs(exponent) < 10) out.put('0');
    out.put_number(std::abs(exponent));
  } else if (point <= 0) {
    out.put("0.");
    put_zeros(out, -point);
    out.put(digits);
  } else if (count <= point) {
    out.put(digits);
    put_zeros(out, point - count);
    out.put(".0");
  } else {
    const auto whole = static_cast<std::size_t>(point);
    out.put(digits.substr(0, whole));
    out.put('.');
    out.put(digits.substr(whole));
  }
}

}  // namespace

void append_json(std::string& out, const Json& value) {
  detail::JsonWriter writer;
  writer.tree(value);
  out += writer.content();
}

std::string to_json_text(const Json& value) {
  detail::JsonWriter writer;
  writer.tree(value);
  return std::string(writer.content());
}

void append_json_text(std::string& out, std::string_view text) {
  detail::JsonWriter writer;
  writer.string(text);
  out += writer.content();
}

std::size_t memory_of(const Json& value) {
  constexpr std::size_t kBlock = 16;  // what the allocator adds to a block
  constexpr std::size_t kTreeNode = 32 + kBlock;
  switch (value.type()) {
    case Json::value_t::string: {
      const auto& text = value.get_ref<const Json::string_t&>();
      return sizeof value + sizeof text + text.size() + 2 * kBlock;
    }
    case Json::value_t::array: {
      std::size_t bytes = sizeof value + sizeof(Json::array_t) + 2 * kBlock;
      for (const Json& item : value.get_ref<const Json::array_t&>()) bytes += memory_of(item);
      return bytes;
    }
    case Json::value_t::object: {
      std::size_t bytes = sizeof value + sizeof(Json::object_t) + kBlock;
      for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
        bytes += kTreeNode + sizeof name + name.size() + memory_of(member);
      }
      return bytes;
    }
    default:
      return sizeof value;
  }
}

std::string pointer_step(std::string_view name) {
  Json::json_pointer step;
  step.push_back(std::string(name));
  return step.to_string();
}

void destroy_iteratively(Json& value, int deepest) noexcept {
  if (deepest == 0) return;
  if (auto* items = value.get_ptr<Json::array_t*>()) {
    for (Json& item : *items) {
      if (item.is_structured()) destroy_iteratively(item, deepest - 1);
    }
    items->clear();
  } else if (auto* members = value.get_ptr<Json::object_t*>()) {
    for (auto& [name, member] : *members) {
      if (member.is_structured()) destroy_iteratively(member, deepest - 1);
    }
    members->clear();
  }
}

}  // namespace fw::base

namespace fw::detail {

Json json_object() { return Json::object(); }

const Json& null_json() {
  static const Json null;
  return null;
}

const Json& empty_object() {
  static const Json empty = Json::object();
  return empty;
}

void JsonWriter::string(std::string_view text) {
  if (!base::is_plain(text)) return base::put_escaped(*this, text);
  char* at = room(text.size() + 2);
  *at++ = '"';
  at += text.copy(at, text.size());
  *at++ = '"';
  end_at(at);
}

void JsonWriter::number(double number) {
  if (!std::isfinite(number)) {
    not_finite_.push_back(content().size());
    return raw("null");
  }
  // d.ddde-308: as many digits as are needed.
  std::array<char, 32> buffer;
  const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                        std::chars_format::scientific)
                              .ptr;
  std::string_view text(buffer.data(), end);
  if (text.starts_with('-')) {
    put('-');
    text.remove_prefix(1);
  }
  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), end, exponent);
  std::string digits(text.substr(0, 1));
  if (mark > 2) digits += text.substr(2, mark - 2);
  base::put_decimal(*this, digits, exponent + 1);
}

/// `levels` is the number of levels of arrays and objects that are left.
void JsonWriter::tree(const Json& value, int levels) {
  if (value.is_structured() && levels-- == 0) {
    throw std::length_error("a JSON value is nested more than 1024 levels deep");
  }
  switch (value.type()) {
    case Json::value_t::null:
      return raw("null");
    case Json::value_t::boolean:
      return boolean(value.get<bool>());
    case Json::value_t::number_integer:
      return put_number(value.get<Json::number_integer_t>());
    case Json::value_t::number_unsigned:
      return put_number(value.get<Json::number_unsigned_t>());
    case Json::value_t::string:
      return string(value.get_ref<const Json::string_t&>());
    case Json::value_t::array:
      return array(value.get_ref<const Json::array_t&>(),
                   [&](const Json& item) { tree(item, levels); });
    case Json::value_t::object: {
      char before = '{';
      for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
        put(before);
        string(name);
        put(':');
        tree(member, levels);
        before = ',';
      }
      return raw(before == '{' ? "{}" : "}");
    }
    case Json::value_t::number_float:
      return number(value.get<Json::number_float_t>());
    case Json::value_t::binary:
    case Json::value_t::discarded:
      return raw(value.dump());
  }
}

}  // namespace fw::detail
