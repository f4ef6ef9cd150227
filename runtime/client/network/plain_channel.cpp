#include "client/network/plain_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <optional>
#include <string_view>
#include <sys/uio.h>
#include <utility>

#include "compression/decoder.hpp"
#include "http/socket.hpp"

namespace fw::outbound {
namespace {

constexpr std::size_t kPart = std::size_t{16} * 1024;

bool has_length(const OutboundRequest& request) { return request.body || request.body_size; }

std::string request_head(const OutboundRequest& request) {
  const auto lines = request.fields.lines();
  std::string_view authority = request.url.authority();
  if (authority.ends_with(":80")) authority.remove_suffix(3);
  std::string head;
  head.reserve(request.url.text.size() + request.fields.lines_size() + 192);
  head.append(request.method).append(" ").append(request.url.target()).append(" HTTP/1.1\r\n");
  const auto add = [&](std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
  };
  const auto add_default = [&](std::string_view name, std::string_view value) {
    if (!request.fields.find(name)) add(name, value);
  };
  add_default("Host", authority);
  add_default("Accept", "*/*");
  add_default("Accept-Encoding", compression::decodable_codings());
  if (lines) {
    head.append(*lines);
  } else {
    for (const auto& [name, value] : request.fields) add(name, value);
  }
  if (has_length(request)) {
    const std::uint64_t size = request.body ? request.body->size() : *request.body_size;
    add("Content-Length", fmt::format_int(size).str());
  } else if (request.streams_body) {
    add("Transfer-Encoding", "chunked");
  }
  return head.append("\r\n");
}

iovec part_of(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

}  // namespace

PlainChannel::PlainChannel(Transfer& transfer, ConnectionPool& pool, CurlSettings& settings)
    : transfer_(transfer),
      pool_(pool),
      reader_(transfer),
      output_(request_head(transfer.request())) {
  connection_ = pool.take<PlainConnection>(transfer.request().url, settings);
}

PlainChannel::~PlainChannel() {
  const bool is_reusable = is_sent_ && !is_cut_ && reader_.keeps_connection();
  pool_.put(std::move(connection_), is_reusable);
}

void PlainChannel::perform() {
  if (pool_.is_stopped()) return fail("the application has ended");
  try {
    if (!connection_->connect()) return;
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  if (!is_sent_) send();
  if (reader_.state() == ResponseReader::State::paused) finish(reader_.read({}));
  if (reader_.state() == ResponseReader::State::reading && may_have_input_) receive();
}

void PlainChannel::wait(Deadline deadline) {
  if (may_have_input_ && reader_.state() == ResponseReader::State::reading) return;
  may_have_input_ = connection_->wait(deadline, needs_room_);
}

void PlainChannel::send() {
  const OutboundRequest& request = transfer_.request();
  const std::string_view body = request.body ? std::string_view(*request.body) : "";
  needs_room_ = false;
  while (sent_ < output_.size() + body.size() || load_next_part()) {
    const std::size_t sent_of_output = std::min(sent_, output_.size());
    const std::string_view first = std::string_view(output_).substr(sent_of_output);
    const std::string_view second = body.substr(sent_ - sent_of_output);
    const std::array parts = {part_of(first), part_of(second)};
    std::size_t count = 0;
    switch (http::send_some(connection_->fd(), parts, count)) {
      case http::IoStatus::done:
        sent_ += count;
        break;
      case http::IoStatus::would_block:
        needs_room_ = true;
        return;
      case http::IoStatus::closed:  // a response may say why
        is_sent_ = is_cut_ = true;
        return;
    }
  }
}

/// Replaces the output by the next part of a streamed body. Returns false if there is none, at the
/// moment or at all.
bool PlainChannel::load_next_part() {
  const OutboundRequest& request = transfer_.request();
  if (!request.streams_body || has_last_part_ || streamed_ == request.body_size) {
    is_sent_ = true;
    return false;
  }
  std::array<char, kPart> buffer;
  std::size_t count = 0;
  const Transfer::Take take = transfer_.take_body(buffer, count);
  if (take == Transfer::Take::later || take == Transfer::Take::failed) return false;
  has_last_part_ = take == Transfer::Take::end;
  streamed_ += count;
  sent_ = 0;
  output_.clear();
  if (request.body_size) {
    output_.append(buffer.data(), count);
    is_cut_ = count == 0;
    return true;
  }
  fmt::format_to(std::back_inserter(output_), "{:x}\r\n", count);
  output_.append(buffer.data(), count).append("\r\n");
  return true;
}

void PlainChannel::receive() {
  std::array<char, kPart> buffer;
  const auto received = http::receive(connection_->fd(), buffer);
  may_have_input_ = received.size == buffer.size();
  if (received.status == http::IoStatus::would_block) return;
  finish(received.status == http::IoStatus::closed ? reader_.end(received.error != 0)
                                                   : reader_.read({buffer.data(), received.size}));
}

void PlainChannel::finish(ResponseReader::State state) {
  if (state == ResponseReader::State::failed) return fail(reader_.error());
  if (state == ResponseReader::State::complete) transfer_.finish(std::nullopt);
}

void PlainChannel::fail(std::string why) {
  transfer_.finish(OutboundFailure{.message = std::move(why)});
}

}  // namespace fw::outbound
