#include "running_group.hpp"

#include <fstream>
#include <sstream>

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
  take_log();
}

RunningGroup::~RunningGroup() { app_->stop(); }

int RunningGroup::port() const { return app_->port(); }

std::vector<std::string> RunningGroup::take_log() {
  app_->logger().sink()->flush();
  std::ifstream file(log_path(), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(log_read_));
  std::ostringstream text;
  text << file.rdbuf();
  log_read_ += text.str().size();
  std::vector<std::string> lines;
  std::istringstream stream(text.str());
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace conformance
