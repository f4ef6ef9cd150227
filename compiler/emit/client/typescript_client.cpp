#include "emit/client/typescript_client.hpp"

#include "emit/client/typescript_names.hpp"
#include "emit/client/typescript_operation.hpp"
#include "emit/client/typescript_support.hpp"
#include "emit/client/typescript_types.hpp"
#include "emit/template.hpp"

namespace fairway::emit {

std::string emit_typescript_client(const ClientApi& api, const std::string& name) {
  const std::string class_name = type_name(name) + "Client";
  TypeScriptTypes types(api.schemas, class_name);
  // An object with a method `then` could not be awaited; `constructor` is no method.
  Scope methods({"constructor", "then"});
  std::string method_texts;
  for (const ClientOperation& operation : api.operations) {
    if (!method_texts.empty()) method_texts += '\n';
    method_texts += typescript_method(operation, methods.add(operation.id), api.envelope, types);
  }
  const std::string title = api.title + ' ' + api.version;
  return fill(R"ts(
// Typed client of $comment$. Written by Fairway from the routes: do not edit.
// An enumeration holds the texts that this version knows; a later version may send others.

$types$

$doc$
export class $class$ {
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    this.#transport = new Transport(options);
  }

  $methods$
}

$support$
)ts",
              {{"comment", comment_text(title)},
               {"types", types.declarations()},
               {"doc", typescript_doc({title, api.description,
                                       "Each method gives the data of a success, and throws a\n"
                                       "ValidationFailure, an ApiError or a TransportError."})},
               {"class", class_name},
               {"methods", method_texts},
               {"support", std::string(typescript_support())}});
}

}  // namespace fairway::emit
