// Builds the path of an outbound URL from values that a client can influence.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fw {

/// One segment of a path: a string, or an integer in decimal.
class UrlSegment {
 public:
  /// `text` is not encoded.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  UrlSegment(const T& text) : text_(std::string_view(text)) {}
  /// `number` becomes decimal.
  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  UrlSegment(T number) : text_(std::to_string(number)) {}

  const std::string& str() const { return text_; }  ///< not encoded

 private:
  std::string text_;
};

/// A path with each segment percent-encoded, so that no value can end the path or change its
/// structure: `fw::url_path({"users", id, "public"})` is "/users/42/public", and with the id
/// "a/b?c"
/// "/users/a%2Fb%3Fc/public". Throws HttpError 400 for an empty segment and for "." and "..", which
/// have no encoding that every server reads as a name.
///
///     app.fetch.proxy["billing"](req, res, {.path = fw::url_path({"users", *req.param("id")})});
std::string url_path(std::initializer_list<UrlSegment> segments);

/// The segments of a relative path, encoded as by `url_path`, with a slash before each. For
/// wildcards, which are decoded and contain slashes: "a b/c" becomes "/a%20b/c", and "" becomes
/// "/". Throws HttpError 400 for "." and "..".
///
///     app.fetch.proxy["files"](req, res, {.path = fw::url_subpath(req.param("*").value_or(""))});
std::string url_subpath(std::string_view path);

}  // namespace fw
