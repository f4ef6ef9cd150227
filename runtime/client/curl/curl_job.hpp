// A transfer in libcurl: an easy handle and its callbacks. Used only by the thread of the
// transport.
#pragma once

#include <array>
#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>

#include "client/response_parser.hpp"
#include "client/transfer.hpp"

namespace fw::outbound {

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;

/// The proxy settings of the environment.
struct ProxyVariables {
  static ProxyVariables read();
  std::string http;
  std::string https;
};

class CurlJob {
 public:
  /// Sets up `handle`, a fresh one, for the transfer.
  CurlJob(std::shared_ptr<Transfer> transfer, EasyHandle handle, const TransportOptions& options,
          const ProxyVariables& proxies);
  CurlJob(const CurlJob&) = delete;
  CurlJob& operator=(const CurlJob&) = delete;

  CURL* handle() const { return handle_.get(); }
  const std::shared_ptr<Transfer>& transfer() const { return transfer_; }
  /// Passes the result to the transfer.
  void finish(CURLcode code);
  /// Returns the handle for reuse.
  EasyHandle release() { return std::move(handle_); }

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* job);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* job);
  static std::size_t on_read(char* data, std::size_t size, std::size_t count, void* job);
  static int on_seek(void* job, curl_off_t offset, int origin);
  static int on_connected(void* job, char*, char*, int, int);

  void set_method_and_body();
  void set_fields();

  const std::shared_ptr<Transfer> transfer_;
  EasyHandle handle_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> fields_{nullptr, curl_slist_free_all};
  ResponseParser parser_;
  bool has_head_ = false;
  std::size_t trailer_bytes_ = 0;
  bool is_sent_ = false;
  std::string own_error_;  ///< the reason why a callback ended the transfer
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace fw::outbound
