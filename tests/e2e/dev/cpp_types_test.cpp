// The errors of C++ types that are a route's contract, in the terminal of `fairway dev` and on its
// page.
#include <doctest/doctest.h>

#include <array>
#include <regex>
#include <string>
#include <utility>

#include "dev/dev_project.hpp"
#include "dev/terminal.hpp"

namespace dev_test {

namespace {

constexpr const char* kTypes = R"(#pragma once
#include <string>
#include <variant>
#include <vector>

#include <fairway/fairway.hpp>

struct Item {
  fw::Field<"integer:1-"> productId;
};
struct Wrong {
  std::vector<const char*> names;
};
struct Either {
  std::variant<int, long> number;
};
struct Misspelt {
  fw::Field<"strin:1-200"> name;
};
namespace one { struct Box { int size; }; }
namespace two { struct Box { int depth; }; }
)";

constexpr const char* kRoutes = R"(#include <fairway/fairway.hpp>

#include "../order.hpp"
#include "orders.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/names", [](fw::Body<Wrong>) { return fw::NoContent{}; });
  app.post("/either", [](fw::Body<Either>) { return fw::NoContent{}; });
  app.post("/misspelt", [](fw::Body<Misspelt>) { return fw::NoContent{}; });
  app.post("/twice", {.validate = {.body = fw::type<Item>}},
           [](fw::Body<Item>) { return fw::NoContent{}; });
  app.get("/one", [] { return one::Box{1}; });
  app.get("/two", [] { return two::Box{1}; });
  app.get("/items", [](int count) { return Item{.productId = count}; });
  app.get("/created", [](fw::Response& res) {
    res.status(201);
    return Item();
  });
  app.get("/item", {.responses = {{"200", fw::type<Item>}}},
          [](fw::Request&, fw::Response& res) { res.json(one::Box{1}); });
});
)";

constexpr const char* kRight = R"(#include <fairway/fairway.hpp>

#include "../order.hpp"
#include "orders.routes.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/one", [](fw::Query<Item> item) { return *item; });
});
)";

/// What the terminal shows of each error.
constexpr std::array kErrors = {
    "the type 'const char *' of the member 'names' has no form in JSON [unsupported-type]",
    "src/routes/orders.cpp:7:25: note: used by this route",
    "src/order.hpp:15:3: error: nothing in JSON tells int and long apart [ambiguous-variant]",
    "src/order.hpp:18:14: error: unknown type 'strin' [bad-schema]\n"
    "   18 |   fw::Field",
    "      |              ^~~~~\n"
    "      |              string\n"
    "  help: did you mean 'string'?",
    "src/order.hpp:21:24: error: two types have the name 'Box' in the document [same-name-types]",
    "error: 'validate.body' and a parameter of the handler both declare the body "
    "[conflicting-schema]",
    "error: a handler cannot take a parameter of the type 'int' [bad-registration]",
    "src/routes/orders.cpp:16:16: error: the handler sets status 201, and its result is sent with "
    "status 200 [response-mismatch]\n"
    "   16 |     res.status(201);\n"
    "      |                ^~~\n",
    "or send the response with 'res.json'\n",
    "error: the member 'productId' of the data of status 200 is missing [response-mismatch]",
};

/// The text of a page, without empty lines.
std::string text_of(std::string page) {
  for (const auto& [from, to] : {std::pair("<[^>]*>", ""),
                                 {"&lt;", "<"},
                                 {"&gt;", ">"},
                                 {"&quot;", "\""},
                                 {"&amp;", "&"},
                                 {"\n\n+", "\n"}}) {
    page = std::regex_replace(page, std::regex(from), to);
  }
  return page;
}

/// The page has the location in a line of its own, and no brackets around ids.
std::string as_on_page(std::string text) {
  for (const auto& [from, to] : {std::pair("(:\\d+): (error|note): ", "$1\n$2: "),
                                 {"\\[([a-z-]+)\\]", "$1"},
                                 {"  help: ", "help: "}}) {
    text = std::regex_replace(text, std::regex(from), to);
  }
  return text;
}

}  // namespace

TEST_CASE("dev: errors of C++ types are on the page as in the terminal") {
  Dev dev;
  dev.write("src/order.hpp", kTypes);
  dev.write("src/routes/orders.cpp", kRoutes);
  dev.write("CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(echo LANGUAGES C)\n"
            "add_executable(echo src/main.c)\n"
            "add_custom_command(OUTPUT checked DEPENDS src/order.hpp src/routes/orders.cpp\n"
            "  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}\n"
            "  COMMAND " FAIRWAY_PROGRAM
            " build --out-dir ${CMAKE_BINARY_DIR}/out --color never --\n"
            "          -std=c++20 " FAIRWAY_FLAGS
            "\n"
            "  COMMAND ${CMAKE_COMMAND} -E touch checked VERBATIM)\n"
            "add_custom_target(routes DEPENDS checked)\n"
            "add_dependencies(echo routes)\n");
  e2e::Terminal terminal(dev.command, dev.folder());
  REQUIRE(terminal.shows("The build failed after "));
  REQUIRE(terminal.shows("8 errors in 2 files"));
  const std::string page = get_page(dev.port);
  CHECK(contains(page, "HTTP/1.1 500"));
  const std::string text = text_of(page);
  for (const std::string error : kErrors) {
    CAPTURE(error);
    CHECK(contains(terminal.screen(), error));
    CHECK(contains(text, as_on_page(error)));
  }
  CHECK(contains(page, "std::vector&lt;const char*&gt; names;\n"));
  CHECK(contains(text, "std::vector<const char*> names;\n      |               "));
  CHECK(contains(page, "8 errors in 2 files"));
  dev.write("src/routes/orders.cpp", kRight);
  REQUIRE(terminal.shows("src/routes/orders.cpp changed"));
  REQUIRE(terminal.shows("ready in "));
  CHECK(contains(get_page(dev.port), "HTTP/1.1 200"));
}

}  // namespace dev_test
