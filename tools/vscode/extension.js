// Starts `fairway lsp` for each folder of the workspace that has routes.
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { commands, window, workspace } = require('vscode');
const { LanguageClient, RevealOutputChannelOn } = require('vscode-languageclient/node');

/** Clients by the URI of their folders. */
const clients = new Map();

async function start(folder) {
  const key = folder.uri.toString();
  const root = folder.uri.fsPath;
  if (clients.has(key) || folder.uri.scheme !== 'file' || !existsSync(join(root, 'src', 'routes'))) return;
  const settings = workspace.getConfiguration('fairway', folder.uri);
  const client = new LanguageClient(
    'fairway',
    `Fairway (${folder.name})`,
    { command: settings.get('path'), args: ['lsp', ...settings.get('arguments')], options: { cwd: root } },
    {
      documentSelector: [
        { scheme: 'file', language: 'cpp', pattern: `${root}/**/*` },
        { scheme: 'file', language: 'html', pattern: `${root}/src/pages/**/*` },
        { scheme: 'file', pattern: `${root}/{config,locales}/*.json` },
      ],
      workspaceFolder: folder,
      diagnosticCollectionName: 'fairway',
      revealOutputChannelOn: RevealOutputChannelOn.Never,
    },
  );
  clients.set(key, client);
  try {
    await client.start();
  } catch (error) {
    clients.delete(key);
    window.showErrorMessage(
      `Fairway: cannot start '${settings.get('path')} lsp' (${error.message}). Set "fairway.path".`,
    );
  }
}

async function stop(key) {
  const client = clients.get(key);
  clients.delete(key);
  await client?.stop();
}

async function restart() {
  await Promise.all([...clients.keys()].map(stop));
  await Promise.all((workspace.workspaceFolders ?? []).map(start));
}

async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand('fairway.restart', restart),
    workspace.onDidChangeWorkspaceFolders(async ({ added, removed }) => {
      await Promise.all(removed.map((folder) => stop(folder.uri.toString())));
      await Promise.all(added.map(start));
    }),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('fairway')) return restart();
    }),
  );
  await restart();
}

async function deactivate() {
  await Promise.all([...clients.keys()].map(stop));
}

module.exports = { activate, deactivate };
