// A client of a language server: a process with pipes, and a transcript of all messages.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Arguments of `fairway` for all folders of a test. The flags have the same directory for each, so that the header of
 * the framework is precompiled only once.
 */
export function projectArguments(scratch, include) {
  const build = join(scratch, 'build');
  const command = {
    directory: scratch,
    file: 'any.cpp',
    arguments: ['c++', '-std=c++20', `-I${include}`, '-c', 'any.cpp'],
  };
  mkdirSync(build, { recursive: true });
  writeFileSync(join(build, 'compile_commands.json'), JSON.stringify([command]));
  return ['--cache-dir', join(scratch, 'cache'), '-p', build];
}

export class LspClient {
  /** How long `take` and `ended` wait, in milliseconds: on a busy machine, the first analysis takes minutes. */
  static #patience = 600_000;
  #child;
  #exit;
  #buffer = Buffer.alloc(0);
  #messages = [];
  #waiting = [];
  #lastId = 0;
  #hidden;
  lines = [];

  /** `hidden`: strings of this machine and what the transcript shows instead. */
  constructor(command, folder, hidden = {}) {
    this.#hidden = Object.entries(hidden);
    this.#child = spawn(command[0], command.slice(1), { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout.on('data', (bytes) => this.#read(bytes));
    this.#child.stdin.on('error', () => {});
    this.#exit = once(this.#child, 'exit').then(([status, signal]) => signal ?? status);
  }

  #late(what) {
    return new Error(`no ${what} in time:\n${this.lines.join('\n')}`);
  }

  #read(bytes) {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/^Content-Length: (\d+)$/.exec(this.#buffer.subarray(0, end))[1]);
      if (this.#buffer.length < end + 4 + length) return;
      const text = this.#buffer.subarray(end + 4, end + 4 + length).toString();
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      this.note('<--', text);
      this.#messages.push(JSON.parse(text));
      this.#waiting.splice(0).forEach((wake) => wake());
    }
  }

  note(direction, text) {
    for (const [from, to] of this.#hidden) text = text.replaceAll(from, to);
    this.lines.push(`${direction} ${text}`);
  }

  /** The first message that has not been taken yet and fits, as soon as it is there. */
  async take(fits, what) {
    const deadline = Date.now() + LspClient.#patience;
    for (;;) {
      const index = this.#messages.findIndex(fits);
      if (index >= 0) return this.#messages.splice(index, 1)[0];
      const left = deadline - Date.now();
      if (left <= 0) throw this.#late(what);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.push(() => (clearTimeout(timer), resolve()));
      });
    }
  }

  /** All notifications that have arrived and have not been taken yet. */
  takeAll(method) {
    const taken = this.#messages.filter((each) => each.method === method);
    this.#messages = this.#messages.filter((each) => each.method !== method);
    return taken;
  }

  /** Sends messages in one write. */
  send(...messages) {
    const framed = messages.map((message) => {
      const text = typeof message === 'string' ? message : JSON.stringify(message);
      this.note('-->', text);
      return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
    });
    this.#child.stdin.write(framed.join(''));
  }
  sendRaw(bytes) {
    this.note('-->', JSON.stringify(bytes));
    this.#child.stdin.write(bytes);
  }
  get pid() {
    return this.#child.pid;
  }
  kill() {
    this.#child.kill();
  }
  /** Stops reading; the pipe fills up. */
  pause() {
    this.#child.stdout.pause();
  }
  resume() {
    this.#child.stdout.resume();
  }
  /** The server has read all that was sent. */
  async drained() {
    if (this.#child.stdin.writableLength > 0) await once(this.#child.stdin, 'drain');
  }
  closeInput() {
    this.#child.stdin.end();
  }

  notification(method, params) {
    return { jsonrpc: '2.0', method, params };
  }
  newRequest(method, params) {
    return { jsonrpc: '2.0', id: ++this.#lastId, method, params };
  }
  notify(method, params) {
    this.send(this.notification(method, params));
  }
  response(id) {
    return this.take((each) => each.id === id && !each.method, `response ${id}`);
  }
  /** The response: `{ result }` or `{ error }`. */
  async request(method, params) {
    const message = this.newRequest(method, params);
    this.send(message);
    return this.response(message.id);
  }
  notified(method, fits = () => true) {
    return this.take((each) => each.method === method && fits(each.params), method).then((message) => message.params);
  }

  /** A session of a folder, up to `initialized`. */
  async start(rootUri, capabilities = {}) {
    const { result } = await this.request('initialize', { processId: null, rootUri, capabilities });
    this.notify('initialized', {});
    return result;
  }
  async stop() {
    await this.request('shutdown');
    this.notify('exit');
    return this.ended;
  }
  /** The exit status of the server, or the signal that ended it, as soon as it has ended. */
  get ended() {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(this.#late('end of the server')), LspClient.#patience);
    });
    return Promise.race([this.#exit, late]).finally(() => clearTimeout(timer));
  }
}

/** The position of an offset, in UTF-16 code units. */
export function positionAt(text, offset) {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length - 1, character: lines.at(-1).length };
}

/** An open document whose text the test edits. */
export class OpenDocument {
  version = 1;

  constructor(client, uri, text) {
    Object.assign(this, { client, uri, text });
    client.notify('textDocument/didOpen', {
      textDocument: { uri, languageId: 'cpp', version: this.version, text },
    });
  }
  /** The position of the end of `mark`, or of a part of it: `at('"int|eger"')`. */
  at(mark) {
    const offset = this.text.indexOf(mark.replace('|', ''));
    if (offset < 0) throw new Error(`'${mark}' is not in the document`);
    const bar = mark.indexOf('|');
    return positionAt(this.text, offset + (bar < 0 ? mark.length : bar));
  }
  /** The notification that replaces a part of the text, incrementally. */
  replacing(from, to) {
    const start = this.at(`|${from}`);
    const end = this.at(from);
    this.text = this.text.replace(from, () => to);
    return this.client.notification('textDocument/didChange', {
      textDocument: { uri: this.uri, version: ++this.version },
      contentChanges: [{ range: { start, end }, text: to }],
    });
  }
  async edit(from, to) {
    this.client.send(this.replacing(from, to));
    return this.diagnostics();
  }
  /** Replaces the whole text. */
  async set(text) {
    this.text = text;
    this.client.notify('textDocument/didChange', {
      textDocument: { uri: this.uri, version: ++this.version },
      contentChanges: [{ text }],
    });
    return this.diagnostics();
  }
  /** The diagnostics of the current version. */
  async diagnostics() {
    const params = await this.client.notified(
      'textDocument/publishDiagnostics',
      (each) => each.uri === this.uri && each.version === this.version,
    );
    return params.diagnostics;
  }
  async ask(method, mark, more = {}) {
    const { result } = await this.client.request(`textDocument/${method}`, {
      textDocument: { uri: this.uri },
      ...(mark === undefined ? {} : { position: this.at(mark) }),
      ...more,
    });
    return result;
  }
  async labels(mark) {
    return (await this.ask('completion', mark)).map((item) => item.label);
  }
  async close() {
    this.client.notify('textDocument/didClose', { textDocument: { uri: this.uri } });
    const params = await this.client.notified(
      'textDocument/publishDiagnostics',
      (each) => each.uri === this.uri && each.version === undefined,
    );
    return params.diagnostics;
  }
}
