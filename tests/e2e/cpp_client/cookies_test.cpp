// Jars: which cookies are kept and sent, and the session of the accounts sample.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <accounts_client.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "support/child_process.hpp"
#include "temporary_directory.hpp"

namespace cookies_test {

using accounts_api::AccountsClient;
using accounts_api::CookieJar;
using fairway_client::detail::CookieTarget;

namespace {

CookieTarget target(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t path = url.find('/', host);
  const auto parsed = fairway_client::detail::parse_base_url(url.substr(0, path));
  CookieTarget result{.secure = parsed.secure, .host = parsed.host, .path = url.substr(path)};
  for (char& c : result.host) c = fairway_client::detail::lower(c);
  return result;
}

/// The accounts sample as a process of its own, in an empty folder.
class AccountsServer {
 public:
  AccountsServer() : port_(e2e::free_port()), process_(start()) {
    REQUIRE(e2e::wait_until_listening(port_, process_));
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  e2e::ChildProcess start() {
    std::filesystem::copy(std::filesystem::path(FAIRWAY_ACCOUNTS_DIR) / "config",
                          directory_.path() / "config");
    return e2e::ChildProcess(
        FAIRWAY_ACCOUNTS_PROGRAM,
        {"--host", "127.0.0.1", "--port", std::to_string(port_), "--config", "test"},
        directory_.path());
  }

  fairway::test::TemporaryDirectory directory_;
  int port_;
  e2e::ChildProcess process_;
};

}  // namespace

TEST_CASE("cpp client: a jar keeps and sends the cookies that RFC 6265 says") {
  std::ifstream file(FAIRWAY_COOKIES);
  for (const auto& example : nlohmann::json::parse(file)) {
    CookieJar jar;
    for (const auto& set : example["set"]) {
      jar.keep(target(set[0]), set[1].get_ref<const std::string&>());
    }
    for (const auto& [url, header] : example["sent"].items()) {
      INFO(example["title"], ": ", url);
      CHECK(jar.header(target(url), "") == header.get<std::string>());
    }
  }
}

TEST_CASE("cpp client: declared cookies take precedence over a jar") {
  CookieJar jar;
  const CookieTarget home = target("http://example.com/");
  jar.keep(home, "a=1");
  jar.keep(home, "b=2");
  CHECK(jar.header(home, "x=1; a=3") == "b=2");
  jar.clear();
  CHECK(jar.header(home, "").empty());
}

TEST_CASE("cpp client: a jar is bounded for each domain") {
  CookieJar jar;
  const CookieTarget home = target("http://example.com/");
  for (int i = 0; i < 60; ++i) jar.keep(home, "n" + std::to_string(i) + "=1");
  jar.keep(home, "large=" + std::string(5000, 'x'));
  const std::string header = jar.header(home, "");
  CHECK(header.starts_with("n10=1; n11=1"));
  CHECK(header.ends_with("n59=1"));
}

TEST_CASE("cpp client: a session lasts from signing in to signing out") {
  const AccountsServer server;
  AccountsClient client({.base_url = server.url(), .cookies = std::make_shared<CookieJar>()});
  AccountsClient stranger({.base_url = server.url()});
  const auto with_token = [&] {
    return accounts_api::CallOptions{.headers = {{"x-csrf-token", client.getCsrfToken().token}}};
  };
  client.signUp(
      {.body = {.name = "Ada", .email = "ada@example.com", .password = "correct horse battery"}},
      with_token());
  CHECK(client.getProfile().name == "Ada");
  CHECK_THROWS_AS(stranger.getProfile(), accounts_api::ApiError);
  client.signOut({}, with_token());
  CHECK_THROWS_AS(client.getProfile(), accounts_api::ApiError);
  client.signIn({.body = {.email = "ada@example.com", .password = "correct horse battery"}},
                with_token());
  CHECK(client.getProfile().email == "ada@example.com");
}

}  // namespace cookies_test
