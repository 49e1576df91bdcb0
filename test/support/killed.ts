// Runs writes in processes that are killed after a number of statements.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Write } from '../../src/store/database/group-commit.ts'
import { testProgram } from './program.ts'
import type { TestStorage } from './store.ts'

const PROGRAM = testProgram('write-killed')

/**
 * Runs a write in a separate process that is killed after this many statements; returns false if the write ended before
 * the kill. Throws if the process failed.
 */
export async function writeKilled<Item>(
  { dataDir, databaseUrl }: TestStorage,
  write: Write<Item, unknown>,
  item: Item,
  statements: number,
): Promise<boolean> {
  const args = [PROGRAM, dataDir, databaseUrl ?? '', String(statements), write.name, JSON.stringify(item)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code, signal] = await once(child, 'exit')
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`${write.name} ended with ${code ?? signal}`)
  return signal === 'SIGKILL'
}
