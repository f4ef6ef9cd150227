#include <doctest/doctest.h>

#include "contract_test/socket_conversation.hpp"

namespace fairway::contract_test {

TEST_CASE("contract: the response that opens a socket accepts the key of the request") {
  Response response;
  response.status = kSwitchingProtocols;
  const auto missing = check_opening(response);
  REQUIRE(missing);
  CHECK(missing->title == "the response does not accept the key of the socket");
  CHECK(missing->found == "no Sec-WebSocket-Accept");
  response.headers = {{"Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="}};  // of another key
  const auto other = check_opening(response);
  REQUIRE(other);
  CHECK(other->expected == "Sec-WebSocket-Accept: QYPMFqNrr1R8pRV0vkJSas3jFG4=");
  CHECK(other->found == "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  response.headers = {{"Sec-WebSocket-Accept", "QYPMFqNrr1R8pRV0vkJSas3jFG4="}};
  CHECK_FALSE(check_opening(response));
}

}  // namespace fairway::contract_test
