// Options of `Response::render` (docs/pages.md).
#pragma once

#include <fairway/json_type.hpp>
#include <fairway/response.hpp>

#include <optional>
#include <string_view>

namespace fw {

/// How `Response::render` renders a page.
struct RenderOptions {
  /// What the head of the document says of the page: an object with members such as `title` and
  /// `description`. They replace members of the route's `frontend.seo`.
  Json seo = {};
  std::optional<int> status = {};  ///< otherwise that set before, 200 by default
};

template <detail::WrittenByItself T>
void Response::render(std::string_view page, const T& data, RenderOptions options) {
  render_of(page, detail::encodable(data), options);
}
template <detail::WrittenByGeneratedCode T>
void Response::render(std::string_view page, const T& data, RenderOptions options) {
  render_of(page, detail::coded(data), options);
}

}  // namespace fw
