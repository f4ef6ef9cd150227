#include "support/server_process.hpp"

#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace wire {

ServerProcess::ServerProcess(const std::string& program, const Options& options)
    : port_(static_cast<std::uint16_t>(e2e::free_port())) {
  directory_.write("config/default.json", options.config);
  const auto path = std::filesystem::absolute(program).string();
  const std::vector<std::string> arguments = {"--port", std::to_string(port_)};
  std::string script;
  if (options.max_descriptors > 0) {
    script = "ulimit -n " + std::to_string(options.max_descriptors) + "; ";
  }
  script += "exec \"$0\" \"$@\"";
  if (options.output == Output::closed) script += " >&-";
  if (options.output == Output::unread) {
    script += " > unread";
    const auto pipe = directory_.path() / "unread";
    if (mkfifo(pipe.c_str(), 0600) != 0) throw std::runtime_error("cannot make a pipe");
    unread_pipe_ = fw::http::FileDescriptor(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }
  process_ = std::make_unique<e2e::ChildProcess>(
      "/bin/sh", std::vector<std::string>{"-c", script, path, arguments[0], arguments[1]},
      directory_.path());
  if (!e2e::wait_until_listening(port_, *process_)) {
    throw std::runtime_error("the server did not start: " + process_->standard_error());
  }
}

std::string ServerProcess::proc(const std::string& name) const {
  return "/proc/" + std::to_string(process_->pid()) + "/" + name;
}

std::size_t ServerProcess::status_number(const std::string& name) const {
  std::istringstream status(e2e::read_file(proc("status")));
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stoul(line.substr(name.size() + 1));
  }
  throw std::runtime_error("the server has ended: " + process_->standard_error());
}

std::size_t ServerProcess::resident_bytes() const { return status_number("VmRSS") * 1024; }

std::size_t ServerProcess::threads() const { return status_number("Threads"); }

std::size_t ServerProcess::descriptors() const {
  const std::filesystem::directory_iterator files(proc("fd"));
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::string ServerProcess::descriptor_target(int descriptor) const {
  return std::filesystem::read_symlink(proc("fd/" + std::to_string(descriptor))).string();
}

std::chrono::milliseconds ServerProcess::processor_time() const {
  const auto stat = e2e::read_file(proc("stat"));
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  long user = 0;
  long kernel = 0;
  fields >> user >> kernel;
  return std::chrono::milliseconds((user + kernel) * 1000 / sysconf(_SC_CLK_TCK));
}

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

}  // namespace wire
