// CSRF tokens, signed cookies and session cookies: nothing that was not issued is accepted. The
// input is a token and the cookies, separated by a line feed.
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
        const auto nothing = [](fw::Request&, fw::Response& res) { res.json(nullptr); };
        router.post("/session", nothing);
        router.post("/cookie", {.session = false}, nothing);
      },
      protected_config());
  return app;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto end = text.find('\n');
  const std::string token(text.substr(0, end));
  const std::string cookies(end == std::string_view::npos ? "" : text.substr(end + 1));
  for (const char* path : {"/session", "/cookie"}) {
    const auto response = application()
                              .request("POST", path)
                              .header("X-CSRF-Token", token)
                              .header("Cookie", cookies)
                              .send();
    // 400: more cookies than a request may have.
    fuzz::require(response.status == 403 || response.status == 400);
  }
  return 0;
}
