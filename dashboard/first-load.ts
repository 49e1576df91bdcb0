// Division of the build output into files: a few larger files for the first page load, which compress better than many
// small files, and one file for each page and for each part that several pages share.

import { fileURLToPath } from 'node:url'
import { build, type Rolldown, type UserConfig } from 'vite'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/**
 * Entry modules of the first page load: the login, the frame with the home page, the figures of the home page, and the
 * guide for an empty installation.
 */
const LOGIN = ['outside.html']
const FRAME = ['index.html', 'shell/shell.tsx', 'pages/home/home-page.tsx']
const FIGURES = ['pages/home/figures.tsx']
const GUIDE = ['pages/home/first-steps.tsx']

/** Modules of the template editor: they are large and contain no texts, so all languages share one file. */
const EDITOR = /\/node_modules\/(?:@codemirror|@lezer|@marijn|codemirror|crelt|style-mod|w3c-keyname)\//

/**
 * Returns the chunk groups for rolldown, from a build that is not written to disk; only a build shows which parts of a
 * library are used.
 */
export async function firstLoadGroups(config: UserConfig) {
  const result = await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: { ...config.build, write: false, minify: false, cssMinify: false, reportCompressedSize: false },
  })
  const { output } = result as Rolldown.RolldownOutput
  const chunks = output.filter((one) => one.type === 'chunk')
  const modulesOf = (entries: readonly string[]): Set<string> => {
    const seen = new Set<Rolldown.OutputChunk>()
    const add = (chunk: Rolldown.OutputChunk | undefined): void => {
      if (chunk === undefined || seen.has(chunk)) return
      seen.add(chunk)
      for (const file of chunk.imports) add(chunks.find(({ fileName }) => fileName === file))
    }
    for (const entry of entries) add(chunks.find(({ facadeModuleId }) => facadeModuleId === at(entry)))
    return new Set([...seen].flatMap((chunk) => Object.keys(chunk.modules)))
  }
  const login = modulesOf(LOGIN)
  const frame = modulesOf(FRAME)
  const figures = modulesOf(FIGURES)
  const guide = modulesOf(GUIDE)
  // Parts that the figures and the guide share belong to the frame, otherwise one of the two would load the other;
  // their styles are too small for separate files.
  const isOfFrame = (id: string): boolean =>
    frame.has(id) || (figures.has(id) && (guide.has(id) || id.endsWith('.css')))
  return [
    { name: 'editor', priority: 5, test: EDITOR },
    { name: 'base', priority: 4, test: (id: string) => login.has(id) && frame.has(id) },
    { name: 'frame', priority: 3, test: (id: string) => isOfFrame(id) && !login.has(id) },
    { name: 'figures', priority: 2, test: (id: string) => figures.has(id) && !login.has(id) },
    { name: 'guide', priority: 1, test: (id: string) => guide.has(id) && !login.has(id) },
  ]
}
