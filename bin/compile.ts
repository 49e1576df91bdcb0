/**
 * Compiles `src/` to the JavaScript program of the npm package, in `compiled/`. If a target directory is given, also
 * copies all other files of the package to that directory; further arguments are programs to compile in addition, such
 * as programs that tests start. Compiling is needed because Node.js does not run TypeScript below `node_modules`, and
 * because loading 2,400 files takes longer than the rest of a start. The source files and their dependencies become a
 * few files, one for each part that is loaded on demand. Data files that the program reads (lists, the style of the
 * reference) keep their relative paths. WebAssembly and binaries stay in their own npm packages. `licenses.txt` contains
 * the licenses of all bundled packages.
 */
import { cp, glob, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import { licensesOf } from './licenses.ts'

const ROOT = resolve(fileURLToPath(new URL('..', import.meta.url)))
const SOURCE = join(ROOT, 'src')
const [, , PLACE = ROOT, ...FURTHER] = process.argv
const PACKAGE = resolve(PLACE)
const TARGET = join(PACKAGE, 'compiled')

/** Pattern of files that only tests read: tests, test data, and samples. */
const FOR_TESTS = /\.test\.ts$|\.test-data\.ts$|\.samples\.txt$|(^|\/)samples\//

/** Pattern of a relative path to a source file outside an import: the program of a thread. */
const PROGRAM = /(?<!from )(?<!import )(?<!import\()(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g

/** Non-ASCII characters; a single one makes Node.js store the whole source text with two bytes per character. */
const BEYOND_ASCII = /[\u0080-\uffff]/g
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
/** Non-ASCII characters after a backslash or in a raw template literal, where an escape would change the text. */
const CANNOT_BE_ESCAPED = /(?<!\\)(\\\\)*\\[\u0080-\uffff]|\braw`[^`]*[\u0080-\uffff]/

const names: string[] = []
for await (const name of glob('**/*.*', { cwd: SOURCE })) if (!FOR_TESTS.test(name)) names.push(name)
const scripts = names.filter((name) => name.endsWith('.ts'))
const entries = new Set(['cli/main.ts'])
for (const name of scripts) {
  for (const [, , path] of (await readFile(join(SOURCE, name), 'utf8')).matchAll(PROGRAM)) {
    entries.add(join(dirname(name), `${path}.ts`))
  }
}

/** Rewrites `import.meta.url`, because all compiled files are in one directory, unlike the source files. */
const inOnePlace: Plugin = {
  name: 'in one place',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return undefined
    if (!id.startsWith(SOURCE)) {
      if (/(URL|fileURLToPath|resolve)\([^)]*import\.meta\.url/.test(code))
        throw new Error(`${id} reads a file in its own directory`)
      return undefined
    }
    const place = `./${relative(SOURCE, id).replace(/\.ts$/, '.js')}`
    return code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
  },
  renderChunk: (code) => code.replace(PROGRAM, '$1$2.js$1'),
  generateBundle(_options, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue
      const [cannot] = CANNOT_BE_ESCAPED.exec(file.code) ?? []
      if (cannot !== undefined)
        throw new Error(`${file.fileName} contains ${JSON.stringify(cannot)}, which cannot be escaped`)
      file.code = file.code.replace(BEYOND_ASCII, escaped)
    }
  },
}

const besides = (name: string): string => name.replace(/\.ts$/, '').replaceAll('/', '.')

await rm(TARGET, { recursive: true, force: true })
const bundle = await rolldown({
  input: Object.fromEntries([
    ...[...entries].map((name) => [besides(name), join(SOURCE, name)]),
    ...FURTHER.map((path) => [basename(path, '.ts'), resolve(path)]),
  ]),
  platform: 'node',
  external: /^@css-inline\/|^@node-rs\//,
  plugins: [inOnePlace],
  onLog(_level, log) {
    throw new Error(log.message)
  },
})
const { output } = await bundle.write({
  ...{ dir: TARGET, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
  // Comments are left out, because V8 keeps the source text of a running program in memory.
  comments: false,
})
await bundle.close()
await writeFile(
  join(TARGET, 'licenses.txt'),
  await licensesOf(output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []))),
)
for (const name of entries) {
  const target = join(TARGET, name.replace(/\.ts$/, '.js'))
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, `import '${relative(dirname(target), join(TARGET, besides(name)))}.js'\n`)
}
for (const name of names) if (!name.endsWith('.ts')) await cp(join(SOURCE, name), join(TARGET, name))
if (PACKAGE !== ROOT) {
  // The same files as in `files` of package.json; `bin/program` is needed only in a clone.
  await rm(join(PACKAGE, 'bin'), { recursive: true, force: true })
  for (const name of ['bin/node', 'bin/postrider', 'package.json'])
    await cp(join(ROOT, name), join(PACKAGE, name), { recursive: true })
  await rm(join(PACKAGE, 'dashboard'), { recursive: true, force: true })
  await mkdir(join(PACKAGE, 'dashboard'))
  await symlink(join(ROOT, 'dashboard/dist'), join(PACKAGE, 'dashboard/dist'))
  for (const name of ['docs', 'README.md']) {
    await rm(join(PACKAGE, name), { recursive: true, force: true })
    await symlink(join(ROOT, name), join(PACKAGE, name))
  }
}
