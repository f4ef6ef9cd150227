// Sends a value of every type with the TypeScript client, as a strict program:
// node round_trip.mjs CLIENT EVERYTHING URL
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complaints, makeFolder } from '../typescript_client/support/compile.mjs';

const [client, everything, url] = process.argv.slice(2);
const folder = makeFolder();
copyFileSync(client, join(folder, 'client.ts'));
const json = readFileSync(everything, 'utf8');
// The value is a literal, so that its type is checked.
writeFileSync(
  join(folder, 'program.ts'),
  `
import { TypesTestsClient, type Everything, type EverythingInput, type Folder } from './client.js';

export const value: EverythingInput = ${json};
export const folder: Folder = { name: 'a', folders: [{ name: 'b', folders: [] }] };
const client = new TypesTestsClient({ baseUrl: '${url}' });

export async function send(): Promise<[Everything, Folder]> {
  const seen = await client.echoEverything({ body: value });
  switch (seen.payment.kind) {
    case 'card':
      throw new Error(seen.payment.number);
    case 'transfer':
      if (seen.payment.iban !== 'DE02' || seen.exactly !== 'exactly "this"') throw new Error('another value');
  }
  const channel: 'web' | 'phone' = seen.renamed.channel;
  if (channel !== 'phone' || seen.heir.age !== 3 || seen.old !== 7) throw new Error('another value');
  return [seen, await client.echoFolder({ body: folder })];
}

// @ts-expect-error A number is no string.
export const wrongText: EverythingInput['text'] = 1;
// @ts-expect-error A value that the enumeration lacks.
export const wrongChannel: EverythingInput['channel'] = 'fax';
// @ts-expect-error No alternative has both members.
export const wrongPayment: EverythingInput['payment'] = { kind: 'card', iban: 'DE02' };
// @ts-expect-error A member that must be there.
export const wrongItem: NonNullable<EverythingInput['item']> = { product_id: 1 };
`,
);
assert.equal(complaints([join(folder, 'program.ts'), join(folder, 'client.ts')], 'node'), '');
const program = await import(join(folder, 'program.js'));
const [seen, tree] = await program.send();
assert.deepEqual(seen, program.value);
assert.deepEqual(tree, program.folder);
