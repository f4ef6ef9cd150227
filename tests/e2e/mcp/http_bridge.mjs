// Puts a server of the Model Context Protocol that speaks over standard input and output behind HTTP, because the
// conformance suite knows servers only by their URL: http_bridge.mjs COMMAND ARGUMENT...
// Prints the URL. Each `initialize` starts a process; its messages pass unchanged, in both directions.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [command, ...options] = process.argv.slice(2);
const sessions = new Map();

function startSession() {
  const child = spawn(command, options, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id } = JSON.parse(line);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  child.on('exit', () => waiting.forEach((resolve) => resolve(undefined)));
  return { child, waiting };
}

const server = createServer(async (request, response) => {
  const fail = (status) => response.writeHead(status).end();
  const parts = [];
  for await (const part of request) parts.push(part);
  let name = request.headers['mcp-session-id'];
  if (request.method === 'DELETE') {
    sessions.get(name)?.child.stdin.end();
    return fail(sessions.delete(name) ? 204 : 404);
  }
  if (request.method !== 'POST') return fail(405); // there are no messages without a request
  const message = JSON.parse(Buffer.concat(parts).toString());
  if (message.method === 'initialize') {
    name = randomUUID();
    sessions.set(name, startSession());
  }
  const session = sessions.get(name);
  if (!session) return fail(404);
  const reply =
    message.id !== undefined && message.method !== undefined
      ? new Promise((resolve) => session.waiting.set(message.id, resolve))
      : undefined;
  session.child.stdin.write(`${JSON.stringify(message)}\n`);
  if (!reply) return fail(202);
  const line = await reply;
  if (line === undefined) return fail(502); // the process has ended
  response.writeHead(200, { 'Content-Type': 'application/json', 'Mcp-Session-Id': name }).end(line);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on('SIGTERM', () => {
  for (const { child } of sessions.values()) child.kill();
  process.exit();
});
