#include "served.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace mcp_test {

using namespace fairway;

namespace {

std::array<int, 2> pipe_ends() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return ends;
}

Json row(const char* method, const char* path, const Json& socket = nullptr) {
  return {{"method", method}, {"path", path}, {"socket", socket}};
}

}  // namespace

Json Application::report() {
  return {
      {"version", 1}, {"ok", true}, {"summary", Json::object()}, {"diagnostics", Json::array()}};
}

Json Application::route_table() {
  return {{"version", 1},
          {"routes",
           {row("GET", "/orders"), row("GET", "/orders/:id"), row("POST", "/orders"),
            row("SOCKET", "/live", Json::object())}}};
}

Served::Served(Application application, mcp::ServerSettings settings) {
  if (settings.version.empty()) settings.version = "1.2.3";
  if (settings.folder.empty()) settings.folder = "/tmp";
  const auto input = pipe_ends();
  const auto output = pipe_ends();
  process_ = ::fork();
  if (process_ == 0) {
    ::close(input[1]);
    ::close(output[0]);
    mcp::Server server(
        input[0], output[1], [&application] { return std::make_unique<MadeUpSource>(application); },
        settings);
    server.run();
    std::_Exit(0);
  }
  ::close(input[0]);
  ::close(output[1]);
  input_ = fw::base::FileDescriptor(input[1]);
  output_ = fw::base::FileDescriptor(output[0]);
}

Served::~Served() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Served::send_text(const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t size = ::write(input_.get(), text.data() + sent, text.size() - sent);
    REQUIRE((size > 0 || errno == EINTR));
    if (size > 0) sent += static_cast<std::size_t>(size);
  }
}

Json Served::receive() {
  while (received_.find('\n') == std::string::npos) {
    std::array<char, 4096> bytes{};
    const ssize_t size = ::read(output_.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    REQUIRE_MESSAGE(size > 0, "the server has ended");
    received_.append(bytes.data(), static_cast<std::size_t>(size));
  }
  const std::size_t end = received_.find('\n');
  const Json message = Json::parse(received_.substr(0, end));
  received_.erase(0, end + 1);
  return message;
}

Json Served::ask(const Json& id, const std::string& method, const Json& params) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  Json response = receive();
  CHECK(response["jsonrpc"] == "2.0");
  CHECK(response["id"] == id);
  return response;
}

Json Served::start(const std::string& version) {
  Json response = ask("start", "initialize",
                      {{"protocolVersion", version},
                       {"capabilities", Json::object()},
                       {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
  send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  return response["result"];
}

void Served::begin_call(const Json& id, const std::string& tool, const Json& arguments) {
  send({{"jsonrpc", "2.0"},
        {"id", id},
        {"method", "tools/call"},
        {"params", {{"name", tool}, {"arguments", arguments}}}});
}

Json Served::call(const std::string& tool, const Json& arguments) {
  return ask(++last_id_, "tools/call", {{"name", tool}, {"arguments", arguments}})["result"];
}

int Served::wait() {
  int status = 0;
  ::waitpid(std::exchange(process_, 0), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace mcp_test
