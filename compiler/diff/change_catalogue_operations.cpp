#include "diff/change_catalogue.hpp"

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
       "Clients that call it get 404 or 405. Names of path parameters do not matter. If the "
       "operation id is used elsewhere, the message names that operation.",
       kDocument, kWithGet, kNoPatch},
      {"deprecated-operation-removed", non_breaking, "a deprecated operation was removed",
       "An earlier document announced the removal by deprecating it.", kDocument, kWithOldGet,
       kNoPatch},
      {"operation-added", non_breaking, "an operation was added", "No client calls it yet.",
       kDocument, kNoPatch, kWithGet},
      {"operation-deprecated", non_breaking, "an operation became deprecated",
       "It works as before; clients should stop calling it.", kOperation, kNoPatch,
       R"({"deprecated": true})"},
      {"operation-no-longer-deprecated", non_breaking, "an operation is no longer deprecated",
       "It works as before.", kOperation, R"({"deprecated": true})", kNoPatch},
      {"operation-id-changed", non_breaking, "an operation id changed",
       "The id is not part of requests. Generated clients use another name for the operation.",
       kOperation, kNoPatch, R"({"operationId": "placeOrder"})"},
      {"server-added", non_breaking, "a server was added", "The other servers are still available.",
       kDocument, R"({"servers": [{"url": "https://a.example"}]})",
       R"({"servers": [{"url": "https://a.example"}, {"url": "https://b.example"}]})"},
      {"server-removed", breaking, "a server was removed", "Clients send their requests to it.",
       kDocument, R"({"servers": [{"url": "https://a.example"}, {"url": "https://b.example"}]})",
       R"({"servers": [{"url": "https://a.example"}]})"},
      {"server-variable-changed", breaking, "the default of a server variable changed",
       "Clients that do not set the variable send their requests elsewhere.", kDocument,
       R"({"servers": [{"url": "https://{zone}.example", "variables": {"zone": {"default": "eu"}}}]})",
       R"({"servers": [{"url": "https://{zone}.example", "variables": {"zone": {"default": "us"}}}]})"},
      {"security-tightened", breaking, "the required security became stricter",
       "Clients with credentials that satisfied the old document are rejected: a scheme or scope "
       "was added, or an alternative was removed.",
       kOperation, R"({"security": [{"bearer": []}]})",
       R"({"security": [{"bearer": ["orders:write"]}]})"},
      {"security-loosened", non_breaking, "the required security became less strict",
       "Credentials that satisfied the old document are still accepted.", kOperation,
       R"({"security": [{"bearer": []}]})", R"({"security": [{"bearer": []}, {"apiKey": []}]})"},
      {"security-scheme-changed", breaking, "a security scheme changed",
       "Clients send their credentials in the old way. Renaming a scheme is not a change.",
       kDocument,
       R"({"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "key"}}}})",
       R"({"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-key"}}}})"},
      {"callback-added", non_breaking, "a callback or webhook was added",
       "Clients that do not know it do not subscribe to it.", kDocument, kNoPatch,
       R"({"webhooks": {"paid": {"post": {"responses": {"200": {"description": "OK"}}}}}})"},
      {"callback-removed", breaking, "a callback or webhook was removed",
       "Clients rely on it. Its bodies are compared like responses, because clients receive them.",
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
constexpr std::string_view kLimitMayBeEmpty =
    R"({"in": "query", "name": "limit", "allowEmptyValue": true, "schema": {"type": "integer"}})";
constexpr std::string_view kWithLimit =
    R"({"parameters": [{"in": "query", "name": "limit", "schema": {"type": "integer"}}]})";

std::vector<ChangeKind> parameters() {
  return {
      {"required-parameter-added", breaking, "a required parameter was added",
       "Clients do not send it, so their requests are rejected.", kOperation, kNoPatch,
       R"({"parameters": [{"in": "query", "name": "limit", "required": true, "schema": {"type": "integer"}}]})"},
      {"optional-parameter-added", non_breaking, "an optional parameter was added",
       "Clients can omit it.", kOperation, kNoPatch, kWithLimit},
      {"parameter-removed", breaking, "a parameter was removed",
       "The API ignores the value that clients send.", kOperation, kWithLimit, kNoPatch},
      {"deprecated-parameter-removed", non_breaking, "a deprecated parameter was removed",
       "An earlier document announced the removal by deprecating it.", kOperation,
       R"({"parameters": [{"in": "query", "name": "limit", "deprecated": true}]})", kNoPatch},
      {"parameter-became-required", breaking, "an optional parameter became required",
       "Requests without it are rejected.", kParameter, kLimit, kLimitRequired},
      {"parameter-became-optional", non_breaking, "a required parameter became optional",
       "Requests with it are still accepted.", kParameter, kLimitRequired, kLimit},
      {"parameter-empty-value-forbidden", breaking,
       "a query parameter lost 'allowEmptyValue: true'",
       "Requests with an empty value are rejected.", kParameter, kLimitMayBeEmpty, kLimit},
      {"parameter-empty-value-allowed", non_breaking,
       "a query parameter got 'allowEmptyValue: true'", "Requests with a value are still accepted.",
       kParameter, kLimit, kLimitMayBeEmpty},
      {"parameter-location-changed", breaking, "the location of a parameter changed",
       "Clients send it in the old location: the path, the query, a header or a cookie.",
       kParameter, R"({"in": "query", "name": "tenant", "schema": {"type": "string"}})",
       R"({"in": "header", "name": "tenant", "schema": {"type": "string"}})"},
      {"parameter-serialization-changed", breaking, "the serialization of a parameter changed",
       "Clients use the old style. Only differences in requests count: 'explode' has no effect on "
       "a value that is neither an array nor an object.",
       kParameter, R"({"in": "query", "name": "ids", "schema": {"type": "array"}})",
       R"({"in": "query", "name": "ids", "style": "pipeDelimited", "schema": {"type": "array"}})"},
      {"path-parameter-renamed", non_breaking, "a path parameter was renamed",
       "The name is not part of requests. Generated clients may use another name for it. Of an "
       "application with metrics, their label 'http_route' has another value: dashboards and alert "
       "rules that contain it must change, too.",
       kDocument,
       R"({"paths": {"/orders/{id}": {"get": {"parameters": [{"in": "path", "name": "id", "required": true}]}}}})",
       R"({"paths": {"/orders/{orderId}": {"get": {"parameters": [{"in": "path", "name": "orderId", "required": true}]}}}})"},
      {"parameter-deprecated", non_breaking, "a parameter became deprecated",
       "It works as before; clients should stop sending it.", kParameter, kLimit, kLimitDeprecated},
      {"parameter-no-longer-deprecated", non_breaking, "a parameter is no longer deprecated",
       "It works as before.", kParameter, kLimitDeprecated, kLimit},
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
       "Clients do not send it, so their requests are rejected.", kOperation, kNoPatch,
       kBodyRequired},
      {"optional-request-body-added", non_breaking, "an optional request body was added",
       "Clients can omit it.", kOperation, kNoPatch, kBody},
      {"request-body-removed", breaking, "a request body was removed",
       "The API ignores the body that clients send.", kOperation, kBody, kNoPatch},
      {"request-body-became-required", breaking, "an optional request body became required",
       "Requests without it are rejected.", kOperation, kBody, kBodyRequired},
      {"request-body-became-optional", non_breaking, "a required request body became optional",
       "Requests with it are still accepted.", kOperation, kBodyRequired, kBody},
      {"request-media-type-added", non_breaking, "a media type of a request body was added",
       "The others are still accepted.", kOperation, kBody, kTwoTypes},
      {"request-media-type-removed", breaking, "a media type of a request body was removed",
       "Requests with that type are rejected. A range such as 'application/*' includes its types.",
       kOperation, kTwoTypes, kBody},
      {"encoding-changed", breaking, "the encoding of a form changed",
       "Clients send the parts in the old encoding.", kOperation,
       R"({"requestBody": {"content": {"multipart/form-data": {"encoding": {"a": {"contentType": "text/plain"}}}}}})",
       R"({"requestBody": {"content": {"multipart/form-data": {"encoding": {"a": {"contentType": "text/csv"}}}}}})"},
  };
}

