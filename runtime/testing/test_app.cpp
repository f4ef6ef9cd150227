#include <fairway/testing.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "base/ascii.hpp"
#include "testing/memory_transaction.hpp"

namespace fw::testing {
namespace {

bool has_field(const http::Fields& fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [&](const auto& field) {
    return base::equal_ignoring_case(field.first, name);
  });
}

}  // namespace

std::optional<std::string_view> TestResponse::header(std::string_view name) const {
  for (const auto& [field, value] : headers) {
    if (base::equal_ignoring_case(field, name)) return value;
  }
  return std::nullopt;
}

TestRequest::TestRequest(TestApp& app, std::string method, std::string target)
    : app_(app), method_(std::move(method)), target_(std::move(target)) {}

TestRequest& TestRequest::header(std::string name, std::string value) {
  headers_.emplace_back(std::move(name), std::move(value));
  return *this;
}

TestRequest& TestRequest::json(const Json& body) {
  body_ = body.dump();
  if (!has_field(headers_, "content-type")) header("Content-Type", "application/json");
  return *this;
}

TestRequest& TestRequest::file(std::string_view field, std::string_view filename,
                               std::string_view content, std::string_view media_type) {
  constexpr std::string_view kBoundary = "----fairway-test-form-6b1f2c0a9d";
  const std::string end = fmt::format("--{}--\r\n", kBoundary);
  if (body_.ends_with(end)) {
    body_.resize(body_.size() - end.size());
  } else {
    body_.clear();
    header("Content-Type", fmt::format("multipart/form-data; boundary={}", kBoundary));
  }
  body_ += fmt::format(
      "--{}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{}\"\r\n"
      "Content-Type: {}\r\n\r\n",
      kBoundary, field, filename, media_type);
  body_.append(content).append("\r\n").append(end);
  return *this;
}

TestRequest& TestRequest::body(std::string bytes) {
  body_ = std::move(bytes);
  return *this;
}

TestRequest& TestRequest::remote_address(std::string address) {
  remote_address_ = std::move(address);
  return *this;
}

TestResponse TestRequest::send() {
  http::RequestHead head{.method = method_,
                         .target = target_,
                         .fields = headers_,
                         .remote_address = remote_address_,
                         .has_body = !body_.empty(),
                         .content_length = body_.size()};
  auto transaction = std::make_shared<MemoryTransaction>(std::move(head), std::move(body_));
  detail::Access::core(app_.app()).pipeline().handle(transaction);
  if (transaction->broken()) throw std::runtime_error("the response was cut off");
  return {transaction->response_head().status, transaction->response_head().fields,
          transaction->response_body()};
}

TestApp::TestApp(const AppTable& table, Config config, const std::function<void(App&)>& set_up)
    : app_(std::move(config)) {
  if (set_up) set_up(app_);
  app_.mount(table);
  detail::Access::core(app_).prepare();
  detail::Access::core(app_).lifecycle.announce_ready();
}

TestApp::~TestApp() { detail::Access::core(app_).lifecycle.close(); }

TestRequest TestApp::request(std::string method, std::string target) {
  return TestRequest(*this, std::move(method), std::move(target));
}

Config TestApp::test_config() {
  Config config;
  config.environment = "test";
  config.logger.level = LogLevel::silent;
  return config;
}

}  // namespace fw::testing
