// Bodies of outbound requests (docs/fetch.md).
#pragma once

#include <fairway/json_type.hpp>
#include <fairway/readable.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

/// A form: `multipart/form-data`, or `application/x-www-form-urlencoded` with `url_encoded`.
class FormData {
 public:
  /// A field or a file.
  struct Part {
    std::string name;                          ///< of the field
    std::string content;                       ///< bytes, sent unchanged
    std::optional<std::string> filename = {};  ///< files only
    std::string content_type = {};             ///< media type of a file; empty: none is sent
  };

  /// Adds a text field; names may repeat.
  FormData& append(std::string name, std::string value);
  /// Adds a file with this content.
  FormData& append_file(std::string name, std::string filename, std::string content,
                        std::string content_type = "application/octet-stream");
  /// Makes it `application/x-www-form-urlencoded`. A call that sends such a form throws OptionError
  /// if it has files.
  FormData& url_encoded();

  /// @{
  /// What was added, for the client.
  const std::vector<Part>& parts() const { return parts_; }
  bool is_url_encoded() const { return url_encoded_; }
  /// @}

 private:
  std::vector<Part> parts_;
  bool url_encoded_ = false;
};

/// The body of an outbound request: a string that is sent unchanged, JSON, a form, or a source that
/// is read while it is sent. A source is sent only once: there is no retry, and no redirect that
/// repeats the body.
class FetchBody {
 public:
  FetchBody() = default;  ///< none
  /// @{
  /// Sent as `text/plain;charset=UTF-8`, unless a header has another type.
  template <class T>
    requires std::convertible_to<const T&, std::string_view>
  FetchBody(const T& text) : FetchBody(std::string(std::string_view(text))) {}
  FetchBody(std::string text);
  /// @}
  /// Sent as `application/json`, unless a header has another type.
  template <std::same_as<Json> T>  // only Json, because every other type would convert to it
  FetchBody(T json) : FetchBody(JsonValue{std::move(json)}) {}
  /// Sent with the type of the form.
  FetchBody(FormData form);
  /// Read and sent in chunks, or with its size if that is known. The type must be set in a header.
  FetchBody(Readable source);
  /// @{
  /// Copies and moves. Moving leaves no body in the source.
  FetchBody(const FetchBody& other);
  FetchBody(FetchBody&& other) noexcept;
  FetchBody& operator=(FetchBody other) noexcept;
  /// @}
  ~FetchBody();

  /// The forms of a body; std::monostate: none.
  using Value = std::variant<std::monostate, std::string, Json, FormData, Readable>;
  /// @{
  /// As given, for the client.
  Value& value();
  const Value& value() const;
  /// @}

 private:
  struct JsonValue {
    Json json;
  };
  explicit FetchBody(JsonValue value);

  Value* value_ = nullptr;  ///< owned; null: none
};

}  // namespace fw
