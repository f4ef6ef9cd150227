// The extension for Visual Studio Code, without the editor: its manifest, and what it starts.
// Usage: vscode_test.mjs FAIRWAY SOURCE_DIR
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LspClient } from './client.mjs';

const [fairway, source] = process.argv.slice(2).map((path) => resolve(path));
const extension = join(source, 'tools/vscode');
const manifest = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
const { properties } = manifest.contributes.configuration;

test('vscode: the manifest matches the lock file, the project and docs/editors.md', () => {
  assert.ok(existsSync(join(extension, manifest.main)));
  execFileSync(process.execPath, ['--check', join(extension, manifest.main)]);
  const { packages } = JSON.parse(readFileSync(join(extension, 'package-lock.json'), 'utf8'));
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    assert.equal(packages[`node_modules/${name}`].version, version);
  }
  const [, version] = /VERSION ([\d.]+)/.exec(
    readFileSync(join(source, 'CMakeLists.txt'), 'utf8').split('project(')[1],
  );
  assert.equal(manifest.version, version);
  const page = readFileSync(join(source, 'docs/editors.md'), 'utf8');
  for (const [name, { default: value }] of Object.entries(properties)) {
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    assert.ok(page.includes(`| \`${name}\` | \`${shown}\` |`), name);
  }
});

test('vscode: a server is started for each folder with routes', async () => {
  const started = [];
  const commands = new Map();
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(this, { id, name, server, options });
    }
    async start() {
      started.push(this);
    }
    async stop() {
      started.splice(started.indexOf(this), 1);
    }
  }
  const here = dirname(fileURLToPath(import.meta.url));
  const folderOf = (path, name) => ({
    uri: { scheme: 'file', fsPath: path, toString: () => pathToFileURL(path).href },
    name,
  });
  const app = folderOf(join(here, 'app'), 'app');
  const listeners = {};
  const settings = { path: fairway, arguments: ['--no-config'] };
  const fakes = {
    vscode: {
      commands: { registerCommand: (name, run) => commands.set(name, run) },
      window: {},
      workspace: {
        workspaceFolders: [app, folderOf(here, 'other')],
        getConfiguration: () => ({ get: (name) => (assert.ok(`fairway.${name}` in properties), settings[name]) }),
        onDidChangeWorkspaceFolders: (run) => (listeners.folders = run),
        onDidChangeConfiguration: () => {},
      },
    },
    'vscode-languageclient/node': { LanguageClient, RevealOutputChannelOn: {} },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => fakes[name] ?? load(name, ...rest);
  const { activate, deactivate } = createRequire(import.meta.url)(join(extension, manifest.main));
  Module._load = load;

  await activate({ subscriptions: [] });
  assert.deepEqual(
    started.map((each) => each.name),
    ['Fairway (app)'],
  );
  assert.deepEqual(
    [...commands.keys()],
    manifest.contributes.commands.map((each) => each.command),
  );
  const { command, args, options } = started[0].server;
  const client = new LspClient([command, ...args], options.cwd);
  const { result } = await client.request('initialize', { rootUri: app.uri.toString(), capabilities: {} });
  assert.equal(result.serverInfo.name, 'fairway');
  await client.stop();

  await commands.get('fairway.restart')();
  assert.equal(started.length, 1);
  await listeners.folders({ added: [], removed: [app] });
  assert.equal(started.length, 0);
  await listeners.folders({ added: [app], removed: [] });
  await deactivate();
  assert.equal(started.length, 0);
});
