// The result of parsing one source file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/cpp_type.hpp"
#include "model/diagnostic.hpp"
#include "model/sent_response.hpp"
#include "model/value.hpp"

namespace fairway::model {

/// A part of the request that a handler reads by a static name: `req.query("page")`.
struct InputRead {
  std::string location;  ///< "param", "query", "header", "cookie", "body"
  /// The name in the source. For a name inside a body, the names of the enclosing objects come
  /// first.
  std::vector<std::string> path;
  bool validated = false;  ///< read from `req.valid(location)`
  Range range;             ///< the name
};

/// A part of the request that a handler reads as a type: `req.valid<Order>(fw::Location::body)`.
struct TypedRead {
  std::string location;
  std::string type;  ///< "::shop::Order"
  Range range;       ///< the call
};

/// A call of a function of the request that has no name of an input: `req.ip()`.
struct RequestCall {
  std::string function;  ///< "auth", "cookies", "ip", …
  Range range;           ///< the call
};

/// What a name must be where it is written.
enum class NameUse : std::uint8_t {
  any,
  space,  ///< a namespace: `using namespace N;`, `namespace x = N;`
  type    ///< `using X = N;`, `using N;`
};

/// A name in the namespaces of generated headers: `routes::users::CreateUser::Body`.
struct GeneratedName {
  std::vector<std::string> parts;  ///< "routes", "users", "CreateUser", "Body"
  bool in_valid = false;           ///< written as `req.valid<…>()`
  bool is_assumed = false;         ///< a using-directive may mean it, or something else
  bool is_alias = false;           ///< written with the name of an alias: `using Body = …;`
  bool in_macro = false;           ///< the range is only where the macro is used
  NameUse use = NameUse::any;
  Range range;  ///< in the file itself or in a header
};

/// `#include "users.routes.hpp"`, in the file itself or in a header that it includes.
struct GeneratedInclude {
  std::string name;           ///< the text in the quotes
  Range range;                ///< the name with its quotes
  bool in_header = false;     ///< not in the file itself
  bool is_condition = false;  ///< only `__has_include("users.routes.hpp")`
};

/// A constant status that a handler sends: `res.status(404)`, `res.json(data, 201)`.
struct SentStatus {
  int status = 0;
  Range range;
  bool is_left = false;                ///< set, and nothing is sent with it afterwards
  std::vector<HelperCall> calls = {};  ///< as in SentResponse
};

/// A constant status of `res.redirect` that is none of a redirect: the call throws.
struct RefusedRedirect {
  std::int64_t status = 0;
  Range range;
};

/// A page that a handler renders: `res.render("products", data)`.
struct RenderedPage {
  std::string name;  ///< empty if it is not a string literal, or other code gets the response
  Range range;
};

/// A message that the handler of a socket names: `socket.on("say", …)`, `socket.send("said", …)`.
struct NamedMessage {
  std::string name = {};        ///< in the source; empty: named by a type
  std::string type = {};        ///< of `socket.on<T>(…)`: the last part of the name of the type
  Range range = {};             ///< of `name`
  bool is_conditional = false;  ///< not in each call of the handler
};

/// The messages that the handler of a socket handles and sends, as far as the source shows.
struct MessageUse {
  std::vector<NamedMessage> handled = {};  ///< those for which it may set a function
  bool handles_others = true;              ///< others than `handled` are possible
  std::vector<NamedMessage> sets = {};     ///< for which it certainly sets a function; some of them
  std::vector<NamedMessage> sends = {};    ///< which it certainly sends; some of them
};

/// An error of Clang in a handler.
struct CompileError {
  std::string message;
  Range range;
  std::string help = {};  ///< what to write instead; may be empty
};

/// The uses of the request and the response that the source of a handler shows.
struct HandlerUse {
  std::vector<InputRead> reads;          ///< in source order
  std::vector<TypedRead> typed_reads;    ///< in source order
  std::vector<SentResponse> sent;        ///< in source order
  bool sends_others = true;              ///< other responses than `sent` are possible
  bool may_send_json = true;             ///< false if it certainly sends no JSON
  std::vector<GeneratedName> validated;  ///< types that it reads with `req.valid<…>()`
  std::vector<SentStatus> statuses;      ///< in source order
  std::vector<RefusedRedirect> refused_redirects = {};
  std::vector<RenderedPage> pages;  ///< in source order
  std::vector<RequestCall> calls;   ///< in source order
  bool proxies = false;             ///< calls `app.fetch.proxy`
  MessageUse messages = {};         ///< of a socket
  /// The first of Clang's errors in it, unless it may follow from types that are not generated yet.
  std::optional<CompileError> compile_error = {};
};

/// One `app.<method>(path[, options], handler)` of a factory.
struct Registration {
  std::string method;  ///< in upper case: "GET"; `del` is "DELETE"
  std::string path;    ///< the subpath in the source
  Value path_value;
  std::optional<Value> options;
  bool options_resolved = true;  ///< false if there are options that could not be resolved: the
                                 ///< error is reported, and other checks of the options are skipped
  Range range;                   ///< the whole call
  Range method_range;            ///< the name of the method
  HandlerUse handler;
  Signature signature;
};

enum class ExportKind { none, routes, middleware, plugin, reexport };

struct ParsedFile {
  std::string path;          ///< below the source directory, with '/': "routes/api/users.cpp"
  std::string display_path;  ///< the path for diagnostics
  ExportKind export_kind = ExportKind::none;
  Range export_range;
  std::string reexport_target;  ///< `FW_REEXPORT_DEFAULT("../users.cpp")`: the string in the source
  std::vector<Registration> registrations;
  std::vector<CppType> types;        ///< of its handlers and options, each after those in it
  std::vector<TypeUse> named_types;  ///< that options name with `fw::type<T>`
  std::vector<TypeUse> sent_types;   ///< of `res.json` and `res.render`, wherever they are called
  std::vector<Value> field_texts;    ///< strings of `fw::Field`
  std::vector<GeneratedName> generated_names;  ///< of the file and its headers, in source order
  std::vector<GeneratedInclude> generated_includes;
  Range include_end;                      ///< after the include of the framework in the file
  std::vector<std::string> dependencies;  ///< absolute paths of all files read, sorted
  bool awaits_types = false;              ///< to be read again: see frontend::ParseJob
  Diagnostics diagnostics;
};

}  // namespace fairway::model
