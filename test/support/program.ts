// Paths of the program that tests start as a process: the packed program, which starts in half the time, or the source
// if a test file runs without the runner.

import { join, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const { TEST_PACKAGE: PACKAGE, PATH, NODE_COMPILE_CACHE } = process.env

/** Root folder of the program; `bin/postrider` in this folder is the command line. */
export const PROGRAM_ROOT = PACKAGE === undefined ? ROOT : resolve(ROOT, PACKAGE)

/** File that Node runs, followed by the arguments of the command line. */
export const MAIN = join(PROGRAM_ROOT, PACKAGE === undefined ? 'src/cli/main.ts' : 'compiled/cli/main.js')

/** Returns the path of a test program, such as `write-killed`; the runner packs test programs with the service. */
export const testProgram = (name: string): string =>
  PACKAGE === undefined ? join(import.meta.dirname, `${name}.ts`) : join(PROGRAM_ROOT, `compiled/${name}.js`)

/**
 * Minimal environment for a program that must not inherit other variables: the search path of commands, and the compile
 * cache of earlier runs. The cache saves a quarter of the CPU time of a command.
 */
export const PROGRAM_ENV = {
  PATH: PATH ?? '',
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
}
