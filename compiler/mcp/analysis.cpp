#include "mcp/analysis.hpp"

#include <fmt/format.h>

#include <utility>

namespace fairway::mcp {

Analysis::Analysis(process::EventLoop& loop, std::filesystem::path folder,
                   rpc::HelperProcess::Program program, Limits limits)
    : loop_(loop),
      limits_(limits),
      process_(loop, "the analysis", std::move(folder), std::move(program)) {}

Analysis::RequestId Analysis::ask(std::string_view method, const Json& params,
                                  std::function<void(const Json& response)> responded) {
  const RequestId id = ++last_id_;
  if (waiting_.empty()) used_before_ = process_.processor_time();
  waiting_.insert(id);
  process_.call(method, params, [this, id, responded = std::move(responded)](const Json& response) {
    used_before_ = process_.processor_time();
    if (waiting_.erase(id) > 0) responded(response);
  });
  watch();
  return id;
}

void Analysis::forget(RequestId request) {
  if (waiting_.erase(request) > 0 && waiting_.empty()) process_.end("");
}

void Analysis::watch() {
  if (timer_ == 0) timer_ = loop_.after(limits_.interval, [this] { check_time(); });
}

void Analysis::check_time() {
  timer_ = 0;
  if (waiting_.empty()) return;
  if (process_.processor_time() - used_before_ <= limits_.total) return watch();
  process_.end(fmt::format("the analysis has used more than {} s of processor time",
                           std::chrono::duration<double>(limits_.total).count()));
}

}  // namespace fairway::mcp
