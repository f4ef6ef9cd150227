#include "diff/catalogue.hpp"

namespace fairway::diff {
namespace {

using enum Level;
constexpr auto kDocument = ExampleSlot::document;
constexpr auto kOperation = ExampleSlot::operation;
constexpr auto kParameter = ExampleSlot::parameter;

constexpr std::string_view kNoPatch = "{}";
constexpr std::string_view kWithGet =
    R"({"paths": {"/orders": {"get": {"responses": {"200": {"description": "OK"}}}}}})";
constexpr std::string_view kWithOldGet =
    R"({"paths": {"/orders": {"get": {"deprecated": true, "responses": {"200": {"description": "OK"}}}}}})";

std::vector<ChangeKind> operations() {
  return {
      {"operation-removed", breaking, "an operation was removed",
       "Clients that call it get 404 or 405. Names of path parameters do not matter; when "
       "the operation id is in use elsewhere, the message says where.",
       kDocument, kWithGet, kNoPatch},
      {"deprecated-operation-removed", non_breaking, "a deprecated operation was removed",
       "Clients were warned by an earlier document.", kDocument, kWithOldGet, kNoPatch},
      {"operation-added", non_breaking, "an operation was added", "Nobody calls it yet.", kDocument,
       kNoPatch, kWithGet},
      {"operation-deprecated", non_breaking, "an operation became deprecated",
       "It works as before; clients should stop calling it.", kOperation, kNoPatch,
       R"({"deprecated": true})"},
      {"operation-no-longer-deprecated", non_breaking,
       "an operation was deprecated, and is no longer", "It works as before.", kOperation,
       R"({"deprecated": true})", kNoPatch},
      {"operation-id-changed", non_breaking, "an operation id became another one",
       "It is not on the wire. Generated clients name the operation differently from now on.",
       kOperation, kNoPatch, R"({"operationId": "placeOrder"})"},
      {"server-added", non_breaking, "a server was added", "The others are still there.", kDocument,
       R"({"servers": [{"url": "https://a.example"}]})",
       R"({"servers": [{"url": "https://a.example"}, {"url": "https://b.example"}]})"},
      {"server-removed", breaking, "a server was removed", "Clients send their requests to it.",
       kDocument, R"({"servers": [{"url": "https://a.example"}, {"url": "https://b.example"}]})",
       R"({"servers": [{"url": "https://a.example"}]})"},
      {"server-variable-changed", breaking, "the default of a server's variable became another one",
       "Clients that do not set the variable send their requests elsewhere.", kDocument,
       R"({"servers": [{"url": "https://{zone}.example", "variables": {"zone": {"default": "eu"}}}]})",
       R"({"servers": [{"url": "https://{zone}.example", "variables": {"zone": {"default": "us"}}}]})"},
      {"security-tightened", breaking, "something that was enough to be let in is not any more",
       "Clients with the credentials of the old document are rejected: a scheme or scope was "
       "added, "
       "or an alternative removed.",
       kOperation, R"({"security": [{"bearer": []}]})",
       R"({"security": [{"bearer": ["orders:write"]}]})"},
      {"security-loosened", non_breaking, "less is enough to be let in",
       "Clients with the credentials of the old document are still let in.", kOperation,
       R"({"security": [{"bearer": []}]})", R"({"security": [{"bearer": []}, {"apiKey": []}]})"},
      {"security-scheme-changed", breaking, "a security scheme means something else",
       "Clients present their credentials in the old way. A scheme that was only renamed is no "
       "change.",
       kDocument,
       R"({"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}}})",
       R"({"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-key"}}}})"},
      {"callback-added", non_breaking, "the API calls one more callback or webhook",
       "Clients that do not know it do not subscribe to it.", kDocument, kNoPatch,
       R"({"webhooks": {"paid": {"post": {"responses": {"200": {"description": "OK"}}}}}})"},
      {"callback-removed", breaking, "the API no longer calls a callback or webhook",
       "Clients wait for it. Its bodies are compared as responses: clients receive them.",
       kDocument,
       R"({"webhooks": {"paid": {"post": {"responses": {"200": {"description": "OK"}}}}}})",
       kNoPatch},
  };
}

constexpr std::string_view kLimit =
    R"({"in": "query", "name": "limit", "schema": {"type": "integer"}})";
constexpr std::string_view kLimitRequired =
    R"({"in": "query", "name": "limit", "required": true, "schema": {"type": "integer"}})";
constexpr std::string_view kLimitDeprecated =
    R"({"in": "query", "name": "limit", "deprecated": true, "schema": {"type": "integer"}})";
constexpr std::string_view kWithLimit =
    R"({"parameters": [{"in": "query", "name": "limit", "schema": {"type": "integer"}}]})";

std::vector<ChangeKind> parameters() {
  return {
      {"required-parameter-added", breaking, "a required parameter was added",
       "Clients do not send it, and are rejected.", kOperation, kNoPatch,
       R"({"parameters": [{"in": "query", "name": "limit", "required": true, "schema": {"type": "integer"}}]})"},
      {"optional-parameter-added", non_breaking, "an optional parameter was added",
       "Clients need not send it.", kOperation, kNoPatch, kWithLimit},
      {"parameter-removed", breaking, "a parameter was removed",
       "What clients ask for with it is not heard any more.", kOperation, kWithLimit, kNoPatch},
      {"deprecated-parameter-removed", non_breaking, "a deprecated parameter was removed",
       "Clients were warned by an earlier document.", kOperation,
       R"({"parameters": [{"in": "query", "name": "limit", "deprecated": true}]})", kNoPatch},
      {"parameter-became-required", breaking, "an optional parameter became required",
       "Requests without it are rejected.", kParameter, kLimit, kLimitRequired},
      {"parameter-became-optional", non_breaking, "a required parameter became optional",
       "Requests with it are still accepted.", kParameter, kLimitRequired, kLimit},
      {"parameter-location-changed", breaking, "a parameter has to be sent elsewhere",
       "Clients send it where it was: in the path, the query, a header or a cookie.", kParameter,
       R"({"in": "query", "name": "tenant", "schema": {"type": "string"}})",
       R"({"in": "header", "name": "tenant", "schema": {"type": "string"}})"},
      {"parameter-serialization-changed", breaking, "a parameter is written in another style",
       "Clients write it in the old style. Only what shows on the wire counts: without parts, "
       "'explode' means nothing.",
       kParameter, R"({"in": "query", "name": "ids", "schema": {"type": "array"}})",
       R"({"in": "query", "name": "ids", "style": "pipeDelimited", "schema": {"type": "array"}})"},
      {"path-parameter-renamed", non_breaking, "a path parameter has another name",
       "Its name is not on the wire. Generated clients may name it differently from now on.",
       kDocument,
       R"({"paths": {"/orders/{id}": {"get": {"parameters": [{"in": "path", "name": "id", "required": true}]}}}})",
       R"({"paths": {"/orders/{orderId}": {"get": {"parameters": [{"in": "path", "name": "orderId", "required": true}]}}}})"},
      {"parameter-deprecated", non_breaking, "a parameter became deprecated",
       "It works as before; clients should stop sending it.", kParameter, kLimit, kLimitDeprecated},
      {"parameter-no-longer-deprecated", non_breaking,
       "a parameter was deprecated, and is no longer", "It works as before.", kParameter,
       kLimitDeprecated, kLimit},
  };
}

constexpr std::string_view kBody = R"({"requestBody": {"content": {"application/json": {}}}})";
constexpr std::string_view kBodyRequired =
    R"({"requestBody": {"required": true, "content": {"application/json": {}}}})";
constexpr std::string_view kTwoTypes =
    R"({"requestBody": {"content": {"application/json": {}, "application/xml": {}}}})";

std::vector<ChangeKind> bodies() {
  return {
      {"required-request-body-added", breaking, "a required request body was added",
       "Clients do not send it, and are rejected.", kOperation, kNoPatch, kBodyRequired},
      {"optional-request-body-added", non_breaking, "an optional request body was added",
       "Clients need not send it.", kOperation, kNoPatch, kBody},
      {"request-body-removed", breaking, "a request body was removed",
       "What clients send in it is lost.", kOperation, kBody, kNoPatch},
      {"request-body-became-required", breaking, "an optional request body became required",
       "Requests without it are rejected.", kOperation, kBody, kBodyRequired},
      {"request-body-became-optional", non_breaking, "a required request body became optional",
       "Requests with it are still accepted.", kOperation, kBodyRequired, kBody},
      {"request-media-type-added", non_breaking, "a media type of a request body was added",
       "The others are still accepted.", kOperation, kBody, kTwoTypes},
      {"request-media-type-removed", breaking, "a media type of a request body was removed",
       "Requests of that type are rejected. A range such as 'application/*' includes its types.",
       kOperation, kTwoTypes, kBody},
      {"encoding-changed", breaking, "the parts of a form are encoded differently",
       "Clients and the API write and read them in different ways.", kOperation,
       R"({"requestBody": {"content": {"multipart/form-data": {"encoding": {"a": {"contentType": "text/plain"}}}}}})",
       R"({"requestBody": {"content": {"multipart/form-data": {"encoding": {"a": {"contentType": "text/csv"}}}}}})"},
  };
}

constexpr std::string_view kOkAndConflict =
    R"({"responses": {"200": {"description": "OK"}, "409": {"description": "Conflict"}}})";
constexpr std::string_view kOk = R"({"responses": {"200": {"description": "OK"}}})";
constexpr std::string_view kHeader =
    R"({"responses": {"201": {"headers": {"x-total": {"schema": {"type": "integer"}}}}}})";
constexpr std::string_view kHeaderRequired =
    R"({"responses": {"201": {"headers": {"x-total": {"required": true, "schema": {"type": "integer"}}}}}})";

std::vector<ChangeKind> responses() {
  return {
      {"response-added", non_breaking, "a response was added",
       "Clients treat a status by its family. Where a family or 'default' described the status "
       "before, the two are compared.",
       kOperation, kOk, kOkAndConflict},
      {"success-response-removed", breaking, "a response of success was removed",
       "Clients wait for it. Where a family such as '2XX' describes the status now, the two are "
       "compared instead.",
       kOperation, kOk, kNoPatch},
      {"error-response-removed", non_breaking, "a response of failure was removed",
       "One thing less can go wrong. Where a family or 'default' describes the status now, the two "
       "are compared instead.",
       kOperation, kOkAndConflict, kOk},
      {"response-media-type-added", non_breaking, "a media type of a response was added",
       "Clients ask for the types that they know.", kOperation, kNoPatch,
       R"({"responses": {"201": {"content": {"text/csv": {}}}}})"},
      {"response-media-type-removed", breaking, "a media type of a response was removed",
       "Clients ask for it. A range such as 'text/*' includes its types.", kOperation,
       R"({"responses": {"201": {"content": {"text/csv": {}}}}})", kNoPatch},
      {"response-header-added", non_breaking, "a header of a response was added",
       "Clients ignore headers that they do not know.", kOperation, kNoPatch, kHeader},
      {"response-header-removed", breaking, "a header of a response was removed",
       "Clients rely on it.", kOperation, kHeader, kNoPatch},
      {"response-header-became-required", non_breaking,
       "an optional header of a response became required", "Clients may rely on it now.",
       kOperation, kHeader, kHeaderRequired},
      {"response-header-became-optional", breaking,
       "a required header of a response became optional", "Clients rely on it.", kOperation,
       kHeaderRequired, kHeader},
  };
}

}  // namespace

std::vector<ChangeKind> operation_changes() {
  std::vector<ChangeKind> rows;
  for (auto part : {operations(), parameters(), bodies(), responses()}) {
    for (ChangeKind& row : part) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace fairway::diff
