#include "lsp/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace fairway::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kQuietTime{10};  ///< after which a change is analysed

/// The folder that the client has opened; empty if it has opened none.
fs::path root_of(const Json& params) {
  const auto string_member = [](const Json& object, const char* name) {
    return object.contains(name) && object[name].is_string() ? object[name].get<std::string>()
                                                             : std::string();
  };
  std::string uri;
  if (params.contains("workspaceFolders") && params["workspaceFolders"].is_array() &&
      !params["workspaceFolders"].empty()) {
    uri = string_member(params["workspaceFolders"][0], "uri");
  }
  if (uri.empty()) uri = string_member(params, "rootUri");
  if (uri.empty()) return string_member(params, "rootPath");
  return path_of(uri).value_or(fs::path());
}

std::string uri_in(const Json& params) {
  return params.at("textDocument").at("uri").get<std::string>();
}

Json capabilities() {
  constexpr int kIncremental = 2;
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync",
           {{"openClose", true}, {"change", kIncremental}, {"save", {{"includeText", false}}}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"completionProvider", {{"triggerCharacters", {"\"", "<"}}}},
          {"documentSymbolProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}};
}

/// Everything that the analysis reads.
Json watchers() {
  Json patterns = Json::array();
  for (const char* pattern : {"**/*.{cpp,hpp,h,html,js,css}", "**/compile_commands.json",
                              "**/.fairway.json", "**/config/*.{json,yaml,yml}"}) {
    patterns.push_back({{"globPattern", pattern}});
  }
  return {{"registrations",
           {{{"id", "watched-files"},
             {"method", "workspace/didChangeWatchedFiles"},
             {"registerOptions", {{"watchers", patterns}}}}}}};
}

}  // namespace

Server::Server(int input, int output, ApplicationSource& source, std::string version)
    : input_(input), output_(output), version_(std::move(version)), analysis_(source) {}

int Server::run() {
  loop_.watch(input_, POLLIN, [this](short) { read_input(); });
  loop_.watch(analysis_.descriptor(), POLLIN, [this](short) { on_result(); });
  loop_.run();
  return exit_status_.value_or(1);
}

void Server::end(int status) {
  exit_status_ = status;
  loop_.stop();
}

// Messages.

void Server::read_input() {
  std::array<char, 65536> bytes;
  const ssize_t size = ::read(input_, bytes.data(), bytes.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) return end(1);
  reader_.add({bytes.data(), static_cast<std::size_t>(size)});
  while (!exit_status_) {
    const auto content = reader_.next();
    if (!content) break;
    receive(*content);
  }
}

void Server::receive(const std::string& content) {
  const Json message = Json::parse(content, nullptr, false);
  if (message.is_discarded()) {
    return send(error_response(nullptr, ErrorCode::parse_error, "the message is not valid JSON"));
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
    const bool may_run = state_ == State::new_ && method == "initialize";
    if (!may_run && is_request) {
      send(state_ == State::new_
               ? error_response(id, ErrorCode::server_not_initialized,
                                "'initialize' must be the first request")
               : error_response(id, ErrorCode::invalid_request, "the server is shut down"));
    }
    if (!may_run) return;
  }
  if (handler == handlers().end()) {
    if (is_request) {
      send(error_response(id, ErrorCode::method_not_found,
                          fmt::format("unknown method '{}'", method)));
    }
    return;
  }
  call(handler->second, id, message.contains("params") ? message["params"] : Json::object());
}

void Server::call(Handler handler, const Json& id, const Json& params) {
  const auto fail = [&](ErrorCode code, const std::string& message) {
    if (!id.is_null()) send(error_response(id, code, message));
  };
  try {
    (this->*handler)(id, params);
  } catch (const RequestError& error) {
    fail(error.code(), error.what());
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();  // "[json.exception.…] key 'position' not found"
    fail(ErrorCode::invalid_params,
         fmt::format("invalid parameters: {}", what.substr(what.find("] ") + 2)));
  } catch (const std::exception& error) {
    fail(ErrorCode::internal_error, fmt::format("internal error ({})", error.what()));
  }
}

void Server::send(const Json& message) {
  const std::string bytes = framed(message);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = ::write(output_, bytes.data() + sent, bytes.size() - sent);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return end(1);  // nobody reads any more
    sent += static_cast<std::size_t>(size);
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
      {"textDocument/hover", &Server::hover_request},
      {"textDocument/definition", &Server::definition_request},
      {"textDocument/completion", &Server::completion_request},
      {"textDocument/documentSymbol", &Server::symbols_request},
      {"textDocument/codeAction", &Server::actions_request}};
  return kHandlers;
}

// The life of the server.

void Server::initialize(const Json& id, const Json& params) {
  if (state_ != State::new_) {
    throw RequestError(ErrorCode::invalid_request, "the server is already initialized");
  }
  const fs::path root = root_of(params);
  std::error_code error;
  if (!root.empty()) fs::current_path(root, error);
  if (error) {
    throw RequestError(ErrorCode::invalid_params, fmt::format("cannot open the folder '{}': {}",
                                                              root.string(), error.message()));
  }
  const Json::json_pointer watched(
      "/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration");
  can_register_watchers_ = params.contains(watched) && params[watched] == true;
  state_ = State::running;
  send(response(id, {{"capabilities", capabilities()},
                     {"serverInfo", {{"name", "fairway"}, {"version", version_}}}}));
}

void Server::initialized(const Json&, const Json&) {
  if (can_register_watchers_) send(request("watch", "client/registerCapability", watchers()));
  changed(true);
}

