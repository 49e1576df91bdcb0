// Determines, from the imports in the source files, which files a test file loads and which test files a change
// affects.

import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './plan.ts'

/**
 * The composition root, which imports all directories of `src/`. The graph ends at this file, because otherwise every
 * change would affect every test of the whole service.
 */
const COMPOSITION_ROOT = 'src/node/node.ts'

/** Pattern of files whose change can affect the result of any test. */
const TOUCHES_ALL =
  /^(package(-lock)?\.json|(src|dashboard)\/package\.json|bin\/|test\/(support|runner)\/|src\/store\/database\/migrations\/)/

/**
 * Pattern of imports of values, and of paths of thread programs. Imports of types are left out, as they load no file.
 */
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?!type\s)[^;'"]*?from\s+['"](\.[^'"]+)['"]|(?:import|require|URL)\(\s*['"](\.[^'"]+)['"]|(?:^|\n)import\s+['"](\.[^'"]+)['"]|['"](\.{1,2}\/[^'"\n]+-thread\.ts)['"]/g

const imports = new Map<string, readonly string[]>()

/** Returns the files from which a file imports values, as paths relative to the root. */
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

/**
 * Returns these files and all files that they load, as paths relative to the root; does not follow imports of `end`.
 */
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
 * Returns the files that differ between a commit and the working tree, including untracked files.
 *
 * @param reference name of the commit for git
 * @throws Error if this directory is not a git checkout, or the commit is unknown
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
 * Returns the test files that a change affects: tests that load a changed file (not through the composition root),
 * tests in the directories of changed files, and browser tests that name the directory of a changed dashboard page.
 * Returns `undefined` if any test may be affected.
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
  return globSync('{src,test,dashboard,bench,sdk}/**/*.test.ts', { cwd: ROOT }).toSorted().filter(touches)
}

const namesPage = (test: string, page: string): boolean =>
  new RegExp(`[/'"\`]${page}\\b`).test(readFileSync(join(ROOT, test), 'utf8'))
