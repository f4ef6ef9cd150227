#include "lsp/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <poll.h>
#include <signal.h>
#include <string_view>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "lsp/analyser.hpp"
#include "lsp/features.hpp"
#include "process/file_watcher.hpp"

namespace fairway::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kQuietTime{10};  ///< after which a change is analysed
constexpr std::chrono::seconds kClientInterval{5};   ///< if the kernel cannot watch the client

constexpr std::array<std::string_view, 5> kDocumentRequests = {
    "textDocument/hover", "textDocument/definition", "textDocument/completion",
    "textDocument/documentSymbol", "textDocument/codeAction"};

/// Absolute, and without a slash at the end.
fs::path folder_path(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

/// The paths of WorkspaceFolders; those that are not of files are left out.
std::vector<fs::path> paths_of(const Json& folders) {
  std::vector<fs::path> paths;
  for (const Json& folder : folders) {
    if (const auto path = path_of(folder.at("uri").get<std::string>())) {
      paths.push_back(folder_path(*path));
    }
  }
  return paths;
}

/// The folders that the client has opened; the working directory if it has opened none.
std::vector<fs::path> folders_of(const Json& params) {
  const auto string_member = [&](const char* name) {
    return params.contains(name) && params[name].is_string() ? params[name].get<std::string>()
                                                             : std::string();
  };
  if (params.contains("workspaceFolders") && params["workspaceFolders"].is_array() &&
      !params["workspaceFolders"].empty()) {
    if (auto paths = paths_of(params["workspaceFolders"]); !paths.empty()) return paths;
  }
  const fs::path root = path_of(string_member("rootUri")).value_or(string_member("rootPath"));
  return {folder_path(root.empty() ? fs::current_path() : root)};
}

std::string uri_in(const Json& params) {
  return params.at("textDocument").at("uri").get<std::string>();
}

Json capabilities() {
  constexpr int kIncremental = 2;
  return {
      {"positionEncoding", "utf-16"},
      {"textDocumentSync",
       {{"openClose", true}, {"change", kIncremental}, {"save", {{"includeText", false}}}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"completionProvider", {{"triggerCharacters", {"\"", "<"}}}},
      {"documentSymbolProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
}

/// Everything that the analysis reads.
Json watchers() {
  std::string sources = "**/*.{html,js,css";
  for (const std::string_view ending : process::kSourceEndings)
    sources += fmt::format(",{}", ending.substr(1));
  sources += '}';
  Json patterns = Json::array();
  for (const std::string& pattern :
       {sources, std::string("**/compile_commands.json"), std::string("**/.fairway.json"),
        std::string("**/config/*.{json,yaml,yml}"), std::string("**/locales/*.json")}) {
    patterns.push_back({{"globPattern", pattern}});
  }
  return {{"registrations",
           {{{"id", "watched-files"},
             {"method", "workspace/didChangeWatchedFiles"},
             {"registerOptions", {{"watchers", patterns}}}}}}};
}

}  // namespace

Server::Server(int input, int output, MakeApplicationSource make_source, std::string version)
    : make_source_(std::move(make_source)),
      version_(std::move(version)),
      client_(
          loop_, input, output, rpc::Framing::headers,
          [this](const std::string& content) { receive(content); }, [this] { end(1); }) {}

int Server::run() {
  ::signal(SIGPIPE, SIG_IGN);
  loop_.run();
  client_.flush();
  return exit_status_.value_or(1);
}

void Server::end(int status) {
  exit_status_ = status;
  client_.close();
  loop_.stop();
}

// Messages.

void Server::receive(const std::string& content) {
  Json message;
  try {
    message = rpc::parse_message(content);
  } catch (const RequestError&) {
    return send(error_response(nullptr, std::current_exception()));
  }
  dispatch(message);
}

void Server::dispatch(const Json& message) {
  const bool is_object = message.is_object();
  if (is_object && !message.contains("method") &&
      (message.contains("result") || message.contains("error"))) {
    return;  // the response to a request of the server
  }
  const Json id = is_object && message.contains("id") ? message["id"] : Json();
  const bool is_request = id.is_string() || id.is_number_integer();
  if (!is_object || message.value("jsonrpc", Json()) != "2.0" || !message.contains("method") ||
      !message["method"].is_string() || !(is_request || id.is_null())) {
    return send(error_response(is_request ? id : Json(), ErrorCode::invalid_request,
                               "the message is not a request of JSON-RPC 2.0"));
  }
  const auto& method = message["method"].get_ref<const std::string&>();
  const auto handler = handlers().find(method);
  if (state_ != State::running && method != "exit") {
    const bool may_run = state_ == State::created && method == "initialize";
    if (!may_run && is_request) {
      send(state_ == State::created
               ? error_response(id, ErrorCode::server_not_initialized,
                                "'initialize' must be the first request")
               : error_response(id, ErrorCode::invalid_request, "the server is shut down"));
    }
    if (!may_run) return;
  }
  const Json params = message.contains("params") ? message["params"] : Json::object();
  try {
    if (handler != handlers().end()) {
      (this->*handler->second)(id, params);
    } else if (is_request && std::ranges::count(kDocumentRequests, method) > 0) {
      ask(id, method, params);
    } else if (is_request) {
      throw RequestError(ErrorCode::method_not_found, fmt::format("unknown method '{}'", method));
    }
  } catch (const std::exception&) {
    if (is_request) send(error_response(id, std::current_exception()));
  }
}

const std::map<std::string, Server::Handler, std::less<>>& Server::handlers() {
  static const std::map<std::string, Handler, std::less<>> kHandlers = {
      {"initialize", &Server::initialize},
      {"initialized", &Server::initialized},
      {"shutdown", &Server::shutdown},
      {"exit", &Server::exit},
      {"$/cancelRequest", &Server::cancel},
      {"textDocument/didOpen", &Server::open},
      {"textDocument/didChange", &Server::change},
      {"textDocument/didSave", &Server::save},
      {"textDocument/didClose", &Server::close},
      {"workspace/didChangeWatchedFiles", &Server::watched_files},
      {"workspace/didChangeWorkspaceFolders", &Server::workspace_folders}};
  return kHandlers;
}

// The life of the server.

void Server::initialize(const Json& id, const Json& params) {
  if (state_ != State::created) {
    throw RequestError(ErrorCode::invalid_request, "the server is already initialized");
  }
  const std::vector<fs::path> paths = folders_of(params);
  const auto opened =
      std::ranges::count_if(paths, [&](const fs::path& path) { return add_folder(path); });
  if (opened == 0) {
    throw RequestError(ErrorCode::invalid_params,
                       fmt::format("cannot open the folder '{}'", paths.front().string()));
  }
  const Json::json_pointer watched(
      "/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration");
  can_register_watchers_ = params.contains(watched) && params[watched] == true;
  state_ = State::running;
  send(response(id, {{"capabilities", capabilities()},
                     {"serverInfo", {{"name", "fairway"}, {"version", version_}}}}));
  watch_client(params);
}

/// The client may be killed while other processes keep the input open.
void Server::watch_client(const Json& params) {
  if (!params.contains("processId") || !params["processId"].is_number_integer()) return;
  const auto client = params["processId"].get<pid_t>();
  client_process_ =
      fw::base::FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, client, 0)));
  if (client_process_) {
    loop_.watch(client_process_.get(), POLLIN, [this](short) { end(1); });
  } else {
    check_client(client);
  }
}

