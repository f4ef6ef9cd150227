#include "observe/span_record.hpp"

#include <algorithm>

namespace fw::detail {
namespace {

constexpr std::size_t kMaxAttributes = 32;
constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMaxText = 1'024;

/// The beginning of a text, without a part of a character of UTF-8 at its end.
std::string_view cut(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  const auto is_continued = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (size > 0 && is_continued(size)) --size;
  return text.substr(0, size);
}

/// Returns whether it was set.
bool set_in(SpanAttributes& attributes, std::string_view attribute, SpanValue value) {
  attribute = cut(attribute, kMaxName);
  if (auto* const text = std::get_if<std::string>(&value))
    text->resize(cut(*text, kMaxText).size());
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const auto& each) { return each.first == attribute; });
  if (found != attributes.end()) {
    found->second = std::move(value);
    return true;
  }
  if (attributes.size() == kMaxAttributes) return false;
  attributes.emplace_back(attribute, std::move(value));
  return true;
}

std::size_t bytes_of(const SpanAttributes& attributes) {
  std::size_t size = 0;
  for (const auto& [attribute, value] : attributes) {
    size += sizeof(attributes.front()) + attribute.size();
    if (const auto* const text = std::get_if<std::string>(&value)) size += text->size();
  }
  return size;
}

}  // namespace

void SpanEvent::set(std::string_view attribute, SpanValue value) {
  if (!set_in(attributes, attribute, std::move(value))) ++dropped_attributes;
}

std::size_t SpanEvent::bytes() const {
  return sizeof(SpanEvent) + name.size() + bytes_of(attributes);
}

void SpanRecord::set(std::string_view attribute, SpanValue value) {
  if (!set_in(attributes, attribute, std::move(value))) ++dropped_attributes;
}

void SpanRecord::fail(std::string_view type) {
  has_failed = true;
  if (!type.empty()) set("error.type", std::string(type));
}

void SpanRecord::rename(std::string_view text) { name = cut(text, kMaxName); }

std::size_t SpanRecord::bytes() const {
  std::size_t size = sizeof(SpanRecord) + name.size() + tracestate.size() + bytes_of(attributes);
  for (const SpanEvent& event : events) size += event.bytes();
  return size;
}

}  // namespace fw::detail
