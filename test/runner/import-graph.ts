// Which files a test file loads, read from the imports of the sources, and which test files a change touches.

import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './plan.ts'

/**
 * The composition root imports every room. The graph ends there, since otherwise every change would touch every test of
 * the whole service.
 */
const COMPOSITION_ROOT = 'src/node/node.ts'

/** A change of one of these can change the result of any test. */
const TOUCHES_ALL =
  /^(package(-lock)?\.json|(src|dashboard)\/package\.json|bin\/|test\/(support|runner)\/|src\/store\/database\/migrations\/)/

/** Imports of values, and paths of files that are loaded as programs of threads. Imports of types load nothing. */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?!type\s)[^;'"]*?from\s+['"](\.[^'"]+)['"]|(?:import|require|URL)\(\s*['"](\.[^'"]+)['"]|(?:^|\n)import\s+['"](\.[^'"]+)['"]|['"](\.{1,2}\/[^'"\n]+-thread\.ts)['"]/g

const imports = new Map<string, readonly string[]>()

/** Returns the files that a file imports values from, as paths below the root. */
export function importsOf(file: string): readonly string[] {
  const known = imports.get(file)
  if (known !== undefined) return known
  const found = new Set<string>()
  if (existsSync(join(ROOT, file)) && /\.tsx?$/.test(file)) {
    for (const [, ...paths] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
      const path = paths.find((one) => one !== undefined)
      if (path !== undefined) found.add(relative(ROOT, join(ROOT, dirname(file), path)))
    }
  }
  imports.set(file, [...found])
  return [...found]
}

/** Returns the files that the given ones load, themselves included, as paths below the root. */
export function closureOf(files: readonly string[], end: string = ''): ReadonlySet<string> {
  const reached = new Set<string>()
  const left = [...files]
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    if (file !== end) left.push(...importsOf(file))
  }
  return reached
}

/**
 * Returns the files that differ from a commit, in the working tree and among untracked files.
 *
 * @param reference a commit as git names it
 * @throws Error where this is no git checkout, or the commit is unknown
 */
export function changedSince(reference: string): readonly string[] {
  const git = (...words: string[]): string[] =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
      .split('\0')
      .filter((name) => name !== '')
  return [
    ...git('diff', '--name-only', '-z', reference, '--'),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
}

/**
 * Returns the test files that a change touches: those that load a changed file, other than by way of the composition
 * root, those of the changed files' folders, and for a page of the dashboard the browser tests that name its folder.
 * Returns `undefined` where any test may be touched.
 */
export function testsTouchedBy(changed: readonly string[]): readonly string[] | undefined {
  if (changed.some((file) => TOUCHES_ALL.test(file))) return undefined
  const folders = new Set(changed.filter((file) => file.startsWith('src/')).map((file) => dirname(file)))
  const pages = changed.flatMap((file) => /^dashboard\/pages\/([^/]+)\//.exec(file)?.[1] ?? [])
  const touches = (test: string): boolean => {
    if (folders.has(dirname(test))) return true
    if (test.startsWith('test/browser/') && pages.some((page) => namesPage(test, page))) return true
    const loaded = closureOf([test], COMPOSITION_ROOT)
    return changed.some((file) => loaded.has(file))
  }
  return globSync('{src,test,dashboard,bench}/**/*.test.ts', { cwd: ROOT }).toSorted().filter(touches)
}

const namesPage = (test: string, page: string): boolean =>
  new RegExp(`[/'"\`]${page}\\b`).test(readFileSync(join(ROOT, test), 'utf8'))