void Server::check_client(pid_t client) {
  if (::kill(client, 0) != 0 && errno == ESRCH) return end(1);
  loop_.after(kClientInterval, [this, client] { check_client(client); });
}

void Server::initialized(const Json&, const Json&) {
  if (can_register_watchers_) send(request("watch", "client/registerCapability", watchers()));
  changed(true);
}

void Server::shutdown(const Json& id, const Json&) {
  state_ = State::shut_down;
  loop_.cancel(timer_);
  for (const auto& folder : folders_) {
    for (const Json& waiting : folder->forget_all()) {
      send(error_response(waiting, ErrorCode::request_cancelled, "the server is shut down"));
    }
  }
  send(response(id, nullptr));
}

void Server::exit(const Json&, const Json&) { end(state_ == State::shut_down ? 0 : 1); }

void Server::cancel(const Json&, const Json& params) {
  const Json& request = params.at("id");
  const bool was_waiting =
      std::ranges::any_of(folders_, [&](const auto& folder) { return folder->forget(request); });
  if (!was_waiting) return;  // the response is sent
  send(error_response(request, ErrorCode::request_cancelled, "the request was cancelled"));
}

// Documents.

void Server::open(const Json&, const Json& params) {
  const Json& document = params.at("textDocument");
  documents_.open(document.at("uri").get<std::string>(), document.at("version").get<std::int64_t>(),
                  document.at("text").get<std::string>());
  changed(false);
}

void Server::change(const Json&, const Json& params) {
  documents_.change(uri_in(params), params.at("textDocument").at("version").get<std::int64_t>(),
                    params.at("contentChanges"));
  changed(false);
}

void Server::save(const Json&, const Json&) { changed(true); }

void Server::close(const Json&, const Json& params) {
  const std::string uri = uri_in(params);
  documents_.close(uri);
  if (published_.erase(uri) > 0) withdraw(uri);
  changed(false);
}

void Server::watched_files(const Json&, const Json&) { changed(true); }

// The folders.

bool Server::add_folder(const fs::path& path) {
  const auto is_this = [&](const auto& folder) { return folder->path() == path; };
  if (std::ranges::any_of(folders_, is_this)) return true;
  std::error_code error;
  if (!fs::is_directory(path, error) || ::access(path.c_str(), X_OK) != 0) return false;
  folders_.push_back(std::make_unique<FolderAnalysis>(
      loop_, documents_, path,
      [this](int connection) {
        const auto source = make_source_();
        Analyser(*source).run(connection);
      },
      FolderAnalysis::Listener{.analysed = [this](FolderAnalysis& folder) { on_result(folder); },
                               .respond = [this](const Json& message) { send(message); }}));
  return true;
}

