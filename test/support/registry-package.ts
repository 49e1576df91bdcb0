// Packages that a single test needs and that are too large for the dependencies of the project: such a package is
// installed from the npm registry into the cache folder of the clone, where it stays.

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/registry')
/** Maximum time of an installation, in milliseconds. */
const MOST_MS = 240_000

/**
 * Returns the folder of a package, with its dependencies beside it; undefined if the registry cannot be reached, in
 * which case the test skips itself. Scripts of packages are not run.
 */
export async function packageOfRegistry(name: string, version: string): Promise<string | undefined> {
  const folder = join(CACHE, `${name.replace('/', '+')}@${version}`)
  const inside = join(folder, 'node_modules', name)
  if (existsSync(inside)) return inside
  const fresh = `${folder}.${process.pid}`
  await mkdir(fresh, { recursive: true })
  try {
    await writeFile(join(fresh, 'package.json'), '{ "private": true }')
    const words = ['install', '--prefix', fresh, '--ignore-scripts', '--no-audit', '--no-fund']
    await promisify(execFile)('npm', [...words, `${name}@${version}`], { timeout: MOST_MS, cwd: fresh })
    // Another process may have been faster.
    await rename(fresh, folder).catch(() => {})
  } catch {
    return undefined
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return inside
}
