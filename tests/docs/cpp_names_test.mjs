// Tests cpp_names.mjs with a page whose names exist, and names that do not.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { cppSources, unknownNames } from './cpp_names.mjs';

const root = mkdtempSync(join(tmpdir(), 'cpp-names-'));
test.after(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, 'runtime/pipeline'), { recursive: true });
writeFileSync(
  join(root, 'runtime/pipeline/pipeline.hpp'),
  `// Calls send_old, formerly Pipeline::send_old.
namespace fw::detail {
class Pipeline final : public Base {
 public:
  /// send_old
  void send() const;
};
class Other {
  void close();
};
void send_channel();
int later = called_elsewhere();
void call() { return called_elsewhere(later); }
}
`,
);
const sources = cppSources(root, ['runtime']);

function unknownIn(text) {
  const page = join(root, 'page.md');
  writeFileSync(page, `# Page\n\n${text}\n`);
  return unknownNames(page, sources, true);
}

test('cpp names: classes, members, functions and files are found', () => {
  assert.deepEqual(
    unknownIn('`Pipeline::send`, `detail::Pipeline::send(error)`, `detail::Other`, `send_channel`, `std::mutex`'),
    [],
  );
});

test('cpp names: a member that the class does not have is unknown', () => {
  assert.deepEqual(unknownIn('`Pipeline::send_old`'), [{ name: 'Pipeline::send_old', line: 3 }]);
  assert.deepEqual(unknownIn('`Pipeline::close`'), [{ name: 'Pipeline::close', line: 3 }]);
});

test('cpp names: a class of another namespace, and a function that is gone, are unknown', () => {
  assert.deepEqual(unknownIn('`http::Other`'), [{ name: 'http::Other', line: 3 }]);
  assert.deepEqual(unknownIn('with `send_old`'), [{ name: 'send_old', line: 3 }]);
});

test('cpp names: a call is no declaration', () => {
  assert.deepEqual(unknownIn('`detail::send_channel`'), []);
  assert.deepEqual(unknownIn('`detail::called_elsewhere`'), [{ name: 'detail::called_elsewhere', line: 3 }]);
});
