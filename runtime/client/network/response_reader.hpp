// Reads a response from the bytes of a connection: its head, and its body by its framing and
// coding.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/response_parser.hpp"
#include "client/transfer.hpp"
#include "compression/decoder.hpp"
#include "http/body_decoder.hpp"

namespace fw::outbound {

/// Passes what it has read to a transfer.
class ResponseReader {
 public:
  enum class State {
    reading,
    paused,  ///< the transfer has no room; `read` without bytes continues
    complete,
    failed,  ///< see `error`
  };

  /// `transfer` must outlive it.
  explicit ResponseReader(Transfer& transfer) : transfer_(transfer) {}

  /// Reads further bytes; call it with none to continue after `paused`.
  State read(std::string_view bytes);
  /// The connection has ended, by the decision of the upstream unless it has failed.
  State end(bool has_failed);

  State state() const { return state_; }
  const std::string& error() const { return error_; }
  /// Whether the response is complete and the connection can serve another request.
  bool keeps_connection() const {
    return state_ == State::complete && keeps_connection_ && input_.empty();
  }

 private:
  void read_head(std::string_view& bytes);
  void begin_body();
  void read_body(std::string_view& bytes);
  bool pass_on();
  bool put(std::string& bytes);
  void fail(std::string why);

  Transfer& transfer_;
  ResponseParser parser_;
  bool has_head_ = false;
  bool keeps_connection_ = false;
  std::optional<http::BodyDecoder> framing_;  ///< empty if the body ends with the connection
  bool has_whole_body_ = false;
  std::unique_ptr<compression::Decoder> coding_;  ///< null if the body is not compressed
  std::optional<compression::Decoder::Status> coding_status_;
  std::string input_;     ///< bytes that were not read yet
  std::string content_;   ///< bytes of the body without their framing
  std::size_t used_ = 0;  ///< number of bytes of `content_` that were decompressed
  std::string decompressed_;
  State state_ = State::reading;
  std::string error_;
};

}  // namespace fw::outbound
