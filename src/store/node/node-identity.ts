// The identity of a node that outlives its process: a file in the data directory that it holds.

import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../lib/ids.ts'
import { writeWholeFile } from '../../lib/whole-file.ts'

const FILE = 'node-id'
const ID = /^nod_[0-9A-Z]{26}$/

/**
 * The ID of the node in this data directory: that of the process before, so that its leases are known to be over. A copy
 * of the directory on another machine is another node, whose leases are not. Throws errors of the file system.
 */
export async function nodeIdentity(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE)
  const [host, kept = ''] = (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n')
  if (host === hostname() && ID.test(kept)) return kept
  const id = newId('nod')
  await writeWholeFile(path, `${hostname()}\n${id}\n`, 0o600)
  return id
}
