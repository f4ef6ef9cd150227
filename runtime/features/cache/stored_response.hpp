// A response as the response cache stores it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compression/coding.hpp"
#include "http/header_fields.hpp"

namespace fw::detail {

/// A string, or a part of one that others use, too.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)
      : owner_(std::make_shared<const std::string>(std::move(text))), text_(*owner_) {}
  SharedText(std::shared_ptr<const std::string> owner, std::string_view part)
      : owner_(std::move(owner)), text_(part) {}

  std::string_view view() const { return text_; }

 private:
  std::shared_ptr<const std::string> owner_;
  std::string_view text_;
};

/// A stored response.
struct StoredResponse {
  using Clock = std::chrono::system_clock;

  Clock::time_point expires;
  std::uint64_t version = 0;               ///< of its tags, read before the handler ran
  std::chrono::milliseconds stale_for{0};  ///< how long a stale response may be sent after that
  int status = 200;
  http::Fields fields = {};       ///< that the handler added, and that a 304 has, too
  http::Fields body_fields = {};  ///< that describe the body, which a 304 does not have
  http::Fields replacements =
      {};  ///< that the handler set instead of those that earlier stages set
  /// The form of `body`.
  enum class Form {
    complete,    ///< the body
    without_id,  ///< the body up to the request id of its envelope
    data,        ///< data for the envelope, for hooks that change it
    data_without_envelope,
    none,  ///< no response: the handler's last response could not be stored
  };

  /// The body in a coding, without its end, which `compression::complete` adds: the end of an
  /// envelope contains the id of the request.
  struct Encoded {
    compression::Coding coding;
    SharedText beginning;
  };

  SharedText body = {};
  Form form = Form::complete;
  std::string nonce = {};  ///< what the body has instead of the nonce of a page
  std::vector<Encoded> encodings = {};

  // Set by `complete`.

  /// The entity tag of `fields`, if it is well-formed and a 304 needs nothing but `fields`: the
  /// status is 200, and there are no replacements and no nonce.
  std::string entity_tag = {};
  http::Fields all_fields = {};  ///< `fields` and `body_fields`

  /// Adds a field of the handler. With `is_set`, it replaces fields of that name that earlier
  /// stages set for some requests.
  void add_field(std::string_view name, std::string_view value, bool is_set);
  /// Sets what follows from the other members, before the response is sent. `parse` calls it.
  void complete();

  bool is_stale(Clock::time_point now) const { return expires <= now; }
  bool is_expired(Clock::time_point now) const { return expires + stale_for <= now; }
  /// The remaining lifetime; 0 or negative if the response has expired.
  std::chrono::milliseconds remaining(Clock::time_point now) const;

  /// Null if it has not been compressed with the coding.
  const Encoded* encoded(compression::Coding coding) const;

  std::string serialize() const;
  /// Empty for bytes that are not from `serialize` of this version. The response shares them.
  static std::optional<StoredResponse> parse(const std::shared_ptr<const std::string>& bytes);
  /// Its memory, shared bytes not included.
  std::size_t memory() const;
};

}  // namespace fw::detail
