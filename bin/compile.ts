/**
 * Makes `compiled/` of `src/` for a package: Node runs TypeScript in a clone, and never below `node_modules`. Types are
 * blanked out, so that lines and columns stay those of the source; relative paths to `.ts` files become `.js`.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('../src', import.meta.url))
const TARGET = fileURLToPath(new URL('../compiled', import.meta.url))

/** A file that only tests read: tests, what they share, and samples. */
const FOR_TESTS = /\.test\.ts$|\.test-data\.ts$|\.samples\.txt$|(^|\/)samples\//

/** A relative path to a source file in quotes: of an import, and of a thread's program. */
const SOURCE_PATH = /(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g

await rm(TARGET, { recursive: true, force: true })
for (const entry of await readdir(SOURCE, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name)
  const name = file.slice(SOURCE.length + 1)
  if (!entry.isFile() || FOR_TESTS.test(name)) continue
  const target = join(TARGET, name)
  await mkdir(dirname(target), { recursive: true })
  if (!name.endsWith('.ts')) await cp(file, target)
  else {
    const script = stripTypeScriptTypes(await readFile(file, 'utf8')).replace(SOURCE_PATH, '$1$2.js$1')
    await writeFile(target.replace(/\.ts$/, '.js'), script)
  }
}
