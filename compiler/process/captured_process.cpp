#include "process/captured_process.hpp"

#include <memory>
#include <signal.h>
#include <string_view>
#include <utility>

namespace fairway::process {

void CapturedProcess::start(std::vector<std::string> arguments, std::filesystem::path directory,
                            std::function<void(std::string output)> done) {
  cancel();
  output_.clear();
  const auto process = std::make_shared<pid_t>(0);
  const auto is_cancelled = [this, process] { return *process != process_; };
  *process = processes_.start({.arguments = std::move(arguments),
                               .directory = std::move(directory),
                               .captures_output = true,
                               .output =
                                   [this, is_cancelled](std::string_view text) {
                                     if (!is_cancelled()) output_ += text;
                                   },
                               .ended =
                                   [this, is_cancelled, done = std::move(done)](int) {
                                     if (is_cancelled()) return;
                                     process_ = 0;
                                     done(std::exchange(output_, {}));
                                   }});
  process_ = *process;
}

void CapturedProcess::cancel() {
  if (process_ != 0) processes_.signal(std::exchange(process_, 0), SIGKILL);
}

}  // namespace fairway::process
