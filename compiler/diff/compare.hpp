// The whole comparison:
//
//   Changes changes = compare_documents(read_document("old.json"), read_document("new.json"));
#pragma once

#include "diff/document.hpp"

namespace fairway::diff {

/// All changes: those of the whole API, then operation by operation in the order of the new
/// document, removed ones last. Throws BadDocument for documents that cannot be compared, also for
/// one of each kind.
Changes compare_documents(const Document& before, const Document& after);

}  // namespace fairway::diff
