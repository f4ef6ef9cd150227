#include "exchange/response_schemas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/parse_number.hpp"

namespace fw::detail {
namespace {

bool is_family(std::string_view selector) {
  return selector.size() == 3 && selector.substr(1) == "xx" && selector[0] >= '1' &&
         selector[0] <= '5';
}

}  // namespace

const DeclaredStream::Event* DeclaredStream::find(std::string_view name) const {
  const auto found = std::ranges::find(events, name, &Event::name);
  return found == events.end() ? nullptr : &*found;
}

void ResponseSchemas::add(std::string_view selector, schema::OutputSchema schema,
                          const std::type_info* type) {
  add(selector, Declared{std::move(schema), type});
}

void ResponseSchemas::add(std::string_view selector, DeclaredStream stream) {
  add(selector, Declared{schema::OutputSchema(true), nullptr,
                         std::make_shared<const DeclaredStream>(std::move(stream))});
  has_stream_ = true;
}

void ResponseSchemas::add(std::string_view selector, Declared declared) {
  bool is_new = false;
  if (selector == "default") {
    is_new = !default_;
    if (is_new) default_ = std::move(declared);
  } else if (is_family(selector)) {
    is_new = families_.emplace(selector[0] - '0', std::move(declared)).second;
  } else {
    const auto status = base::parse_number<int>(selector);
    if (!status || *status < 100 || *status > 599) {
      throw std::invalid_argument(fmt::format(
          "'{}' is not a status (\"201\"), a family (\"2xx\") or \"default\"", selector));
    }
    is_new = statuses_.emplace(*status, std::move(declared)).second;
  }
  if (!is_new) throw std::invalid_argument(fmt::format("'{}' is declared twice", selector));
}

const ResponseSchemas::Declared* ResponseSchemas::find(int status) const {
  if (const auto exact = statuses_.find(status); exact != statuses_.end()) return &exact->second;
  if (const auto family = families_.find(status / 100); family != families_.end()) {
    return &family->second;
  }
  return default_ ? &*default_ : nullptr;
}

std::string ResponseSchemas::describe(std::string_view what, const FieldError& error) {
  const std::string member = error.field.empty() ? "the data" : fmt::format("'{}'", error.field);
  return fmt::format("{} is not as declared: {} {}", what, member, error.message);
}

}  // namespace fw::detail
