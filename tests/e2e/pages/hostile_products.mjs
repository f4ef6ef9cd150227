// Writes shared/products.hpp of samples/pages with hostile values: hostile_products.mjs FILE
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { hostileValues } from './hostile_values.mjs';

const literal = (text) =>
  `"${[...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`;

// The ids differ in the number.
const products = hostileValues.map(
  (value, i) =>
    `{{"id", ${literal(`${i}${value}`)}}, {"name", ${literal(value)}}, ` +
    `{"category", ${literal(value)}}, {"text", ${literal(value)}}}`,
);

const header = `// Products whose names and texts are hostile values.
#pragma once

#include <fairway/fairway.hpp>

namespace shop {

inline const fw::Json kProducts = fw::Json::array({
${products.join(',\n')}});

}  // namespace shop
`;

const [file] = process.argv.slice(2);
if (!existsSync(file) || readFileSync(file, 'utf8') !== header) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, header);
}
