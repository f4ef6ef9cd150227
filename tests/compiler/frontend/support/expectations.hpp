// What a fixture says about itself, in comments beside the code they speak of:
//
//   // expect-export routes                                kind: none routes middleware plugin
//   // expect-export reexport ../users.cpp
//   // expect-route@+1 POST /users                         a registration whose method is there
//   // expect-options@+1 RouteOptions{auth: true}          its options, as value_text writes them
//   // expect-unresolved@+1 POST /users                    its options could not be resolved
//   // expect-error@+2 [POST /users] {{options-not-static}} {{part of the message}} at {{limit()}}
//   // expect-note@-3 {{part of a note's message}}
//   // expect-help@+1 {{part of a diagnostic's help}}
//   // expect-reads@+1 query page, body address/city       what its handler reads; `!` before a
//   name
//                                                         that is read from `valid`
//   // expect-sends@+1 text 201 text/plain; raise 404     what its handler sends; `…` at the end:
//                                                         other responses, too; `error` instead of
//                                                         the status of an exception
//   // expect-types@+1 ::Order; ?                         the types of this data; ?: not known
//   // expect-signature@+1 body ::Draft; 201 ::Order     what its handler takes and returns
//   // expect-default 5                                   of this member in the schema, or `none`
//   // expect-description "Gone"                           the same of its description
//   // expect-no-json@+1                                   its handler is known to send no JSON
//   // expect-lints                                        runs the lints, as routes/index.cpp
//   // expect-warning@+1 [GET /] {{id}} {{text}} at {{…}}  as expect-error
//
// `@+N` and `@-N` count lines from the comment; without them the comment's own line is meant, and
// `@file` means the file as a whole. `[POST /users]` is the diagnostic's method and route, `at
// {{…}}` the text that its range covers; both may be left out. Every diagnostic and every
// registration needs its expectation; notes are checked only where they are stated.
#pragma once

#include <string>
#include <vector>

#include "model/parsed_file.hpp"

namespace fairway::test {

/// What `file` and the expectations in `source` disagree about, one sentence each.
std::vector<std::string> disagreements(const model::ParsedFile& file, const std::string& source);

}  // namespace fairway::test
