// The documents that a validator is called with, and its result.
import fs from 'node:fs';
import path from 'node:path';

/** The documents in JSON that the arguments of `program` name: files, or folders of them. */
export function documentFiles(program) {
  const paths = process.argv.slice(2);
  if (paths.length === 0) {
    console.error(`usage: node ${program} FILE_OR_FOLDER...`);
    process.exit(2);
  }
  return paths.flatMap((name) =>
    fs.statSync(name).isDirectory()
      ? fs
          .readdirSync(name)
          .filter((entry) => entry.endsWith('.json'))
          .sort()
          .map((entry) => path.join(name, entry))
      : [name],
  );
}

/** Prints the errors of each file, which `errorsOf` returns. Exit status 1 when there is one, or no file. */
export async function report(files, errorsOf) {
  let errors = 0;
  for (const file of files) {
    const found = await errorsOf(file);
    for (const error of found) console.error(`${file}: ${error}`);
    errors += found.length;
  }
  if (files.length === 0) {
    console.error('no documents');
    process.exit(1);
  }
  console.log(`${files.length} documents, ${errors} errors`);
  process.exit(errors === 0 ? 0 : 1);
}
