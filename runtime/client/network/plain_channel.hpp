// HTTP/1.1 on a plain connection: one request and its response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "client/network/connection_pool.hpp"
#include "client/network/plain_connection.hpp"
#include "client/network/response_reader.hpp"
#include "client/transfer.hpp"

namespace fw::outbound {

class PlainChannel : public Channel {
 public:
  PlainChannel(Transfer& transfer, ConnectionPool& pool, CurlSettings& settings);
  ~PlainChannel() override;
  PlainChannel(const PlainChannel&) = delete;
  PlainChannel& operator=(const PlainChannel&) = delete;

  void perform() override;
  void wait(Deadline deadline) override;
  void resume() override {}  // `perform` tries again
  void wake() override { connection_->wake(); }

 private:
  void send();
  bool load_next_part();
  void receive();
  void finish(ResponseReader::State state);
  void fail(std::string why);

  Transfer& transfer_;
  ConnectionPool& pool_;
  std::unique_ptr<PlainConnection> connection_;
  ResponseReader reader_;

  std::string output_;           ///< the head of the request, then parts of a streamed body
  std::size_t sent_ = 0;         ///< number of bytes of `output_`, and of a body that follows, sent
  std::uint64_t streamed_ = 0;   ///< bytes of a streamed body so far
  bool has_last_part_ = false;   ///< `output_` ends a streamed body
  bool is_sent_ = false;         ///< the request is complete, or the upstream takes no more of it
  bool is_cut_ = false;          ///< the upstream takes no more of the request
  bool needs_room_ = false;      ///< the socket must have room before more can be sent
  bool may_have_input_ = false;  ///< there may be bytes to receive
};

}  // namespace fw::outbound
