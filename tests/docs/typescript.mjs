// Type-checks the TypeScript of pages with the client of the orders sample: typescript.mjs ROOT PAGE...
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { blocksOf } from '../../tools/site/pages.mjs';

const [root, ...pages] = process.argv.slice(2);
const ts = createRequire(join(root, 'tools/npm/'))('typescript');
const folder = mkdtempSync(join(tmpdir(), 'fairway-docs-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(root, 'tools/npm/node_modules'), join(folder, 'node_modules'));
copyFileSync(join(root, 'generated/orders/client/orders.ts'), join(folder, 'orders.mts'));

// What the pages use of the program around them.
const context = `
declare const session: { accessToken(): string; token(): string };
declare const controller: AbortController;
declare const id: number;
declare function show(order: unknown): void;
declare function showNothing(): void;
declare function report(error: unknown): void;
declare const basket: import('./orders.mjs').NewOrder;
declare function markSoldOut(details: unknown): void;
declare function signIn(): void;
declare const email: string;
declare const password: string;
declare class AccountsClient {
  constructor(options: import('./orders.mjs').ClientOptions);
  getCsrfToken(): Promise<{ token: string }>;
  signIn(
    input: { body: { email: string; password: string } },
    options?: import('./orders.mjs').RequestOptions,
  ): Promise<void>;
  getProfile(): Promise<{ name: string }>;
}
type Changed = 'created' | 'deleted';
type Change<Name extends Changed> = { event: Name; data: { id: number }; id: string };
declare const feed: {
  watchOrders(
    input?: Record<string, never>,
    options?: import('./orders.mjs').StreamOptions,
  ): AsyncGenerator<Change<'created'> | Change<'deleted'>, void, undefined>;
};
declare function remove(id: number): void;
type Said = { type: 'said'; by: string; text: string };
type Failure = { message: string; errors: readonly { field: string; message: string }[] };
interface Room extends AsyncIterable<Said | { type: 'typing' }> {
  on(type: 'said', listener: (message: Said) => void): () => void;
  send(type: 'say', data: { text: string }): void;
  onFailure(listener: (failure: Failure) => void): () => void;
}
declare const chat: {
  room(input: { path: { id: number } }, options?: { reconnect?: boolean }): Room;
};
`;
const existing = 'declare const orders: OrdersClient;\n';
const files = [];
for (const page of pages) {
  for (const block of blocksOf(page)) {
    if (block.language !== 'ts') continue;
    const text = block.lines.join('\n').replace('./orders.js', './orders.mjs');
    const imports = text.includes('import ')
      ? ''
      : 'import { ApiError, CookieJar, OrdersClient, attempt } from "./orders.mjs";\n';
    const file = join(folder, `${basename(page, '.md')}_${block.line}.mts`);
    writeFileSync(file, `${imports}${context}${text.includes('orders = ') ? '' : existing}${text}\nexport {};\n`);
    files.push(file);
  }
}
const program = ts.createProgram(files, {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  skipLibCheck: true,
  noEmit: true,
});
const diagnostics = ts.getPreEmitDiagnostics(program);
for (const { file, messageText } of diagnostics) {
  console.error(`${file ? basename(file.fileName) : ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
console.log(`${files.length} examples of TypeScript, ${diagnostics.length} errors`);
process.exitCode = files.length > 0 && diagnostics.length === 0 ? 0 : 1;
