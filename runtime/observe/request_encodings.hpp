// What is encoded once for all requests of a batch that have the same kind.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <type_traits>

#include "observe/span_record.hpp"

namespace fw::detail {

/// In the format of the batch.
struct RequestEncoding {
  std::string name;        ///< of the span
  std::string attributes;  ///< of the kind
};

/// A batch has few kinds of requests: mostly as many as the routes that were used.
class RequestEncodings {
 public:
  /// `encode` returns the encoding of a kind that is new.
  template <class Encode>
  const RequestEncoding& of(const RequestKind& kind, Encode encode) {
    // Mostly, the last one was of the same kind, with the same texts in memory.
    static_assert(std::has_unique_object_representations_v<RequestKind>);
    if (last_ != nullptr && std::memcmp(&last_->first, &kind, sizeof kind) == 0) {
      return last_->second;
    }
    const auto found = encodings_.find(kind);
    last_ = found != encodings_.end() ? &*found : &*encodings_.emplace(kind, encode(kind)).first;
    return last_->second;
  }

 private:
  using Encodings = std::map<RequestKind, RequestEncoding>;

  Encodings encodings_;
  const Encodings::value_type* last_ = nullptr;
};

}  // namespace fw::detail
