// The rules for C++ types that are schemas. The front end reports them.
#pragma once

#include "model/diagnostic.hpp"

namespace fairway::model::rules {

/// For a generated struct as a part of the request, or in one.
inline constexpr std::string_view kGeneratedInputHelp =
    "declare the input of the route with a schema map in '.validate', or write a struct of the "
    "application";

// NOLINTBEGIN(readability-identifier-naming): rules have the names of their diagnostics.
inline constexpr Rule unsupported_type{
    "unsupported-type", Severity::error, "a type of a handler must have a form in JSON",
    "What a handler takes with fw::Body<T> and its like, what it returns, and what fw::type<T> "
    "names is validated, documented and written by its type. Structs with public members, "
    "enumerations, numbers, strings, std::optional, std::vector, std::array, std::set, std::map "
    "with names, std::variant, dates and fw::Field have a form in JSON; pointers, unions, tuples "
    "and classes with private members have none.",
    R"(struct Address {
  const char* city;
};
struct NewUser {
  Address address;
};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", [](fw::Body<NewUser>) -> fw::NoContent { return {}; });
});)"};

inline constexpr Rule ambiguous_variant{
    "ambiguous-variant", Severity::error,
    "the alternatives of a std::variant must be distinguishable in JSON",
    "A reader of JSON sees no type. Either each alternative has another type in JSON, such as a "
    "string and a number, or each is a struct with a member of the same name that has one value "
    "of its own: fw::Literal<\"card\"> kind.",
    R"(struct Card {
  std::string number;
};
struct Transfer {
  std::string iban;
};
struct Payment {
  std::variant<Card, Transfer> method;
};)"};

inline constexpr Rule conflicting_schema{
    "conflicting-schema", Severity::error,
    "a part of the request or a stream must have one schema, and is read as its type",
    "fw::Body<T> of the handler and .validate.body of the options both say what the body is; the "
    "same is true of the path, the query, the headers and the cookies. A result "
    "fw::Events<T> or fw::Lines<T> and a stream in .responses both say what the stream has. "
    "Keep one of them. The T of req.valid<T>(fw::Location::body) must be the type that the route "
    "declares for the body: for another type, and without a declaration, the call throws.",
    R"(app.post("/", {.validate = {.body = {{"title", "string"}}}},
         [](fw::Body<Draft>) -> fw::NoContent { return {}; });)"};

inline constexpr Rule same_name_types{
    "same-name-types", Severity::error, "two types must not have one name in the document",
    "A type is a component of the OpenAPI document and a type of the clients under its name, "
    "without its namespace. Two different types with one name would be one there, and so would a "
    "type whose members depend on a macro that two route files define differently.",
    R"(namespace shop {
struct Item {
  std::int64_t id;
};
}  // namespace shop
namespace billing {
struct Item {
  std::string text;
};
}  // namespace billing)"};

inline constexpr Rule response_mismatch{
    "response-mismatch", Severity::error,
    "a handler must send what 'responses' declares, with the status that it sets",
    "The type of what the handler returns or passes to res.json lacks a member that the schema of "
    "its status requires, or has one of a type, of a format or with values that the schema never "
    "accepts: every such response would be a 500. Or its status has no schema, although other "
    "statuses of the route do. Or the handler calls res.events or res.lines, and the status is no "
    "such stream; or it is one, and the handler sends something else. Or the handler sets a "
    "status, and its result is sent with another one. What only some values violate, such as a "
    "bound, is not reported, and neither are data of an unknown type and a status that is "
    "computed.",
    R"(struct Member {
  std::int64_t id;
};

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.responses = {{"200", {{"id", "integer"}, {"name", "string"}}}}},
          [](fw::Request&, fw::Response& res) { res.json(Member{.id = 7}); });
});)"};

inline constexpr Rule kTypeRules[] = {unsupported_type, ambiguous_variant, conflicting_schema,
                                      same_name_types, response_mismatch};
// NOLINTEND(readability-identifier-naming)

}  // namespace fairway::model::rules