void Server::workspace_folders(const Json&, const Json& params) {
  const Json& event = params.at("event");
  for (const fs::path& path : paths_of(event.at("removed"))) {
    const auto removed = std::ranges::find(folders_, path, &FolderAnalysis::path);
    if (removed == folders_.end()) continue;
    for (const Json& id : (*removed)->forget_all()) send(response(id, nullptr));
    folders_.erase(removed);
    shown_.erase(path);
  }
  for (const fs::path& path : paths_of(event.at("added"))) add_folder(path);
  publish();
  changed(false);
}

FolderAnalysis* Server::folder_of(const Document& document) const {
  FolderAnalysis* found = folders_.empty() ? nullptr : folders_.front().get();
  std::size_t length = 0;
  for (const auto& folder : folders_) {
    if (!folder->contains(document) || folder->path().native().size() < length) continue;
    length = folder->path().native().size();
    found = folder.get();
  }
  return found;
}

// The analysis.

void Server::changed(bool on_disk) {
  ++generation_;
  if (on_disk) {
    for (const auto& folder : folders_) folder->note_disk_change();
  }
  loop_.cancel(timer_);
  timer_ = loop_.after(kQuietTime, [this] {
    timer_ = 0;
    begin_analyses();
  });
}

void Server::begin_analyses() {
  if (state_ != State::running) return;
  for (const auto& folder : folders_) {
    if (folder->analysed() != generation_) folder->begin(generation_);
  }
}

void Server::on_result(FolderAnalysis& folder) {
  if (state_ != State::running) return;
  // Errors of an earlier text are of no use any more.
  if (folder.analysed() == generation_) show_error(folder);
  publish();
  folder.respond_to_waiting();
  const bool is_outdated = folder.analysed() != generation_ && timer_ == 0;
  if (is_outdated || folder.has_waiting()) folder.begin(generation_);
}

void Server::show_error(const FolderAnalysis& folder) {
  const bool has_several = folders_.size() > 1;
  // Other folders of a workspace need not be applications.
  std::string message = has_several && folder.is_missing() ? "" : folder.error();
  std::string& shown = shown_[folder.path()];
  if (std::exchange(shown, message) == message || message.empty()) return;
  if (has_several) message = fmt::format("'{}': {}", folder.path().string(), message);
  constexpr int kErrorMessage = 1;
  send(notification("window/showMessage",
                    {{"type", kErrorMessage}, {"message", "fairway: " + message}}));
}

void Server::publish() {
  for (const auto& [uri, document] : documents_.all()) publish(uri, document);
}

/// The diagnostics of all folders that have read the document, once its text is analysed. A
/// document that no folder has read has none, which is not the same as an empty list.
void Server::publish(const std::string& uri, const Document& document) {
  bool is_read = false;
  bool is_seen = true;
  Json diagnostics = Json::array();
  for (const auto& folder : folders_) {
    const bool has_seen = folder->has_seen(uri, document);
    const Json* const found = has_seen ? folder->diagnostics_of(uri) : nullptr;
    is_seen = is_seen && has_seen;
    is_read = is_read || found != nullptr;
    if (found == nullptr) continue;
    for (const Json& each : *found) {
      if (std::ranges::count(diagnostics, each) == 0) diagnostics.push_back(each);
    }
  }
  const auto last = published_.find(uri);
  if (is_read) {
    Json params = {{"uri", uri}, {"version", document.version}, {"diagnostics", diagnostics}};
    if (last != published_.end() && last->second == params) return;
    published_[uri] = params;
    send(notification("textDocument/publishDiagnostics", std::move(params)));
  } else if (is_seen && last != published_.end()) {
    const bool shows_any = !last->second["diagnostics"].empty();
    published_.erase(last);
    if (shows_any) withdraw(uri);
  }
}

void Server::withdraw(const std::string& uri) {
  send(notification("textDocument/publishDiagnostics",
                    {{"uri", uri}, {"diagnostics", Json::array()}}));
}

// Requests about documents.

void Server::ask(const Json& id, const std::string& method, const Json& params) {
  const std::string uri = uri_in(params);
  const Document* const document = documents_.find(uri);
  if (document == nullptr) {
    throw RequestError(ErrorCode::invalid_params, "'" + uri + "' is not open");
  }
  FolderAnalysis* const folder = folder_of(*document);
  if (folder == nullptr) return send(response(id, nullptr));
  // Completion needs the current text and names, so it does not wait for the analysis of the last
  // change.
  if (method == "textDocument/completion" && folder->names() != nullptr) {
    const Position position = position_from(params.at("position"));
    return send(response(id, completion(*folder->names(), *document, position)));
  }
  folder->request(generation_, id, method, params, uri);
}

}  // namespace fairway::lsp
