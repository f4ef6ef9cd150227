// As fetch.cpp, with undici: node undici.mjs URL [CONCURRENCY [SECONDS]]
import { Agent, request } from 'undici';

const [url, concurrency = '64', seconds = '2'] = process.argv.slice(2);
const dispatcher = new Agent({ connections: Number(concurrency) });
const begin = process.hrtime.bigint();
const before = process.cpuUsage();
let requests = 0;
let ends = false;
setTimeout(
  () => {
    ends = true;
  },
  Number(seconds) * 1000,
);

async function repeat() {
  while (!ends) {
    const { body } = await request(url, { dispatcher });
    if (typeof (await body.json()) !== 'object') process.exit(1);
    ++requests;
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, repeat));
const elapsed = Number(process.hrtime.bigint() - begin) / 1e9;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ rate: requests / elapsed, cpu: (user + system) / requests }));
await dispatcher.close();
