#include "lsp/analysis_process.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "process/processes.hpp"

namespace fairway::lsp {

AnalysisProcess::AnalysisProcess(process::EventLoop& loop, std::filesystem::path folder,
                                 Program program)
    : loop_(loop), folder_(std::move(folder)), program_(std::move(program)) {}

AnalysisProcess::~AnalysisProcess() {
  connection_.reset();
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void AnalysisProcess::call(std::string_view method, Json params, Responded responded) {
  try {
    if (!is_running()) start();
  } catch (const std::system_error& error) {
    loop_.after({}, [responded = std::move(responded), message = std::string(error.what())] {
      responded(error_response(nullptr, ErrorCode::internal_error,
                               fmt::format("cannot start the analysis ({})", message)));
    });
    return;
  }
  calls_[++last_id_] = std::move(responded);
  connection_->send(request(last_id_, method, std::move(params)));
}

void AnalysisProcess::start() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  socket_ = process::Descriptor(ends[0]);
  const process::Descriptor other_end(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process == 0) run_program(other_end.get(), parent);
  process_ = process;
  connection_.emplace(
      loop_, socket_.get(), socket_.get(), [this](const std::string& content) { receive(content); },
      [this] { ended(); });
}

void AnalysisProcess::run_program(int connection, pid_t parent) const {
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

void AnalysisProcess::receive(const std::string& content) {
  const Json response = Json::parse(content);
  const auto call = calls_.extract(response.at("id").get<std::uint64_t>());
  if (!call.empty()) call.mapped()(response);
}

void AnalysisProcess::ended() {
  connection_.reset();
  socket_.close();
  int status = 0;
  ::waitpid(std::exchange(process_, 0), &status, 0);
  const std::string message =
      fmt::format("the analysis has ended with {}", process::describe_status(status));
  for (const auto& [id, responded] : std::exchange(calls_, {})) {
    responded(error_response(id, ErrorCode::internal_error, message));
  }
}

}  // namespace fairway::lsp
