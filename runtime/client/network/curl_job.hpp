// A transfer in libcurl: the request, the callbacks, and the result.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/network/curl_handles.hpp"
#include "client/response_parser.hpp"
#include "client/transfer.hpp"

namespace fw::client {

struct HostPort {
  std::string host;
  std::string port;
};

/// Used by the thread of the engine only, except the constructor.
class CurlJob {
 public:
  explicit CurlJob(std::shared_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
  CurlJob(const CurlJob&) = delete;
  CurlJob& operator=(const CurlJob&) = delete;

  /// Sets the options of a handle that is new or has been reset. Throws std::bad_alloc.
  void set_up(EasyHandle easy, CurlSettings& settings);
  /// Null before `set_up` and after `take_easy`.
  CURL* easy() const { return easy_.get(); }
  EasyHandle take_easy() { return std::move(easy_); }

  /// The host that libcurl would have looked up, if the transfer has ended for this reason; then
  /// it is to be continued with the addresses. Empty otherwise.
  const std::string& wanted_host() const { return wanted_host_; }
  /// Sets the addresses before the handle is added again. Throws std::bad_alloc.
  void set_addresses(const std::vector<std::string>& addresses);

  /// Closes the connection when the transfer ends, unless it is complete. libcurl would keep one of
  /// HTTP/2, but may lose its place in the frames, so that bytes of a body could pass for frames.
  void forbid_reuse() { libcurl().easy_setopt(easy_.get(), CURLOPT_FORBID_REUSE, 1L); }
  /// Continues what was paused because the transfer had no room or no bytes.
  void resume();
  /// Ends the transfer with the result of libcurl.
  void finish(CURLcode code);
  /// Ends the transfer, and wakes its caller.
  void fail(std::string why);
  /// Wakes the caller if the transfer has changed.
  void notify();
  /// Whether bytes have arrived over TLS since the last call.
  bool take_received_by_tls() { return std::exchange(has_received_by_tls_, false); }
  const Transfer::Progress& progress() const { return progress_; }
  const std::string& origin() const { return transfer_->request().url.origin; }
  /// Of the body of the request, if it is a string.
  std::size_t memory() const {
    const auto& body = transfer_->request().body;
    return body ? body->size() : 0;
  }
  /// Whether the size of the body of the request is known.
  bool has_body_size() const;

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* job);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* job);
  static std::size_t on_read(char* data, std::size_t size, std::size_t count, void* job);
  static int on_seek(void* job, curl_off_t offset, int origin);
  static int on_connected(void* job, char* address, char* local_address, int port, int local_port);
  static int on_look_up(void* resolver, void* reserved, void* job);
  void note_repetition();
  std::size_t reject(std::string_view why);
  static curl_socket_t on_open(void* job, curlsocktype purpose, curl_sockaddr* address);

  void set_connection(CurlSettings& settings);
  void set_version(const CurlSettings& settings);
  void set_callbacks();
  void set_method_and_body();
  void set_fields();
  bool has_request_body() const;
  bool has_whole_response() const;
  void note_received();
  bool is_only_request_cut_off(CURLcode code) const;
  bool update_progress();
  OutboundFailure failure(CURLcode code) const;

  const std::shared_ptr<Transfer> transfer_;
  ListHandle fields_;
  ListHandle addresses_;
  std::string_view proxy_;   ///< empty: none
  HostPort peer_;            ///< to connect to: the host of the URL, or the proxy
  std::string wanted_host_;  ///< see `on_look_up`
  ResponseParser parser_;
  bool has_head_ = false;
  bool has_received_ = false;  ///< at least one line
  bool has_received_by_tls_ = false;
  bool is_sent_ = false;    ///< the request has been sent to a connection
  bool is_reused_ = false;  ///< that connection was used before
  bool is_http2_ = false;   ///< that connection speaks HTTP/2, as far as is known
  std::optional<OutboundFailure::Kind> rejection_;  ///< see `note_repetition`
  bool has_news_ = false;                           ///< see `notify`
  bool has_rejected_address_ = false;               ///< see `on_open` and `on_connected`
  bool has_opened_ = false;                         ///< a socket for another address
  std::size_t trailer_bytes_ = 0;
  std::optional<std::uint64_t> length_;  ///< number of bytes of the body, if it is known
  std::uint64_t received_ = 0;           ///< how many of them have arrived
  Transfer::Progress progress_;          ///< see `update_progress`
  bool knows_progress_ = false;          ///< the transfer has it
  std::string own_error_;                ///< the reason why a callback ended the transfer
  std::array<char, CURL_ERROR_SIZE> error_{};
  EasyHandle easy_;  ///< first to be destroyed: it uses the fields
};

}  // namespace fw::client
