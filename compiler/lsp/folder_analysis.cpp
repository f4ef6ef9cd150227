#include "lsp/folder_analysis.hpp"

#include <fmt/format.h>

#include <system_error>

#include "lsp/analyser.hpp"
#include "process/file_watcher.hpp"

namespace fairway::lsp {

namespace fs = std::filesystem;

FolderAnalysis::FolderAnalysis(process::EventLoop& loop, const Documents& documents, fs::path path,
                               rpc::HelperProcess::Program program, Listener listener,
                               const Limits& limits)
    : loop_(loop),
      documents_(documents),
      path_(std::move(path)),
      listener_(std::move(listener)),
      limits_(limits),
      process_(loop, "the analysis", path_, std::move(program)) {
  std::error_code error;
  real_path_ = fs::canonical(path_, error);
}

bool FolderAnalysis::contains(const Document& document) const {
  return process::is_within(document.path, path_) ||
         process::is_within(document.real_path, real_path_);
}

void FolderAnalysis::begin(std::uint64_t generation) {
  wanted_ = generation;
  if (is_analysing_) return;
  is_analysing_ = true;
  analysing_ = generation;
  const Json parameters = changes();
  used_before_ = process_.processor_time();
  process_.call(kAnalyse, parameters,
                [this, generation](const Json& response) { on_result(generation, response); });
  watch();
}

void FolderAnalysis::watch() {
  timer_ = loop_.after(limits_.interval, [this] { check_time(); });
}

/// Ends an analysis that takes too long. One of an earlier text ends soon, because the next change
/// waits for it.
void FolderAnalysis::check_time() {
  timer_ = 0;
  if (!is_analysing_) return;
  const bool is_outdated = wanted_ != analysing_;
  const auto limit = is_outdated ? limits_.outdated : limits_.total;
  if (process_.processor_time() - used_before_ <= limit) return watch();
  process_.end(fmt::format("the analysis has used more than {} s of processor time",
                           std::chrono::duration<double>(limit).count()));
}

/// What the process needs to know since the last analysis.
Json FolderAnalysis::changes() {
  if (!process_.is_running()) {
    revisions_.clear();
    disk_has_changed_ = true;
  }
  Json closed = Json::array();
  std::erase_if(revisions_, [&](const auto& known) {
    const bool is_closed = documents_.find(known.first) == nullptr;
    if (is_closed) closed.push_back(known.first);
    return is_closed;
  });
  Json opened = Json::array();
  for (const auto& [uri, document] : documents_.all()) {
    std::uint64_t& known = revisions_[uri];
    if (std::exchange(known, document.revision) == document.revision) continue;
    opened.push_back({{"uri", uri}, {"version", document.version}, {"text", document.text}});
  }
  return {{"closed", closed},
          {"opened", opened},
          {"diskHasChanged", std::exchange(disk_has_changed_, false)}};
}

void FolderAnalysis::on_result(std::uint64_t generation, const Json& response) {
  is_analysing_ = false;
  loop_.cancel(std::exchange(timer_, 0));
  analysed_ = generation;
  names_.reset();
  diagnostics_ = Json::object();
  if (response.contains("result")) {
    const Json& result = response["result"];
    error_ = result.at("error").get<std::string>();
    is_missing_ = result.at("isMissing").get<bool>();
    diagnostics_ = result.at("documents");
    if (!result.at("names").is_null()) names_ = completion_names_from(result["names"]);
  } else {
    error_ = response.at("error").at("message").get<std::string>();
    is_missing_ = false;
    if (!process_.is_running()) {
      error_ += ": it starts again with the next change; undo the last one if this happens again";
    }
  }
  listener_.analysed(*this);
}

bool FolderAnalysis::has_seen(const std::string& uri, const Document& document) const {
  const auto known = revisions_.find(uri);
  return !is_analysing_ && known != revisions_.end() && known->second == document.revision;
}

const Json* FolderAnalysis::diagnostics_of(const std::string& uri) const {
  const auto found = diagnostics_.find(uri);
  return found == diagnostics_.end() ? nullptr : &*found;
}

void FolderAnalysis::request(std::uint64_t generation, const Json& id, const std::string& method,
                             const Json& params, const std::string& uri) {
  waiting_.push_back({.generation = generation,
                      .id = id,
                      .method = method,
                      .params = params,
                      .uri = uri,
                      .revision = documents_.find(uri)->revision});
  respond_to_waiting();
  if (has_waiting()) begin(generation);
}

void FolderAnalysis::respond_to_waiting() {
  for (const Waiting& each : std::exchange(waiting_, {})) {
    // While an analysis is running, the process would respond after it.
    if (is_analysing_ || each.generation > analysed_) {
      waiting_.push_back(each);
    } else {
      respond(each);
    }
  }
}

void FolderAnalysis::respond(const Waiting& request) {
  const auto known = revisions_.find(request.uri);
  if (known == revisions_.end() || known->second != request.revision) {
    return listener_.respond(error_response(request.id, ErrorCode::content_modified,
                                            "the document has changed since the request"));
  }
  const bool has_snapshot = names_ && process_.is_running();
  if (!has_snapshot) return listener_.respond(response(request.id, nullptr));
  asked_.push_back(request.id);
  process_.call(request.method, request.params, [this, id = request.id](Json response) {
    if (std::erase(asked_, id) == 0) return;  // it was forgotten
    response["id"] = id;
    listener_.respond(response);
  });
}

bool FolderAnalysis::forget(const Json& id) {
  return std::erase_if(waiting_, [&](const Waiting& each) { return each.id == id; }) +
             std::erase(asked_, id) >
         0;
}

std::vector<Json> FolderAnalysis::forget_all() {
  std::vector<Json> ids = std::exchange(asked_, {});
  for (Waiting& each : std::exchange(waiting_, {})) ids.push_back(std::move(each.id));
  return ids;
}

}  // namespace fairway::lsp
