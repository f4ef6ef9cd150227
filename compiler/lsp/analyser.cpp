#include "lsp/analyser.hpp"

#include <fmt/format.h>

#include <string>

#include "files/user_error.hpp"
#include "lsp/features.hpp"
#include "rpc/helper_process.hpp"

namespace fairway::lsp {

void Analyser::run(int connection) {
  rpc::respond_to_requests(connection, [this](const std::string& method, const Json& params) {
    return method == kAnalyse ? analyse(params) : ask(method, params);
  });
}

Json Analyser::analyse(const Json& params) {
  for (const Json& uri : params.at("closed")) documents_.close(uri.get<std::string>());
  for (const Json& each : params.at("opened")) {
    documents_.open(each.at("uri").get<std::string>(), each.at("version").get<std::int64_t>(),
                    each.at("text").get<std::string>());
  }
  Json result = {
      {"documents", Json::object()}, {"names", nullptr}, {"error", ""}, {"isMissing", false}};
  try {
    snapshot_.reset();
    snapshot_ = source_.read(documents_.files(), params.at("diskHasChanged").get<bool>());
    result["names"] = to_json(completion_names(*snapshot_));
    result["error"] = snapshot_->warning;
    EditedSourceText sources(snapshot_->unsaved);
    for (const auto& [uri, document] : documents_.all()) {
      if (!snapshot_->has_read(document)) continue;
      result["documents"][uri] = diagnostics_of({*snapshot_, documents_, sources, document});
    }
  } catch (const NoApplication& error) {
    result["error"] = error.what();
    result["isMissing"] = true;
  } catch (const UserError& error) {
    result["error"] = error.what();
  }
  return result;
}

Json Analyser::ask(std::string_view method, const Json& params) const {
  const auto position = [&] { return position_from(params.at("position")); };
  const auto range_end = [&](const char* end) { return position_from(params.at("range").at(end)); };
  const Document* const document =
      documents_.find(params.at("textDocument").at("uri").get<std::string>());
  if (document == nullptr || !snapshot_ || !snapshot_->has_read(*document)) return nullptr;
  EditedSourceText sources(snapshot_->unsaved);
  const View view{*snapshot_, documents_, sources, *document};
  if (method == "textDocument/hover") return hover(view, position());
  if (method == "textDocument/definition") return definition(view, position());
  if (method == "textDocument/documentSymbol") return document_symbols(view);
  if (method == "textDocument/codeAction") {
    return code_actions(view, range_end("start"), range_end("end"));
  }
  if (method == "textDocument/completion") {
    return completion(completion_names(*snapshot_), *document, position());
  }
  throw RequestError(ErrorCode::method_not_found, fmt::format("unknown method '{}'", method));
}

}  // namespace fairway::lsp
