// A transfer in libcurl: the request, the callbacks, and the result.
#pragma once

#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <string>

#include "client/network/curl_connection.hpp"
#include "client/response_parser.hpp"
#include "client/transfer.hpp"

namespace fw::outbound {

class CurlJob : public Channel {
 public:
  CurlJob(Transfer& transfer, ConnectionPool& pool, CurlSettings& settings);
  ~CurlJob() override;
  CurlJob(const CurlJob&) = delete;
  CurlJob& operator=(const CurlJob&) = delete;

  void perform() override;
  void wait(Deadline deadline) override { connection_->wait(deadline); }
  void resume() override { curl_easy_pause(connection_->easy(), CURLPAUSE_CONT); }
  void wake() override { connection_->wake(); }

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* job);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* job);
  static std::size_t on_read(char* data, std::size_t size, std::size_t count, void* job);
  static int on_seek(void* job, curl_off_t offset, int origin);
  static int on_connected(void* job, char*, char*, int, int);

  CurlJob(Transfer& transfer, ConnectionPool& pool, std::unique_ptr<CurlConnection> connection);
  void set_callbacks();
  void set_method_and_body();
  void set_fields();
  void finish(CURLcode code);

  Transfer& transfer_;
  ConnectionPool& pool_;
  std::unique_ptr<CurlConnection> connection_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> fields_{nullptr, curl_slist_free_all};
  ResponseParser parser_;
  bool has_head_ = false;
  std::size_t trailer_bytes_ = 0;
  bool is_sent_ = false;
  std::string own_error_;  ///< the reason why a callback ended the transfer
};

}  // namespace fw::outbound
