// CSRF tokens, signed cookies and session cookies: nothing that was not issued is accepted. The
// input is a token and the cookies, separated by a line feed. In it, `<t>` and `<c>` are the token
// and the cookie that were issued to a client without a session, `<s>` and `<i>` belong to a
// session.
#include <string>

#include "fuzz.hpp"
#include "support/table_builder.hpp"

namespace {

fw::Config protected_config() {
  fw::Config config = fw::testing::TestApp::test_config();
  config.session.enabled = true;
  config.csrf.enabled = true;
  config.csrf.secret = std::string(32, 's');
  return config;
}

fw::testing::TestApp& application() {
  static fw::support::OneFileApp app(
      [](fw::Router& router) {
        const auto issue = [](fw::Request& req, fw::Response& res) { res.json(req.csrf_token()); };
        const auto nothing = [](fw::Request&, fw::Response& res) { res.json(nullptr); };
        router.get("/session", issue);
        router.get("/cookie", {.session = false}, issue);
        router.post("/session", nothing);
        router.post("/cookie", {.session = false}, nothing);
      },
      protected_config());
  return app;
}

/// A token and the value of its cookie.
struct Issued {
  std::string token;
  std::string cookie;
};

Issued issue(const char* path) {
  const auto response = application().request("GET", path).send();
  const std::string field(response.header("set-cookie").value());
  const auto begin = field.find('=') + 1;
  return {response.json()["data"], field.substr(begin, field.find(';') - begin)};
}

/// Returns whether there was one.
bool replace(std::string& text, std::string_view name, const std::string& value) {
  const auto at = text.find(name);
  if (at == std::string::npos) return false;
  text.replace(at, name.size(), value);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Issued by_cookie = issue("/cookie");
  static const Issued by_session = issue("/session");
  const std::string_view text = fuzz::text_of(data, size);
  const auto end = text.find('\n');
  std::string token(text.substr(0, end));
  std::string cookies(end == std::string_view::npos ? "" : text.substr(end + 1));
  // No field can contain these.
  constexpr std::string_view kImpossible("\r\n\0", 3);
  if ((token + cookies).find_first_of(kImpossible) != std::string::npos) return 0;
  const bool has_token = replace(token, "<t>", by_cookie.token);
  const bool has_cookie = replace(cookies, "<c>", by_cookie.cookie);
  const bool has_session_token = replace(token, "<s>", by_session.token);
  const bool has_session = replace(cookies, "<i>", by_session.cookie);
  const auto check = [&](const char* path, bool may_be_valid) {
    const auto response = application()
                              .request("POST", path)
                              .header("X-CSRF-Token", token)
                              .header("Cookie", cookies)
                              .send();
    // 400: more cookies than a request may have, or control characters; 431: too large.
    fuzz::require(response.status == 403 || response.status == 400 || response.status == 431 ||
                  (response.status == 200 && may_be_valid));
    return response.status == 200;
  };
  const bool passes_cookie = check("/cookie", has_token && has_cookie);
  const bool passes_session = check("/session", has_session_token && has_session);
  // What was issued is accepted.
  if (text == "<t>\nfw.csrf=<c>") fuzz::require(passes_cookie);
  if (text == "<s>\nfw.sid=<i>") fuzz::require(passes_session);
  return 0;
}