void Server::shutdown(const Json& id, const Json&) {
  state_ = State::shut_down;
  loop_.cancel(timer_);
  for (const Pending& each : std::exchange(pending_, {})) {
    send(error_response(each.id, ErrorCode::request_cancelled, "the server is shut down"));
  }
  send(response(id, nullptr));
}

void Server::exit(const Json&, const Json&) { end(state_ == State::shut_down ? 0 : 1); }

void Server::cancel(const Json&, const Json& params) {
  const auto pending = std::ranges::find(pending_, params.at("id"), &Pending::id);
  if (pending == pending_.end()) return;  // the response is sent
  send(error_response(pending->id, ErrorCode::request_cancelled, "the request was cancelled"));
  pending_.erase(pending);
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
  if (published_.erase(uri) > 0) {
    send(notification("textDocument/publishDiagnostics",
                      {{"uri", uri}, {"diagnostics", Json::array()}}));
  }
  changed(false);
}

void Server::watched_files(const Json&, const Json&) { changed(true); }

// The analysis.

void Server::changed(bool on_disk) {
  ++generation_;
  disk_has_changed_ = disk_has_changed_ || on_disk;
  loop_.cancel(timer_);
  timer_ = loop_.after(kQuietTime, [this] {
    timer_ = 0;
    begin_analysis();
  });
}

void Server::begin_analysis() {
  if (is_analysing_ || state_ != State::running) return;
  loop_.cancel(std::exchange(timer_, 0));
  is_analysing_ = true;
  versions_.clear();
  for (const auto& [uri, document] : documents_.all()) versions_[uri] = document.version;
  analysis_.start({.generation = generation_,
                   .unsaved = documents_.unsaved(),
                   .disk_has_changed = std::exchange(disk_has_changed_, false)});
}

void Server::on_result() {
  auto result = analysis_.take();
  if (!result) return;
  is_analysing_ = false;
  analysed_ = result->generation;
  if (state_ != State::running) return;
  if (result->snapshot) {
    snapshot_ = std::move(result->snapshot);
    publish();
  } else if (result->error != last_error_) {
    constexpr int kErrorMessage = 1;
    send(notification("window/showMessage",
                      {{"type", kErrorMessage}, {"message", "fairway: " + result->error}}));
  }
  last_error_ = result->error;
  respond_to_pending();
  const bool is_outdated = analysed_ != generation_ && timer_ == 0;
  if (is_outdated || !pending_.empty()) begin_analysis();
}

void Server::publish() {
  EditedSourceText sources(snapshot_->unsaved);
  for (const auto& [uri, version] : versions_) {
    const Document* const document = documents_.find(uri);
    if (document == nullptr || document->path.empty()) continue;
    Json params = {{"uri", uri},
                   {"version", version},
                   {"diagnostics", diagnostics_of({*snapshot_, documents_, sources, *document})}};
    Json& last = published_[uri];
    if (last == params) continue;
    last = params;
    send(notification("textDocument/publishDiagnostics", std::move(params)));
  }
}

// Features.

void Server::respond_with(const Json& id, const Json& params, Feature feature) {
  const std::string uri = uri_in(params);
  if (documents_.find(uri) == nullptr) {
    throw RequestError(ErrorCode::invalid_params, "'" + uri + "' is not open");
  }
  pending_.push_back(
      {.id = id, .generation = generation_, .uri = uri, .feature = std::move(feature)});
  respond_to_pending();
  if (!pending_.empty()) begin_analysis();
}

void Server::respond_to_pending() {
  for (const Pending& each : std::exchange(pending_, {})) {
    if (each.generation > analysed_) {
      pending_.push_back(each);
    } else {
      respond(each);
    }
  }
}

void Server::respond(const Pending& pending) {
  const Document* const document = documents_.find(pending.uri);
  if (document == nullptr || !snapshot_) return send(response(pending.id, nullptr));
  EditedSourceText sources(snapshot_->unsaved);
  Json result;
  try {
    result = pending.feature({*snapshot_, documents_, sources, *document});
  } catch (const std::exception& error) {
    return send(error_response(pending.id, ErrorCode::internal_error,
                               fmt::format("internal error ({})", error.what())));
  }
  send(response(pending.id, std::move(result)));
}

void Server::hover_request(const Json& id, const Json& params) {
  const Position position = position_from(params.at("position"));
  respond_with(id, params, [position](const View& view) { return hover(view, position); });
}

void Server::definition_request(const Json& id, const Json& params) {
  const Position position = position_from(params.at("position"));
  respond_with(id, params, [position](const View& view) { return definition(view, position); });
}

void Server::symbols_request(const Json& id, const Json& params) {
  respond_with(id, params, [](const View& view) { return document_symbols(view); });
}

void Server::actions_request(const Json& id, const Json& params) {
  const Position begin = position_from(params.at("range").at("start"));
  const Position end = position_from(params.at("range").at("end"));
  respond_with(id, params,
               [begin, end](const View& view) { return code_actions(view, begin, end); });
}

/// The current text is enough, so the response need not wait for the analysis of the last change.
void Server::completion_request(const Json& id, const Json& params) {
  const Position position = position_from(params.at("position"));
  const Document* const document = documents_.find(uri_in(params));
  if (snapshot_ && document != nullptr) {
    return send(response(id, completion(*snapshot_, *document, position)));
  }
  respond_with(id, params, [position](const View& view) {
    return completion(view.snapshot, view.document, position);
  });
}

}  // namespace fairway::lsp
