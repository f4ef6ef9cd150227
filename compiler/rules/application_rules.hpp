// The rules about several routes or files together, and the functions that check them. A function
// whose file is not named is in one that is named after the id of its rule.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/application.hpp"
#include "model/diagnostic.hpp"
#include "model/parsed_file.hpp"
#include "resolve/generated_code.hpp"
#include "resolve/page_library.hpp"
#include "resolve/route_files.hpp"
#include "rules/reporter.hpp"

namespace fairway::rules {

using model::Rule;
using model::Severity;

// NOLINTBEGIN(readability-identifier-naming): rules have the names of their diagnostics.
inline constexpr Rule duplicate_route{
    "duplicate-route", Severity::error, "a method and path must be registered only once",
    "Letter case, trailing slashes and the route file do not distinguish routes: one of two equal "
    "routes would never be reached.",
    R"(app.get("/list", list);
app.get("/List/", list_all);)"};

inline constexpr Rule ambiguous_route{
    "ambiguous-route", Severity::error,
    "two routes with the same method must differ in more than the names of parameters",
    "/users/:id and /users/:name match the same requests, so one of them would never be reached. "
    "Give one a static segment, or merge the handlers.",
    R"(app.get("/:id", by_id);
app.get("/:name", by_name);)"};

inline constexpr Rule duplicate_operation_id{
    "duplicate-operation-id", Severity::error, "an operation id must be unique in the application",
    "Explicit and inferred ids share one namespace, because generated clients name their functions "
    "after them. Write 'docs.operation_id' for one of the two routes.",
    R"(app.get("/users-list", list);
app.get("/users/list", list_all);)"};

inline constexpr Rule openapi_invalid{
    "openapi-invalid", Severity::error, "the generated document must be valid OpenAPI",
    "The strings and objects of 'docs' are copied into the document: the names of extensions must "
    "begin with 'x-', but not with 'x-fw-', which Fairway's own have, 'docs.request_body' must be "
    "an OpenAPI Request Body Object with valid "
    "schemas, and a media type must be written 'type/subtype'. A '$ref' in these schemas must lead "
    "to a schema of the document, for example to \"#/components/schemas/Error\".",
    R"(.docs = {.extensions = {{"internal", true}}})"};

inline constexpr Rule bad_page{
    "bad-page", Severity::error, "a page must be a valid HTML template",
    "The files of pages/ are mustache templates. Every section must be closed in the file that "
    "opens "
    "it, inner sections before outer ones. Partials and layouts must exist. A section must leave "
    "the HTML as it found it: a tag, a quoted value or a script that begins in it also ends in "
    "it.",
    R"({{#products}}
<li>{{name}}</li>
{{/product}})"};

inline constexpr Rule unsafe_page_value{
    "unsafe-page-value", Severity::error,
    "a template value must be in a context in which it can be escaped",
    "Values are escaped for their context: text, a quoted attribute value, a URL, or JSON in "
    "<script type=\"application/json\">. In JavaScript, style sheets, event handlers, and the "
    "names of elements and attributes, values cannot be escaped safely.",
    R"html(<button onclick="buy('{{id}}')">Buy</button>)html"};

inline constexpr Rule unknown_page{
    "unknown-page", Severity::error, "a rendered page must be a file in pages/",
    "The name of a page is its path below pages/ without '.html'. Files whose names begin with '_' "
    "are layouts and partials, which no route renders.",
    R"(app.get("/", [](fw::Request&, fw::Response& res) { res.render("hme"); });)"};

inline constexpr Rule unknown_page_variable{
    "unknown-page-variable", Severity::error,
    "a name in a page must be in the data that its route declares",
    "The schema in 'frontend.data', or without it the schema of the response with status 200, "
    "describes the data of the route's pages. The data of a static page has one member, 'params': "
    "the object in 'frontend.static_params' for that page. Members that are not declared are "
    "removed from the data, so a name that is not declared would never have a value. A layout or "
    "partial may use names that only "
    "some of its pages have.",
    R"(<li>{{nmae}}</li>)"};

inline constexpr Rule kApplicationRules[] = {
    duplicate_route, ambiguous_route,   duplicate_operation_id, openapi_invalid,
    bad_page,        unsafe_page_value, unknown_page,           unknown_page_variable};
// NOLINTEND(readability-identifier-naming)

/// [duplicate-route]
void check_duplicate_routes(const model::Application& application, model::Diagnostics& diagnostics);

/// [ambiguous-route]
void check_ambiguous_routes(const model::Application& application, model::Diagnostics& diagnostics);

/// [duplicate-operation-id]
void check_duplicate_operation_ids(const model::Application& application,
                                   model::Diagnostics& diagnostics);

/// [same-cpp-name] Operation ids after which two routes would have the same types.
void check_operation_names(const model::Application& application, model::Diagnostics& diagnostics);

/// [bad-page], [unsafe-page-value].
void check_page_templates(const resolve::PageLibrary& pages, model::Diagnostics& diagnostics);

/// [unknown-page-variable]
void check_page_variables(const model::Application& application, const resolve::PageLibrary& pages,
                          model::Diagnostics& diagnostics);

/// [unknown-page], and [conflicting-options] for pages that need a script.
void check_page_references(const model::Application& application, model::Diagnostics& diagnostics);

/// [missing-types-header], [unknown-route-type], [type-of-another-route], in generated_types.cpp.
/// Reports nothing about route files that have errors in `diagnostics`, because their types are not
/// known.
void check_generated_types(const model::Application& application,
                           const std::vector<const model::ParsedFile*>& files,
                           const resolve::GeneratedCode& code,
                           const std::set<std::string>& missing_headers,
                           model::Diagnostics& diagnostics);

/// [openapi-invalid] `docs` is the record as written, `documentation` its resolved form.
void check_documents(const model::Value& docs, const model::Documentation& documentation,
                     Reporter& reporter);

/// [openapi-invalid] The references in 'docs' to parts of the document that do not exist.
void check_copied_references(const model::Application& application,
                             const resolve::GeneratedCode& code, model::Diagnostics& diagnostics);

/// [openapi-invalid] The names of schemes in a resolved `security` member, of `docs` or of `auth`.
void check_security_schemes(const model::Json& security, const model::Range& range,
                            Reporter& reporter);

// type_checks.cpp

/// The strings of `fw::Field` in all files.
void check_field_texts(const std::vector<const model::ParsedFile*>& files,
                       model::Diagnostics& diagnostics);
/// Different types whose names in the document are equal.
void check_type_names(const std::vector<const model::ParsedFile*>& files,
                      model::Diagnostics& diagnostics);

// Rules about files that involve other files, each in a file with the name of its rule.

/// [no-default-export] [not-a-route-definition] A file must export the kind of value that its
/// folder requires. Reports no missing export of a file in which the front end has already reported
/// an error.
void check_export_kind(const model::ParsedFile& file, Reporter& reporter);

/// [reexport-not-resolvable] FW_REEXPORT_DEFAULT must name a route file, and re-exports must not
/// form a cycle. The error is reported only for the file that causes it.
void check_reexports(const model::ParsedFile& file, const resolve::Reexports& reexports,
                     Reporter& reporter);

/// [duplicate-route-file] Two files must not have the same prefix.
void check_duplicate_route_files(const std::vector<model::RouteFile>& files,
                                 model::Diagnostics& diagnostics);

}  // namespace fairway::rules