constexpr std::string_view kOkAndConflict =
    R"({"responses": {"200": {"description": "OK"}, "409": {"description": "Conflict"}}})";
constexpr std::string_view kOk = R"({"responses": {"200": {"description": "OK"}}})";
constexpr std::string_view kOkAndNotModified =
    R"({"responses": {"200": {"description": "OK"}, "304": {"description": "Not Modified"}}})";
constexpr std::string_view kCacheHeader =
    R"({"responses": {"201": {"headers": {"Cache-Control": {"schema": {"type": "string"}}}}}})";
constexpr std::string_view kAnyError =
    R"({"responses": {"409": {"content": {"application/json": {"schema": {"properties": {"code": {"type": ["integer", "string"]}, "message": {}}}}}}}})";
constexpr std::string_view kErrorTaken =
    R"({"responses": {"409": {"content": {"application/json": {"schema": {"anyOf": [{"properties": {"code": {"const": "TAKEN"}, "message": {}}}, {"properties": {"code": {"type": ["integer", "string"]}, "message": {}}}]}}}}}})";
constexpr std::string_view kErrorInUse =
    R"({"responses": {"409": {"content": {"application/json": {"schema": {"anyOf": [{"properties": {"code": {"const": "IN_USE"}, "message": {}}}, {"properties": {"code": {"type": ["integer", "string"]}, "message": {}}}]}}}}}})";
