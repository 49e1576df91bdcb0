// The package @postrider/sdk as npm would install it, compiled for tests that use the package from outside.

import { execFile } from 'node:child_process'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'sdk/typescript')

/** Compiles the package and puts it into `node_modules` of a folder. */
export async function installSdk(folder: string): Promise<void> {
  const target = join(folder, 'node_modules/@postrider/sdk')
  await mkdir(target, { recursive: true })
  const words = ['-p', SOURCE, '--outDir', join(target, 'dist')]
  await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), words)
  for (const name of ['package.json', 'README.md']) await cp(join(SOURCE, name), join(target, name))
}
