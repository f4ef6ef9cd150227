// Serializes a ParsedFile to bytes and back. Lists every member of every part; a member that is
// missing here does not compile.
#pragma once

#include "files/archive.hpp"
#include "model/parsed_file.hpp"

namespace fairway::model {

template <class Archive, files::Like<Range> T>
void archive_members(Archive& archive, T& range) {
  auto& [file, line, column, end_line, end_column] = range;
  archive.repeated(file);
  archive(line, column, end_line, end_column);
}

FAIRWAY_ARCHIVE(Note, message, range)
FAIRWAY_ARCHIVE(FixIt, range, text)
FAIRWAY_ARCHIVE(Diagnostic, id, severity, message, range, method, route, notes, help, fixes)
FAIRWAY_ARCHIVE(ByteRanges::Run, first, count)
FAIRWAY_ARCHIVE(ByteRanges, runs)
FAIRWAY_ARCHIVE(Value, kind, boolean, integer, number, text, items, members, range, bytes)
FAIRWAY_ARCHIVE(Member, name, value, name_range)
FAIRWAY_ARCHIVE(InputRead, location, path, validated, range)
FAIRWAY_ARCHIVE(TypedRead, location, type, range)
FAIRWAY_ARCHIVE(RequestCall, function, range)
FAIRWAY_ARCHIVE(GeneratedName, parts, in_valid, is_assumed, is_alias, in_macro, use, range)
FAIRWAY_ARCHIVE(GeneratedInclude, name, range, in_header, is_condition)
FAIRWAY_ARCHIVE(HelperCall, function, range)
FAIRWAY_ARCHIVE(SentStatus, status, range, is_left, calls)
FAIRWAY_ARCHIVE(SentResponse, function, statuses, media_type, type, range, calls, code, message,
                is_error)
FAIRWAY_ARCHIVE(RefusedRedirect, status, range)
FAIRWAY_ARCHIVE(RenderedPage, name, range)
FAIRWAY_ARCHIVE(NamedMessage, name, type, range, is_conditional)
FAIRWAY_ARCHIVE(MessageUse, handled, handles_others, sets, sends)
FAIRWAY_ARCHIVE(CompileError, message, range, help)
FAIRWAY_ARCHIVE(HandlerUse, reads, typed_reads, sent, sends_others, may_send_json, validated,
                statuses, refused_redirects, pages, calls, proxies, messages, compile_error)
FAIRWAY_ARCHIVE(TypeMember, name, json_name, required, is_left_out, is_reset, literal, range)
FAIRWAY_ARCHIVE(GeneratedType, name, header, enumerators)
FAIRWAY_ARCHIVE(CppType, name, component, header, is_enumeration, is_flat, members, schema, size,
                range, generated)
FAIRWAY_ARCHIVE(TypeUse, name, schema, types, has_own_code, generated, is_readable)
FAIRWAY_ARCHIVE(TypedInput, location, type, range)
FAIRWAY_ARCHIVE(TypedResult, status, type, range, stream, event)
FAIRWAY_ARCHIVE(Signature, inputs, results)
FAIRWAY_ARCHIVE(Registration, method, path, path_value, options, options_resolved, range,
                method_range, handler, signature)
FAIRWAY_ARCHIVE(ParsedFile, path, display_path, export_kind, export_range, reexport_target,
                registrations, types, named_types, sent_types, field_texts, generated_names,
                generated_includes, include_end, dependencies, awaits_types, diagnostics)

}  // namespace fairway::model
