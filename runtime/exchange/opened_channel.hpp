// What continues a response after its exchange: a stream of events, or a socket.
#pragma once

#include <span>
#include <string_view>

namespace fw::detail {

class OpenedChannel {
 public:
  virtual ~OpenedChannel() = default;
  /// The response is not sent.
  virtual void refuse() noexcept = 0;
  /// The header fields that only a response with this channel has.
  virtual std::span<const std::string_view> own_fields() const noexcept = 0;

 protected:
  OpenedChannel() = default;
  OpenedChannel(const OpenedChannel&) = default;
  OpenedChannel& operator=(const OpenedChannel&) = default;
};

}  // namespace fw::detail
