#include "lsp/analysis.hpp"

#include <fmt/format.h>

#include <exception>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "files/user_error.hpp"

namespace fairway::lsp {

Analysis::Analysis(ApplicationSource& source)
    : source_(source),
      ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { work(); }) {}

Analysis::~Analysis() {
  {
    const std::lock_guard lock(mutex_);
    must_stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Analysis::start(Task task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = std::move(task);
  }
  changed_.notify_one();
}

std::optional<Analysis::Result> Analysis::take() {
  std::uint64_t count = 0;
  if (::read(ready_.get(), &count, sizeof count) < 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

void Analysis::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return must_stop_ || task_; });
    if (must_stop_) return;
    const Task task = *std::exchange(task_, std::nullopt);
    lock.unlock();
    Result result{.generation = task.generation, .snapshot = {}, .error = {}};
    try {
      result.snapshot = source_.read(task.unsaved, task.disk_has_changed);
    } catch (const UserError& error) {
      result.error = error.what();
    } catch (const std::exception& error) {
      result.error = fmt::format("internal error ({})", error.what());
    }
    lock.lock();
    result_ = std::move(result);
    const std::uint64_t one = 1;
    (void)!::write(ready_.get(), &one, sizeof one);
  }
}

}  // namespace fairway::lsp
