#include "routing/matcher.hpp"

#include <doctest/doctest.h>

#include "support/allocation_count.hpp"

namespace matcher_test {

namespace {

using fw::routing::Matcher;

class Routes {
 public:
  Routes(std::initializer_list<std::pair<std::string_view, std::string_view>> routes) {
    for (const auto& [method, path] : routes) {
      templates_.emplace_back(path);
      CHECK(!add(method, path, templates_.size() - 1));
    }
  }

  std::optional<std::size_t> add(std::string_view method, std::string_view path,
                                 std::size_t index) {
    auto parsed = fw::schema::parse_route_path(path);
    REQUIRE(std::holds_alternative<fw::schema::RoutePath>(parsed));
    return matcher.add(method, std::get<fw::schema::RoutePath>(parsed), index);
  }

  /// The template that matches, with its parameters: "/a/:x x=1".
  std::string find(std::string_view path, std::string_view method = "GET") const {
    const Matcher::Match match = matcher.find(method, path);
    if (match.index == Matcher::kNone) return match.allow.empty() ? "-" : "allow " + match.allow;
    std::string text(templates_[match.index]);
    for (const auto& [name, value] : match.params) text += " " + name + "=" + value;
    return text;
  }

  Matcher matcher;

 private:
  std::vector<std::string_view> templates_;
};

}  // namespace

TEST_CASE("matcher: precedence with backtracking") {
  const Routes routes{{"GET", "/a/*"},       {"GET", "/a/:x"},          {"GET", "/a/static"},
                      {"GET", "/a/:x/tail"}, {"GET", "/a/static/:y"},   {"GET", "/a/:x/:y"},
                      {"GET", "/b/*rest"},   {"GET", "/b/lit"},         {"GET", "/c/:id/x"},
                      {"GET", "/c/lit/:z"},  {"GET", "/c/lit/x"},       {"GET", "/d/:name.:ext"},
                      {"GET", "/d/:only"},   {"GET", "/near/:lat-:lng"}};
  CHECK(routes.find("/a/static") == "/a/static");
  CHECK(routes.find("/a/other") == "/a/:x x=other");
  CHECK(routes.find("/a/other/tail") == "/a/:x/tail x=other");
  CHECK(routes.find("/a/static/tail") == "/a/static/:y y=tail");
  CHECK(routes.find("/a/p/q") == "/a/:x/:y x=p y=q");
  CHECK(routes.find("/a/p/q/r") == "/a/* *=p/q/r");
  CHECK(routes.find("/a") == "/a/* *=");
  CHECK(routes.find("/b/lit") == "/b/lit");
  CHECK(routes.find("/b/lit/more") == "/b/*rest rest=lit/more");
  CHECK(routes.find("/b") == "/b/*rest rest=");
  CHECK(routes.find("/c/lit/x") == "/c/lit/x");
  CHECK(routes.find("/c/lit/y") == "/c/lit/:z z=y");
  CHECK(routes.find("/c/other/x") == "/c/:id/x id=other");
  CHECK(routes.find("/c/other/q") == "-");
  CHECK(routes.find("/d/file.txt") == "/d/:name.:ext name=file ext=txt");
  CHECK(routes.find("/d/file.tar.gz") == "/d/:name.:ext name=file ext=tar.gz");
  CHECK(routes.find("/d/plain") == "/d/:only only=plain");
  CHECK(routes.find("/d/.hidden") == "/d/:only only=.hidden");
  CHECK(routes.find("/near/12.3-45.6") == "/near/:lat-:lng lat=12.3 lng=45.6");
}

TEST_CASE("matcher: patterns with several parameters in a segment") {
  const Routes routes{{"GET", "/v:major.:minor-beta"}, {"GET", "/x/:a-:b-:c"}};
  CHECK(routes.find("/v1.2-beta") == "/v:major.:minor-beta major=1 minor=2");
  CHECK(routes.find("/V1.2-BETA") == "/v:major.:minor-beta major=1 minor=2");
  CHECK(routes.find("/v1.2-beta-beta") == "/v:major.:minor-beta major=1 minor=2-beta");
  CHECK(routes.find("/v1.-beta") == "-");
  CHECK(routes.find("/v.2-beta") == "-");
  CHECK(routes.find("/x/1-2-3-4") == "/x/:a-:b-:c a=1 b=2 c=3-4");
  CHECK(routes.find("/x/1-2") == "-");
  CHECK(routes.find("/x/" + std::string(100'000, '-')) ==
        "-");  // too long for a parameter, and found out in linear time
}

TEST_CASE("matcher: letter case, slashes and empty segments") {
  const Routes routes{
      {"GET", "/"}, {"GET", "/Users/List"}, {"GET", "/users/:id"}, {"GET", "/files/*path"}};
  CHECK(routes.find("/") == "/");
  CHECK(routes.find("/USERS/list") == "/Users/List");
  CHECK(routes.find("/users/list///") == "/Users/List");
  CHECK(routes.find("/users/AbC") == "/users/:id id=AbC");
  CHECK(routes.find("/users//list") == "-");
  CHECK(routes.find("//users/list") == "-");
  CHECK(routes.find("/files/a/b") == "/files/*path path=a/b");
  CHECK(routes.find("/files/a//b") == "-");
  CHECK(routes.find("/files//b") == "-");
  CHECK(routes.find("/files//") == "/files/*path path=");
  CHECK(routes.find("/users;a=1") == "-");
  CHECK(routes.find("*") == "-");
}

TEST_CASE("matcher: percent-encoding is decoded, and a parameter has no length limit") {
  const Routes routes{{"GET", "/p/:v"}, {"GET", "/b/*rest"}};
  CHECK(routes.find("/p/a%20b") == "/p/:v v=a b");
  CHECK(routes.find("/p/a+b") == "/p/:v v=a+b");
  CHECK(routes.find("/p/%E4%BD%A0") == "/p/:v v=你");
  CHECK(routes.find("/p/a%2Fb") == "/p/:v v=a/b");
  CHECK(routes.find("/p/%zz") == "-");
  CHECK(routes.find("/p/%4") == "-");
  CHECK(routes.find("/p/%E4%BD") == "-");
  CHECK(routes.find("/%70/x") == "-");
  CHECK(routes.find("/b/x%2Fy/z%20w") == "/b/*rest rest=x/y/z w");
  const std::string longest(500, 'x');
  CHECK(routes.find("/p/" + longest) == "/p/:v v=" + longest);
  CHECK(routes.find("/p/" + longest + "x") == "-");
  CHECK(routes.find("/b/" + longest + "x") == "/b/*rest rest=" + longest + "x");
}

TEST_CASE("matcher: methods, HEAD as GET, and Allow") {
  const Routes routes{{"GET", "/get"},    {"POST", "/post"},   {"PUT", "/rw"},
                      {"DELETE", "/rw"},  {"HEAD", "/both"},   {"GET", "/both"},
                      {"POST", "/x/:id"}, {"GET", "/x/fixed"}, {"OPTIONS", "/own"}};
  CHECK(routes.find("/get", "HEAD") == "/get");
  CHECK(routes.find("/get", "POST") == "allow GET, HEAD, OPTIONS");
  CHECK(routes.find("/post") == "allow POST, OPTIONS");
  CHECK(routes.find("/rw", "PATCH") == "allow PUT, DELETE, OPTIONS");
  CHECK(routes.find("/rw", "OPTIONS") == "allow PUT, DELETE, OPTIONS");
  CHECK(routes.find("/rw", "BREW") == "allow PUT, DELETE, OPTIONS");
  CHECK(routes.find("/own", "OPTIONS") == "/own");
  CHECK(routes.find("/none", "POST") == "-");
  // A literal of another method does not hide the parameter of this one.
  CHECK(routes.find("/x/fixed", "POST") == "/x/:id id=fixed");
  CHECK(routes.find("/x/fixed", "PUT") == "allow GET, HEAD, POST, OPTIONS");
}

TEST_CASE("matcher: routes that match the same requests are an error") {
  Routes routes{{"GET", "/users/:id"}, {"GET", "/w/*a"}, {"GET", "/x"}, {"GET", "/f/:a.:b"}};
  CHECK(routes.add("GET", "/users/:name", 9) == 0);
  CHECK(routes.add("GET", "/w/*b", 9) == 1);
  CHECK(routes.add("GET", "/X/", 9) == 2);
  CHECK(routes.add("GET", "/f/:c.:d", 9) == 3);
  CHECK(!routes.add("POST", "/users/:name", 9));
}

TEST_CASE("matcher: a route without parameters is found without allocating") {
  const Routes routes{{"GET", "/users/list"}, {"GET", "/users/:id"}};
  const std::size_t before = fw::support::allocation_count();
  const Matcher::Match match = routes.matcher.find("GET", "/users/list");
  const std::size_t after = fw::support::allocation_count();
  CHECK(match.index == 0);
  CHECK(after == before);
}

}  // namespace matcher_test
