#include "running_group.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <utility>

#include "eventually.hpp"

namespace conformance {

void EventList::add(std::string name) {
  const std::lock_guard lock(mutex_);
  names_.push_back(std::move(name));
}

std::vector<std::string> EventList::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(names_, {});
}

RunningGroup::RunningGroup(const Group& group, const fw::Json& config) {
  fw::Config settings;
  fw::apply_config_layer(settings, config, group.area + "/" + group.name);
  settings.host = "127.0.0.1";
  settings.port = 0;
  settings.logger.file = log_path();
  if (group.configure) group.configure(settings);
  app_ = std::make_unique<fw::App>(std::move(settings));
  if (group.set_up) group.set_up(*app_, events_);
  app_->mount(group.table());
  app_->start();
  drop_log();
}

RunningGroup::~RunningGroup() { app_->stop(); }

int RunningGroup::port() const { return app_->port(); }

void RunningGroup::drop_log() {
  // What is written after the lines so far. `flush` returns before if the writer is slow.
  const std::string mark = "the lines before are dropped";
  const fw::Json nothing;
  app_->logger().sink()->write(
      {fw::LogLevel::fatal, std::chrono::system_clock::now(), "", "", nothing, nothing, mark});
  const auto is_mark = [&](const std::string& line) {
    return line.find(mark) != std::string::npos;
  };
  fairway::test::eventually([&] { return std::ranges::any_of(take_log(), is_mark); });
}

std::vector<std::string> RunningGroup::take_log() {
  app_->logger().sink()->flush();
  std::ifstream file(log_path(), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(log_read_));
  std::ostringstream text;
  text << file.rdbuf();
  // The last line may be incomplete while it is being written.
  const std::string whole_lines = text.str().substr(0, text.str().rfind('\n') + 1);
  log_read_ += whole_lines.size();
  std::vector<std::string> lines;
  std::istringstream stream(whole_lines);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace conformance