constexpr std::string_view kCreated =
    R"({"responses": {"201": {"content": {"text/event-stream": {"x-fw-events": {"created": {"type": "object"}}}}}}})";
constexpr std::string_view kCreatedAndDeleted =
    R"({"responses": {"201": {"content": {"text/event-stream": {"x-fw-events": {"created": {"type": "object"}, "deleted": {"type": "object"}}}}}}})";
constexpr std::string_view kHeader =
    R"({"responses": {"201": {"headers": {"x-total": {"schema": {"type": "integer"}}}}}})";
constexpr std::string_view kHeaderRequired =
    R"({"responses": {"201": {"headers": {"x-total": {"required": true, "schema": {"type": "integer"}}}}}})";

constexpr std::string_view kSay =
    R"({"x-fw-socket": {"receive": {"say": {"type": "object"}}, "send": {"said": {"type": "object"}}}})";
constexpr std::string_view kSayAndLeave =
    R"({"x-fw-socket": {"receive": {"say": {"type": "object"}, "leave": {"type": "object"}}, "send": {"said": {"type": "object"}}}})";
constexpr std::string_view kSaidAndLeft =
    R"({"x-fw-socket": {"receive": {"say": {"type": "object"}}, "send": {"said": {"type": "object"}, "left": {"type": "object"}}}})";
constexpr std::string_view kRawSay =
    R"({"x-fw-socket": {"receive": "raw", "send": {"said": {"type": "object"}}}})";
constexpr std::string_view kOneProtocol =
    R"({"x-fw-socket": {"protocols": ["chat.v1"], "receive": {}, "send": {}}})";
constexpr std::string_view kTwoProtocols =
    R"({"x-fw-socket": {"protocols": ["chat.v1", "chat.v2"], "receive": {}, "send": {}}})";

