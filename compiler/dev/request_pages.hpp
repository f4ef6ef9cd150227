// The page of `fairway dev` that shows the requests of the program, and what it loads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dev/dev_proxy.hpp"
#include "dev/request_log.hpp"

namespace fairway::dev {

class RequestPages {
 public:
  static constexpr std::string_view kPath = "/.fairway/dev/requests";

  /// `host` is the address that `fairway dev` listens on.
  RequestPages(const RequestLog& log, std::string host) : log_(log), host_(std::move(host)) {}

  /// Whether the target is the page or a part of it.
  bool owns(std::string_view target) const;
  /// `port`: of the program; nothing if none runs.
  Decision respond(const ProxyRequest& request, std::optional<std::uint16_t> port) const;

 private:
  bool is_own_host(std::string_view host) const;
  Decision rows(const ProxyRequest& request) const;

  const RequestLog& log_;
  const std::string host_;
};

}  // namespace fairway::dev
