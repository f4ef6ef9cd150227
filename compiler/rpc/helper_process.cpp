#include "rpc/helper_process.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <time.h>
#include <unistd.h>
#include <utility>

#include "process/processes.hpp"

namespace fairway::rpc {
namespace {

/// False if the pipe is closed.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(descriptor, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace

HelperProcess::HelperProcess(process::EventLoop& loop, std::string name,
                             std::filesystem::path folder, Program program)
    : loop_(loop),
      name_(std::move(name)),
      folder_(std::move(folder)),
      program_(std::move(program)) {}

HelperProcess::~HelperProcess() {
  calls_.clear();
  end("");
}

void HelperProcess::end(std::string_view why) {
  connection_.reset();
  socket_.close();
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(std::exchange(process_, 0), nullptr, 0);
  }
  respond_to_all(why);
}

std::chrono::milliseconds HelperProcess::processor_time() const {
  clockid_t clock{};
  timespec time{};
  const bool is_known = is_running() && ::clock_getcpuclockid(process_, &clock) == 0 &&
                        ::clock_gettime(clock, &time) == 0;
  if (!is_known) return {};
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

void HelperProcess::call(std::string_view method, Json params, Responded responded) {
  try {
    if (!is_running()) start();
  } catch (const std::system_error& error) {
    loop_.after(
        {}, [responded = std::move(responded), name = name_, message = std::string(error.what())] {
          responded(error_response(nullptr, ErrorCode::internal_error,
                                   fmt::format("cannot start {} ({})", name, message)));
        });
    return;
  }
  calls_[++last_id_] = std::move(responded);
  connection_->send(request(last_id_, method, std::move(params)));
}

void HelperProcess::start() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  socket_ = fw::base::FileDescriptor(ends[0]);
  const fw::base::FileDescriptor other_end(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process == 0) run_program(other_end.get(), parent);
  process_ = process;
  connection_.emplace(
      loop_, socket_.get(), socket_.get(), Framing::headers,
      [this](const std::string& content) { receive(content); }, [this] { ended(); });
}

void HelperProcess::run_program(int connection, pid_t parent) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(EXIT_FAILURE);
  // A text that crashes Clang may be analysed after each keystroke.
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // Standard output is for the messages of the server. The descriptors of other processes are not
  // kept open.
  constexpr int kConnection = STDERR_FILENO + 1;
  ::dup2(connection, kConnection);
  ::close_range(kConnection + 1, ~0U, 0);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  try {
    std::filesystem::current_path(folder_);
    program_(kConnection);
  } catch (const std::exception& error) {
    std::cerr << fmt::format("fairway: internal error ({})\n", error.what());
    std::_Exit(EXIT_FAILURE);
  }
  std::_Exit(EXIT_SUCCESS);  // the objects of the server are not this process's to destroy
}

void HelperProcess::receive(const std::string& content) {
  const Json response = Json::parse(content);
  const auto call = calls_.extract(response.at("id").get<std::uint64_t>());
  if (!call.empty()) call.mapped()(response);
}

void HelperProcess::ended() {
  connection_.reset();
  socket_.close();
  int status = 0;
  ::waitpid(std::exchange(process_, 0), &status, 0);
  respond_to_all(fmt::format("{} has ended with {}", name_, process::describe_status(status)));
}

void HelperProcess::respond_to_all(std::string_view message) {
  for (const auto& [id, responded] : std::exchange(calls_, {})) {
    responded(error_response(id, ErrorCode::internal_error, std::string(message)));
  }
}

void respond_to_requests(
    int connection,
    const std::function<Json(const std::string& method, const Json& params)>& respond) {
  const auto response_to = [&](const Json& request) {
    const Json& id = request.at("id");
    try {
      return response(
          id, respond(request.at("method").get_ref<const std::string&>(), request.at("params")));
    } catch (const std::exception&) {
      return error_response(id, std::current_exception());
    }
  };
  MessageReader reader(Framing::headers);
  std::array<char, 65536> bytes;
  while (true) {
    while (const auto content = reader.next()) {
      const Json message = response_to(Json::parse(*content));
      if (!write_all(connection, framed(message, Framing::headers))) return;
    }
    const ssize_t size = ::read(connection, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    reader.add({bytes.data(), static_cast<std::size_t>(size)});
  }
}

}  // namespace fairway::rpc
