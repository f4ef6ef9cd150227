#include "diff/document.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/json_text.hpp"

namespace fairway::diff {
namespace {

std::string unescaped(std::string_view step) {
  std::string name;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const char next = i + 1 < step.size() ? step[i + 1] : '\0';
    if (step[i] == '~' && (next == '0' || next == '1')) {
      name += next == '0' ? '~' : '/';
      ++i;
    } else {
      name += step[i];
    }
  }
  return name;
}

/// A reference is a URI fragment: "%7Bid%7D" stands for "{id}".
std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

Place step_into(const Place& place, const std::string& name) {
  if (!place.value->is_array()) return place.member(name);
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), index);
  return fault == std::errc() && end == name.data() + name.size() ? place.item(index) : Place();
}

}  // namespace

std::string_view level_name(Level level) {
  switch (level) {
    case Level::breaking:
      return "breaking";
    case Level::non_breaking:
      return "non-breaking";
    case Level::documentation:
      break;
  }
  return "documentation";
}

bool same_value(const Json& one, const Json& other) {
  if (!one.is_structured() || one.type() != other.type()) return one == other;
  if (one.size() != other.size()) return false;
  if (one.is_array()) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!same_value(one[i], other[i])) return false;
    }
    return true;
  }
  for (const auto& [name, value] : one.items()) {
    const auto found = other.find(name);
    if (found == other.end() || !same_value(value, *found)) return false;
  }
  return true;
}

Place Place::member(std::string_view name) const {
  if (value == nullptr || !value->is_object()) return {};
  const auto found = value->find(name);
  return found == value->end() ? Place() : Place{&*found, pointer + fw::base::pointer_step(name)};
}

Place Place::item(std::size_t index) const {
  if (value == nullptr || !value->is_array() || index >= value->size()) return {};
  return {&(*value)[index], fmt::format("{}/{}", pointer, index)};
}

Document::Document(std::string name, Json root, Source source)
    : name_(std::move(name)), root_(std::move(root)), source_(source) {}

void Document::fail(const Place& place, std::string_view what) const {
  throw BadDocument(fmt::format("{}: {}: {}", name_,
                                place.pointer.empty() ? "the document" : place.pointer, what));
}

Place Document::object(const Place& parent, std::string_view name) const {
  Place place = parent.member(name);
  if (place && !place.value->is_object()) fail(place, "must be an object");
  return place;
}

Place Document::array(const Place& parent, std::string_view name) const {
  Place place = parent.member(name);
  if (place && !place.value->is_array()) fail(place, "must be an array");
  return place;
}

Place Document::target(const Place& place) const {
  const Place reference = place.member("$ref");
  if (!reference) return place;
  if (!reference.value->is_string()) fail(reference, "must be a text");
  const auto& text = reference.value->get_ref<const std::string&>();
  if (!text.starts_with('#')) {
    fail(reference,
         fmt::format("'{}' is in another file: bundle the document into one file first", text));
  }
  const std::string path = percent_decoded(std::string_view(text).substr(1));
  Place found = root();
  std::size_t begin = 0;
  if (!path.empty() && path[0] != '/') found = {};
  while (found && begin < path.size()) {
    const std::size_t end = path.find('/', begin + 1);
    const std::size_t length = end == std::string::npos ? path.size() - begin : end - begin;
    found = step_into(found, unescaped(std::string_view(path).substr(begin + 1, length - 1)));
    begin += length;
  }
  if (!found) fail(reference, fmt::format("there is no '{}' in the document", text));
  return found;
}

Place Document::resolved(Place place) const {
  std::set<const Json*> seen;
  while (place.member("$ref")) {
    if (!seen.insert(place.value).second) fail(place, "the reference leads back to itself");
    place = target(place);
  }
  return place;
}

}  // namespace fairway::diff
