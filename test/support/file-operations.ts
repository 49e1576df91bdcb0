// Records the files that a node syncs and renames, in order; the node loads this module first (`--import`).

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const log = process.env.TEST_FILE_OPERATIONS as string
const append = fs.appendFileSync
const note = (...words: readonly string[]): void => append(log, `${words.join('\t')}\n`)

const { open, rename } = fs.promises
fs.promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest)
  const sync = handle.sync.bind(handle)
  handle.sync = async () => {
    await sync()
    note('sync', String(path))
  }
  return handle
}
fs.promises.rename = async (from, to) => {
  await rename(from, to)
  note('rename', String(from), String(to))
}
syncBuiltinESMExports()
