// The port: opening, waiting, draining.
#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

#include "app/app_core.hpp"
#include "app/startup_report.hpp"
#include "errors/default_message.hpp"
#include "exchange/json_text.hpp"
#include "exchange/uuid.hpp"
#include "pipeline/error_answer.hpp"

namespace fw::detail {
namespace {

http::AdapterOptions adapter_options(const Config& config) {
  const ServerConfig& server = config.server;
  return {.host = config.host,
          .port = static_cast<std::uint16_t>(config.port),
          .min_workers = static_cast<std::size_t>(server.min_workers),
          .max_workers = static_cast<std::size_t>(server.max_workers),
          .max_connections = static_cast<std::size_t>(server.max_connections),
          .max_header_size = static_cast<std::size_t>(server.max_header_size.bytes()),
          .max_header_count = static_cast<std::size_t>(server.max_header_count),
          .keep_alive_timeout = std::chrono::milliseconds(server.keep_alive_timeout),
          .headers_timeout = std::chrono::milliseconds(server.headers_timeout),
          .request_timeout = std::chrono::milliseconds(server.request_timeout)};
}

/// The error body of requests that are refused before there is an exchange.
std::pair<http::ResponseHead, std::string> render_fault(const RequestIdConfig& config, int status,
                                                        std::string_view message) {
  const std::string id = config.enabled ? make_uuid() : std::string();
  http::ResponseHead head{.status = status,
                          .fields = {{"content-type", "application/json; charset=utf-8"}}};
  if (config.enabled) head.fields.emplace_back(config.response_header, id);
  const std::string_view text = message.empty() ? default_message(status) : message;
  return {std::move(head), to_json_text(plain_error_body(status, text, id))};
}

std::string format_address(const std::string& host, std::uint16_t port) {
  const bool any_address = host == "0.0.0.0" || host == "::" || host.empty();
  const std::string name = any_address ? "127.0.0.1" : host;
  const bool is_ipv6 = name.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("http://[{}]:{}", name, port)
                 : fmt::format("http://{}:{}", name, port);
}

}  // namespace

void AppCore::open_port() {
  hooks::ServerBeforeListen event{app_};
  env.hooks.emit(event, env.logger);
  auto adapter = http::make_httplib_adapter();
  adapter->start(
      adapter_options(env.config),
      [this](const std::shared_ptr<http::Transaction>& transaction) { handle(transaction); },
      [this](int status, std::string_view message) {
        return render_fault(env.config.request_id, status, message);
      });
  const std::lock_guard lock(mutex_);
  adapter_ = std::move(adapter);
}

void AppCore::start() {
  {
    const std::lock_guard lock(mutex_);
    if (adapter_) throw std::logic_error("the application has been started already");
  }
  prepare();
  open_port();
  try {
    announce_ready();
  } catch (...) {
    shut_down();
    throw;
  }
  env.logger.info("listening on " + address());
}

int AppCore::listen(std::optional<std::uint16_t> port) {
  if (port) env.config.port = *port;
  StopSignal* signal = nullptr;
  try {
    // Before the port opens: whoever waits for the port may send a signal at once.
    auto owned = std::make_unique<StopSignal>();
    signal = owned.get();
    {
      const std::lock_guard lock(mutex_);
      stop_signal_ = std::move(owned);
    }
    start();
  } catch (const StartupError& error) {
    report_startup_faults(error.faults());
    signal = nullptr;
  } catch (const std::exception& error) {
    report_startup_faults({error.what()});
    signal = nullptr;
  }
  if (signal != nullptr) {
    signal->wait();
    env.logger.info("stopping");
    shut_down();
  }
  const std::lock_guard lock(mutex_);
  stop_signal_.reset();
  return signal != nullptr ? 0 : 1;
}

void AppCore::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stop_signal_) {
      stop_signal_->notify();
      return;
    }
  }
  shut_down();
}

void AppCore::shut_down() {
  std::unique_ptr<http::Adapter> adapter;
  {
    const std::lock_guard lock(mutex_);
    adapter = std::move(adapter_);
  }
  if (adapter) {
    const std::chrono::milliseconds grace(env.config.shutdown.timeout);
    if (!adapter->stop(grace)) {
      env.logger.warn(
          fmt::format("requests were still running after {} ms and were cut off", grace.count()));
    }
  }
  if (prepared_) close();
}

std::uint16_t AppCore::port() const {
  const std::lock_guard lock(mutex_);
  return adapter_ ? adapter_->port() : std::uint16_t{0};
}

std::string AppCore::address() const {
  const std::uint16_t open = port();
  return open == 0 ? std::string() : format_address(env.config.host, open);
}

}  // namespace fw::detail
