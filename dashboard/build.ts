// Builds the dashboard into `dist`, once per language, so that a page loads the texts of one language only. Files
// without texts are the same in all languages and exist once. Each file also exists in a brotli and a gzip form. An
// interrupted build leaves the previous build unchanged, because a running service may be reading it.

import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'
import { firstLoadGroups } from './first-load.ts'
import { LANGUAGES } from './texts/language.ts'
import { inLanguage } from './vite.config.ts'

const DIST = join(import.meta.dirname, 'dist')
const COMPRESSED = /\.(js|css|svg)$/

type Groups = Awaited<ReturnType<typeof firstLoadGroups>>

/**
 * Returns the function that names files: only files of the first page load have a readable name, because the first load
 * contains the names of all files.
 */
const fileNames = (groups: Groups) => {
  const readable = new Set(groups.map(({ name }) => name))
  return ({ name }: { readonly name: string }): string =>
    readable.has(name) ? 'assets/[name]-[hash:7].js' : 'assets/[hash:7].js'
}

/** Builds the pages in one language, without removing the pages in other languages. */
async function buildIn(language: string, directory: string, groups: Groups): Promise<void> {
  const config = inLanguage(language)
  await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: {
      ...config.build,
      outDir: directory,
      emptyOutDir: false,
      reportCompressedSize: false,
      manifest: `${language}/manifest.json`,
      license: { fileName: 'assets/licenses.md' },
      rolldownOptions: {
        ...config.build?.rolldownOptions,
        output: {
          codeSplitting: { groups },
          chunkFileNames: fileNames(groups),
          assetFileNames: 'assets/[hash:7][extname]',
        },
      },
    },
  })
  await mkdir(join(directory, language), { recursive: true })
  for (const name of ['index.html', 'outside.html']) {
    await rename(join(directory, name), join(directory, language, name))
  }
}

/** Compresses a file at build time, so that the service need not compress it for every visitor. */
async function precompress(file: string): Promise<void> {
  // The highest quality takes twice as long as the second highest, but makes the first load 2 KiB smaller.
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  const content = await readFile(file)
  await Promise.all([
    promisify(brotliCompress)(content, { params }).then((packed) => writeFile(`${file}.br`, packed)),
    promisify(gzip)(content, { level: 9 }).then((packed) => writeFile(`${file}.gz`, packed)),
  ])
}

/** Builds all languages; compresses the files of one language during the build of the next. */
async function buildAll(directory: string): Promise<void> {
  const groups = await firstLoadGroups(inLanguage('en'))
  const seen = new Set<string>()
  const compressing: Promise<void>[] = []
  for (const language of Object.keys(LANGUAGES)) {
    await buildIn(language, directory, groups)
    for (const name of await readdir(join(directory, 'assets'))) {
      if (!COMPRESSED.test(name) || seen.has(name)) continue
      seen.add(name)
      compressing.push(precompress(join(directory, 'assets', name)))
    }
  }
  await Promise.all(compressing)
}

const began = new Date()
const made = `${DIST}.${process.pid}`
const [next, last] = [join(made, 'next'), join(made, 'last')]
try {
  // The directory shows a running service that a build is in progress.
  await mkdir(made)
  await buildAll(next)
  // A source file that changes during the build is newer than this time, so the next start builds again.
  await utimes(join(next, 'en/index.html'), began, began)
  if (existsSync(DIST)) await rename(DIST, last)
  await rename(next, DIST)
} finally {
  await rm(made, { recursive: true, force: true })
}
