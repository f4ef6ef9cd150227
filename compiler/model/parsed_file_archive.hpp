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

template <class Archive, files::Like<Note> T>
void archive_members(Archive& archive, T& note) {
  auto& [message, range] = note;
  archive(message, range);
}

template <class Archive, files::Like<FixIt> T>
void archive_members(Archive& archive, T& fix) {
  auto& [range, text] = fix;
  archive(range, text);
}

template <class Archive, files::Like<Diagnostic> T>
void archive_members(Archive& archive, T& diagnostic) {
  auto& [id, severity, message, range, method, route, notes, help, fixes] = diagnostic;
  archive(id, severity, message, range, method, route, notes, help, fixes);
}

template <class Archive, files::Like<ByteRanges::Run> T>
void archive_members(Archive& archive, T& run) {
  auto& [first, count] = run;
  archive(first, count);
}

template <class Archive, files::Like<ByteRanges> T>
void archive_members(Archive& archive, T& locations) {
  auto& [runs] = locations;
  archive(runs);
}

template <class Archive, files::Like<Value> T>
void archive_members(Archive& archive, T& value) {
  auto& [kind, boolean, integer, number, text, items, members, range, bytes] = value;
  archive(kind, boolean, integer, number, text, items, members, range, bytes);
}

template <class Archive, files::Like<Member> T>
void archive_members(Archive& archive, T& member) {
  auto& [name, value, name_range] = member;
  archive(name, value, name_range);
}

template <class Archive, files::Like<InputRead> T>
void archive_members(Archive& archive, T& read) {
  auto& [location, path, validated, range] = read;
  archive(location, path, validated, range);
}

template <class Archive, files::Like<TypedRead> T>
void archive_members(Archive& archive, T& read) {
  auto& [location, type, range] = read;
  archive(location, type, range);
}

template <class Archive, files::Like<RequestCall> T>
void archive_members(Archive& archive, T& call) {
  auto& [function, range] = call;
  archive(function, range);
}

template <class Archive, files::Like<GeneratedName> T>
void archive_members(Archive& archive, T& name) {
  auto& [parts, in_valid, is_assumed, in_macro, use, range] = name;
  archive(parts, in_valid, is_assumed, in_macro, use, range);
}

template <class Archive, files::Like<GeneratedInclude> T>
void archive_members(Archive& archive, T& include) {
  auto& [name, range] = include;
  archive(name, range);
}

template <class Archive, files::Like<SentStatus> T>
void archive_members(Archive& archive, T& sent) {
  auto& [status, range, is_left] = sent;
  archive(status, range, is_left);
}

template <class Archive, files::Like<SentResponse> T>
void archive_members(Archive& archive, T& sent) {
  auto& [function, statuses, media_type, type, range, code, message] = sent;
  archive(function, statuses, media_type, type, range, code, message);
}

template <class Archive, files::Like<RenderedPage> T>
void archive_members(Archive& archive, T& page) {
  auto& [name, range] = page;
  archive(name, range);
}

template <class Archive, files::Like<HandledMessage> T>
void archive_members(Archive& archive, T& message) {
  auto& [name, type] = message;
  archive(name, type);
}

template <class Archive, files::Like<MessageUse> T>
void archive_members(Archive& archive, T& use) {
  auto& [handled, handles_others] = use;
  archive(handled, handles_others);
}

template <class Archive, files::Like<HandlerUse> T>
void archive_members(Archive& archive, T& use) {
  auto& [reads, typed_reads, sent, sends_others, may_send_json, validated, statuses, pages, calls,
         proxies, messages, compile_error] = use;
  archive(reads, typed_reads, sent, sends_others, may_send_json, validated, statuses, pages, calls,
          proxies, messages, compile_error);
}

template <class Archive, files::Like<TypeMember> T>
void archive_members(Archive& archive, T& member) {
  auto& [name, json_name, required, is_left_out, is_reset, literal, range] = member;
  archive(name, json_name, required, is_left_out, is_reset, literal, range);
}

template <class Archive, files::Like<CppType> T>
void archive_members(Archive& archive, T& type) {
  auto& [name, component, header, is_enumeration, is_flat, members, schema, size, range] = type;
  archive(name, component, header, is_enumeration, is_flat, members, schema, size, range);
}

template <class Archive, files::Like<TypeUse> T>
void archive_members(Archive& archive, T& use) {
  auto& [name, schema, types, has_own_code] = use;
  archive(name, schema, types, has_own_code);
}

template <class Archive, files::Like<TypedInput> T>
void archive_members(Archive& archive, T& input) {
  auto& [location, type, range] = input;
  archive(location, type, range);
}

template <class Archive, files::Like<TypedResult> T>
void archive_members(Archive& archive, T& result) {
  auto& [status, type, range, stream, event] = result;
  archive(status, type, range, stream, event);
}

template <class Archive, files::Like<Signature> T>
void archive_members(Archive& archive, T& signature) {
  auto& [inputs, results] = signature;
  archive(inputs, results);
}

template <class Archive, files::Like<Registration> T>
void archive_members(Archive& archive, T& registration) {
  auto& [method, path, path_value, options, options_resolved, range, method_range, handler,
         signature] = registration;
  archive(method, path, path_value, options, options_resolved, range, method_range, handler,
          signature);
}

template <class Archive, files::Like<ParsedFile> T>
void archive_members(Archive& archive, T& file) {
  auto& [path, display_path, export_kind, export_range, reexport_target, registrations, types,
         named_types, sent_types, field_texts, generated_names, generated_includes, include_end,
         dependencies, diagnostics] = file;
  archive(path, display_path, export_kind, export_range, reexport_target, registrations, types,
          named_types, sent_types, field_texts, generated_names, generated_includes, include_end,
          dependencies, diagnostics);
}

}  // namespace fairway::model
