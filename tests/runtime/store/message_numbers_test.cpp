#include "store/message_numbers.hpp"

#include <doctest/doctest.h>

#include <string>

namespace message_numbers_test {

using fw::store::MessageNumbers;
using Kind = MessageNumbers::Reading::Kind;

TEST_CASE("message numbers: another process reads each message once") {
  MessageNumbers sender;
  MessageNumbers receiver;
  const std::string first = sender.stamp("a", "one");
  const std::string second = sender.stamp("a", "two");
  CHECK(receiver.read("a", first)->message == "one");
  CHECK(receiver.read("a", second)->message == "two");
  CHECK(receiver.read("a", second)->kind == Kind::repeated);
  CHECK(receiver.read("a", first)->kind == Kind::repeated);
  CHECK(sender.read("a", first)->kind == Kind::own);
}

TEST_CASE("message numbers: what is missing is counted by topic and process") {
  MessageNumbers sender;
  MessageNumbers other;
  MessageNumbers receiver;
  CHECK(receiver.read("a", sender.stamp("a", "1"))->missing == 0);
  sender.stamp("a", "2");
  sender.stamp("a", "3");
  CHECK(receiver.read("b", sender.stamp("b", "1"))->missing == 0);
  CHECK(receiver.read("a", other.stamp("a", "1"))->missing == 0);
  CHECK(receiver.read("a", sender.stamp("a", "4"))->missing == 2);
  CHECK(receiver.read("a", sender.stamp("a", "5"))->missing == 0);
  sender.stamp("a", "6");
  receiver.forget("a");
  CHECK(receiver.read("a", sender.stamp("a", "7"))->missing == 0);
}

TEST_CASE("message numbers: one that cannot be real hides no other message, and is no loss") {
  MessageNumbers receiver;
  const std::string id(36, 'a');
  const auto read = [&](const std::string& number) {
    return *receiver.read("a", "fw1 " + id + " " + number + " x");
  };
  CHECK(read("5").kind == Kind::fresh);
  CHECK(read("9007199254740992").missing == 0);
  CHECK(read("6").kind == Kind::fresh);
  CHECK(read("6").kind == Kind::repeated);
  CHECK(read("1500").missing == 1493);
  CHECK(read("501").kind == Kind::repeated);
  CHECK(read("1501").kind == Kind::fresh);
}

TEST_CASE("message numbers: messages of other programs have none") {
  MessageNumbers receiver;
  const auto reading = receiver.read("a", R"({"event":"x"})");
  CHECK(reading->message == R"({"event":"x"})");
  CHECK(reading->kind == Kind::fresh);
  CHECK(receiver.read("a", "")->message.empty());
}

TEST_CASE("message numbers: a malformed stamp is detected") {
  MessageNumbers receiver;
  const std::string id(36, 'a');
  CHECK_FALSE(receiver.read("a", "fw1 "));
  CHECK_FALSE(receiver.read("a", "fw1 short 1 x"));
  CHECK_FALSE(receiver.read("a", "fw1 " + id));
  CHECK_FALSE(receiver.read("a", "fw1 " + id + " "));
  CHECK_FALSE(receiver.read("a", "fw1 " + id + " 1"));
  CHECK_FALSE(receiver.read("a", "fw1 " + id + " x y"));
  CHECK_FALSE(receiver.read("a", "fw1 " + id + " 0 x"));
  CHECK_FALSE(receiver.read("a", "fw1 " + id + " -1 x"));
  CHECK_FALSE(receiver.read("a", "fw1 " + id + " 18446744073709551615 x"));
  CHECK_FALSE(receiver.read("a", "fw1 " + id + " 99999999999999999999999 x"));
  CHECK(receiver.read("a", "fw1 " + id + " 1 ")->message.empty());
}

}  // namespace message_numbers_test
