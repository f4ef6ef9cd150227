#include "features/session/session_id.hpp"

#include <doctest/doctest.h>

#include <set>

namespace session_id_test {

using fw::detail::make_session_id;
using fw::detail::session_key_of;
using fw::detail::session_key_of_cookie;

TEST_CASE("session ids: each id has its own store key, also after other ids on the thread") {
  std::set<std::string> ids;
  for (int i = 0; i < 500; ++i) ids.insert(make_session_id(32));
  std::set<std::string> keys;
  for (const std::string& id : ids) keys.insert(session_key_of(id));
  CHECK(keys.size() == 500);
  for (int round = 0; round < 2; ++round) {
    for (const std::string& id : ids) {
      CHECK(session_key_of_cookie(id) == session_key_of(id));
      CHECK(session_key_of_cookie(id) == session_key_of(id));
      std::string similar = id;
      similar.back() = id.back() == 'A' ? 'E' : 'A';
      CHECK(session_key_of_cookie(similar) == session_key_of(similar));
      CHECK(session_key_of_cookie(similar) != session_key_of(id));
    }
  }
}

TEST_CASE("session ids: values of other lengths or characters have no key") {
  const std::string id = make_session_id(32);
  CHECK_FALSE(session_key_of_cookie(""));
  CHECK_FALSE(session_key_of_cookie(id.substr(0, 21)));
  CHECK(session_key_of_cookie(id.substr(0, 22)));
  CHECK(session_key_of_cookie(std::string(171, 'a')));
  CHECK_FALSE(session_key_of_cookie(std::string(172, 'a')));
  CHECK(session_key_of_cookie(id));
  CHECK_FALSE(session_key_of_cookie(id.substr(0, id.size() - 1) + "."));
  CHECK_FALSE(session_key_of_cookie(id.substr(0, id.size() - 1) + '\0'));
}

}  // namespace session_id_test
