// The string formats of runtime/schema/kinds.cpp.
import { readFileSync } from 'node:fs';

const table = readFileSync(new URL('../../../../runtime/schema/kinds.cpp', import.meta.url), 'utf8');
const row =
  /KindInfo\{Kind::\w+,\s*"(?<name>\w+)",\s*"string",\s*"(?<format>[\w-]*)",[^{}]*?\bis_\w+,\s*"(?<example>[^"]+)"/g;

/** For each format: its name, its format in JSON Schema, which may be empty, and a string of it. */
export const stringFormats = [...table.matchAll(row)].map(({ groups }) => groups);
if (stringFormats.length < 9) throw new Error('runtime/schema/kinds.cpp: these are not all formats');
