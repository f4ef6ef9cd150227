// Uploads with the generated TypeScript client. Usage: node upload.mjs URL CLIENT
import assert from 'node:assert/strict';

import { load } from '../typescript_client/support/compile.mjs';

const [baseUrl, file] = process.argv.slice(2);
const { ApiError, PagesClient } = (await load(file)).exports;
const client = new PagesClient({ baseUrl });

const avatar = new File(['\0\r\n--PNG'], 'größe "1".png', { type: 'image/png' });
const created = await client.createAvatars({ form: { avatar } });
assert.deepEqual(created, { name: 'größe %221%22.png', size: 8 });

const text = { data: new Blob(['t'], { type: 'text/plain' }), filename: 't.txt' };
const rejected = await client.createAvatars({ form: { avatar: text } }).catch((error) => error);
assert.ok(rejected instanceof ApiError);
assert.equal(rejected.status, 415);
