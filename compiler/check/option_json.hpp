// The options that a route writes, as the manifest has them: the reference's names and shapes.
#pragma once

#include "model/application.hpp"
#include "model/value.hpp"

namespace fairway::check {

/// The members of an options record, by their rows in model/option_members.hpp. Values of the
/// wrong kind are left out: they are reported elsewhere.
model::Json option_json(const model::Value& record);

/// A field of a schema as schema/fingerprint.hpp spells it: a string, a field builder, an object,
/// `array_of` or `optional`. Null for anything else.
model::Json schema_json(const model::Value& field);

}  // namespace fairway::check