std::vector<ChangeKind> sockets() {
  return {
      {"socket-changed", breaking, "an operation became a socket, or is no longer one",
       "Clients open a socket, or expect a response.", kOperation, kNoPatch, kSay},
      {"socket-messages-changed", breaking,
       "a socket began or ceased to exchange any text and any bytes",
       "Declared messages are JSON; with 'fw::raw', the text has no meaning for the service's "
       "document.",
       kOperation, kSay, kRawSay},
      {"request-message-added", non_breaking, "a socket receives another message",
       "No client sends it yet.", kOperation, kSay, kSayAndLeave},
      {"request-message-removed", breaking, "a socket no longer receives a message",
       "Clients send it. The members of the other messages are compared like the members of a "
       "request.",
       kOperation, kSayAndLeave, kSay},
      {"response-message-added", non_breaking, "a socket sends another message",
       "Clients ignore messages that they do not know.", kOperation, kSay, kSaidAndLeft},
      {"response-message-removed", breaking, "a socket no longer sends a message",
       "Clients wait for it. The members of the other messages are compared like the "
       "members of a response.",
       kOperation, kSaidAndLeft, kSay},
      {"socket-protocol-added", non_breaking, "a subprotocol of a socket was added",
       "Clients offer those that they know.", kOperation, kOneProtocol, kTwoProtocols},
      {"socket-protocol-removed", breaking, "a subprotocol of a socket was removed",
       "Clients that offer only that one close the socket.", kOperation, kTwoProtocols,
       kOneProtocol},
  };
}

std::vector<ChangeKind> responses() {
  return {
      {"response-added", non_breaking, "a response was added",
       "Clients handle unknown statuses by their class. If a range such as '4XX' or 'default' "
       "described the status before, the new response is compared with that one.",
       kOperation, kOk, kOkAndConflict},
      {"success-response-removed", breaking, "a success response was removed",
       "Clients expect it. If a range such as '2XX' now describes the status, the two are compared "
       "instead.",
       kOperation, kOk, kNoPatch},
      {"error-response-removed", non_breaking, "an error response was removed",
       "Clients no longer receive it. If a range or 'default' now describes the status, the two "
       "are compared instead.",
       kOperation, kOkAndConflict, kOk},
      {"not-modified-response-removed", non_breaking, "the response 304 was removed",
       "Clients that send If-None-Match or If-Modified-Since receive the whole response.",
       kOperation, kOkAndNotModified, kOk},
      {"response-error-code-added", non_breaking, "an error code was added to a response",
       "Clients handle codes that they do not know by the status. The codes that a document lists "
       "are never all: one of the alternatives is an error with any code.",
       kOperation, kAnyError, kErrorTaken},
      {"response-error-code-removed", non_breaking, "an error code was removed from a response",
       "Clients no longer receive it.", kOperation, kErrorTaken, kAnyError},
      {"response-error-code-replaced", breaking,
       "an error code of a response was removed, and another one was added",
       "Clients that recognize an error by its code may receive the new code for the same error.",
       kOperation, kErrorTaken, kErrorInUse},
      {"response-media-type-added", non_breaking, "a media type of a response was added",
       "Clients request the types that they know.", kOperation, kNoPatch,
       R"({"responses": {"201": {"content": {"text/csv": {}}}}})"},
      {"response-media-type-removed", breaking, "a media type of a response was removed",
       "Clients request it. A range such as 'text/*' includes its types.", kOperation,
       R"({"responses": {"201": {"content": {"text/csv": {}}}}})", kNoPatch},
      {"response-event-added", non_breaking, "an event of a stream was added",
       "Clients ignore events that they do not know.", kOperation, kCreated, kCreatedAndDeleted},
      {"response-event-removed", breaking, "an event of a stream was removed",
       "Clients wait for it. The data of the other events is compared like the data of responses.",
       kOperation, kCreatedAndDeleted, kCreated},
      {"response-header-added", non_breaking, "a header of a response was added",
       "Clients ignore headers that they do not know.", kOperation, kNoPatch, kHeader},
      {"response-header-removed", breaking, "a header of a response was removed",
       "Clients rely on it.", kOperation, kHeader, kNoPatch},
      {"caching-header-removed", non_breaking, "a header that describes caching was removed",
       "Clients make more requests. The headers are Age, Cache-Control, Expires and X-Cache.",
       kOperation, kCacheHeader, kNoPatch},
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
  for (auto part : {operations(), parameters(), bodies(), responses(), sockets()}) {
    for (ChangeKind& row : part) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace fairway::diff
