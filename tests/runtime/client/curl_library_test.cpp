// libcurl is loaded when the outbound client is first used. The cases "without libcurl" run in a
// process of their own whose libcurl is an empty file.
#include "client/network/curl_library.hpp"

#include <fairway/testing.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace curl_library_test {

namespace {

using fw::testing::TestApp;

const bool kHasLibcurl = std::getenv("FAIRWAY_TEST_WITHOUT_LIBCURL") == nullptr;

std::string error_of(auto function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// The errors of a start with this configuration.
std::string startup_error(auto change) {
  fw::Config config = TestApp::test_config();
  change(config);
  return error_of([&] { const TestApp app(fw::AppTable{}, config); });
}

bool is_mapped(std::string_view library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(library) != line.npos) return true;
  }
  return false;
}

constexpr std::string_view kError = "the outbound client needs libcurl, which cannot be loaded: ";

}  // namespace

TEST_CASE("libcurl: the error of a missing library names its package") {
  CHECK(error_of([] { fw::client::load_libcurl("libcurl-missing.so.4"); }) ==
        std::string(kError) +
            "libcurl-missing.so.4: cannot open shared object file: No such file or directory "
            "(Debian: libcurl4)");
}

TEST_CASE("libcurl: another library of this name is an error") {
  CHECK(error_of([] { fw::client::load_libcurl("libssl.so.3"); }) ==
        "the outbound client needs libcurl 7.87 or newer: libssl.so.3 has no curl_global_init");
}

TEST_CASE("libcurl: threads that need it at the same time use one" * doctest::skip(!kHasLibcurl)) {
  std::vector<const fw::client::CurlFunctions*> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& each : found) threads.emplace_back([&] { each = &fw::client::libcurl(); });
  }
  for (const auto* each : found) CHECK(each == found.front());
  CHECK(found.front()->version_info(CURLVERSION_NOW) != nullptr);
}

TEST_CASE("without libcurl: an application that makes no calls starts, and does not load it" *
          doctest::skip(kHasLibcurl)) {
  CHECK(startup_error([](fw::Config&) {}).empty());
  CHECK_FALSE(is_mapped("libcurl"));
}

TEST_CASE("without libcurl: a configuration that needs it is an error of the start" *
          doctest::skip(kHasLibcurl)) {
  const auto check = [](std::string_view setting, auto change) {
    const std::string error = startup_error(change);
    CAPTURE(error);
    CHECK(error.find(fmt::format("configuration: {}: {}", setting, kError)) != error.npos);
  };
  check("/fetch/proxy/0/baseURL", [](fw::Config& config) {
    config.fetch.proxy.push_back({.name = "api", .base_url = "http://127.0.0.1:1"});
  });
  check("/fetch/http2/enabled", [](fw::Config& config) { config.fetch.http2.enabled = true; });
  check("/tracing/endpoint",
        [](fw::Config& config) { config.tracing.endpoint = "http://127.0.0.1:1"; });
}

TEST_CASE("without libcurl: calls fail with a NetworkError, and clients cannot be created" *
          doctest::skip(kHasLibcurl)) {
  fw::App app(TestApp::test_config());
  const auto call = [&] { app.fetch.get("http://127.0.0.1:1/things"); };
  CHECK_THROWS_AS(call(), fw::NetworkError);
  CHECK(error_of(call).find(kError) != std::string::npos);
  const auto create = [&] { app.fetch.create({.base_url = "http://127.0.0.1:1"}); };
  CHECK(error_of(create).find(kError) != std::string::npos);
}

}  // namespace curl_library_test
