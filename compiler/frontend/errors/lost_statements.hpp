// Statements that Clang drops.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <optional>
#include <string>
#include <vector>

#include "frontend/source/file_context.hpp"

namespace fairway::frontend {

/// What the main file has and Clang's tree has not. After an error in a statement, which may follow
/// from a type that is not generated yet, Clang keeps most of it, but nothing of a loop over a
/// range, and in a lambda nothing of a `return`. Only what may decide which response is sent.
std::vector<LostWord> lost_words(const FileContext& context);

/// Whether words are missing in a body that decide which response is sent.
bool has_lost_words(const FileContext& context, const clang::Stmt& body);

/// The text of the main file with statements that Clang keeps instead of lost ones. Variables of
/// loops over a range have no type, `for (auto name=$;name;)`, and `return` is a label. All else
/// has the same location. Empty if there are no such statements.
std::optional<std::string> without_losses(const FileContext& context);

/// Whether a statement of that text is one with `return`.
bool replaces_return(const clang::LabelStmt& label);

/// Adds what is found in the handlers of that text. `recovered` is the same file with it.
void add_recovered(model::ParsedFile& file, model::ParsedFile recovered);

}  // namespace fairway::frontend
