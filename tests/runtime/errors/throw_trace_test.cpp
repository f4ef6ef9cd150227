#include <fairway/errors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "errors/stack_trace.hpp"

namespace throw_trace_test {

using fw::detail::StackFrame;

namespace {

[[gnu::noinline]] void reject_the_order(const std::string& text) { throw std::range_error(text); }

std::exception_ptr thrown(const std::string& text) {
  try {
    reject_the_order(text);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

bool has_function(const std::vector<StackFrame>& frames, const std::string& name) {
  return std::ranges::any_of(frames, [&](const StackFrame& frame) {
    return frame.function.find(name) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("throw trace: a throw records the stack with source locations") {
  const bool recorded = fw::detail::record_throws();
  const std::exception_ptr first = thrown("first");
  const std::exception_ptr second = thrown("second");
  if (!recorded) {
    CHECK(fw::detail::throw_trace(first).empty());
    return;
  }
  for (const std::exception_ptr& error : {first, second}) {
    const auto frames = fw::detail::symbolize(fw::detail::throw_trace(error));
    REQUIRE(has_function(frames, "reject_the_order"));
    CHECK(has_function(frames, "thrown("));
    const auto thrower = std::ranges::find_if(frames, [](const StackFrame& frame) {
      return frame.function.find("reject_the_order") != std::string::npos;
    });
    CHECK(thrower->source.find("/errors/throw_trace_test.cpp:") != std::string::npos);
    CHECK(thrower->source.find("..") == std::string::npos);
  }
}

TEST_CASE("throw trace: only the latest throws of a thread are recorded") {
  const bool recorded = fw::detail::record_throws();
  const std::exception_ptr early = thrown("early");
  std::vector<std::exception_ptr> others;
  for (int i = 0; i < 20; ++i) others.push_back(thrown(std::to_string(i)));
  CHECK(fw::detail::throw_trace(early).empty());
  CHECK(fw::detail::throw_trace(others.back()).empty() != recorded);
  CHECK(fw::detail::throw_trace(nullptr).empty());

  std::exception_ptr elsewhere;
  std::thread([&] { elsewhere = thrown("elsewhere"); }).join();
  CHECK(fw::detail::throw_trace(elsewhere).empty());
}

TEST_CASE("throw trace: the application's frames end at the framework's call") {
  const std::vector<StackFrame> frames = {
      {"__cxa_throw", "throw_trace.cpp:1"},
      {"fw::App::raise(int)", "app.cpp:1"},
      {"shop::reserve(int)", "shop.cpp:2"},
      {"void std::__invoke_impl<void, shop::H>(x)", "invoke.h:3"},
      {"shop::handler(fw::Request&)", "orders.cpp:4"},
      {"fw::detail::call_handler(x)", "handler.cpp:5"},
      {"main", "main.cpp:6"},
  };
  std::vector<std::string> names;
  for (const auto& frame : fw::detail::application_frames(frames)) names.push_back(frame.function);
  CHECK(names == std::vector<std::string>{"shop::reserve(int)", "shop::handler(fw::Request&)"});
  const std::vector<StackFrame> foreign = {{"fw::detail::parse(x)", "parse.cpp:1"}};
  CHECK(fw::detail::application_frames(foreign).size() == 1);
}

TEST_CASE("throw trace: closures have one name with each compiler") {
  const auto name_of = [](const char* function) {
    return fw::detail::application_frames({{function, "a.cpp:1"}}).front().function;
  };
  CHECK(name_of("fairway_export_routes_2fa_2ecpp::{lambda(fw::Router&)#1}::operator()(fw::Router) "
                "const::{lambda(fairway_export_routes_2fa_2ecpp::Request&, fw::Response&)#2}::"
                "operator()(fairway_export_routes_2fa_2ecpp::Request&, fw::Response&) const") ==
        "lambda");
  CHECK(name_of("$_0::operator()(fw::Router&) const::{lambda(fw::Request&)#1}::operator()"
                "(fw::Request&) const") == "lambda");
  CHECK(name_of("shop::total(int)::{lambda()#1}::operator()() const") ==
        "lambda in shop::total(int)");
  CHECK(name_of("shop::total(int)::$_1::operator()() const") == "lambda in shop::total(int)");
  const char* argument =
      "void shop::each<shop::total(int)::{lambda()#1}>(shop::total(int)::{lambda()#1})";
  CHECK(name_of(argument) == argument);
  CHECK(name_of("shop::total(int)") == "shop::total(int)");
}

TEST_CASE("throw trace: an address outside all modules has no frame") {
  int local = 0;
  void* const address = &local;
  CHECK(fw::detail::symbolize({&address, 1}).empty());
}

}  // namespace throw_trace_test
