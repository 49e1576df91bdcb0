// The name of a node, by which its leases begin: one that outlives its process is in a file of the data directory.

import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../lib/ids.ts'
import { writeWholeFile } from '../../lib/whole-file.ts'

/** Names a node and the leases of its process. */
export class NodeName {
  readonly id: string
  /** Leases of this process differ from those of the one before. */
  readonly #epoch = Date.now().toString(36)
  #tokens = 0

  /** Without an ID the name is that of this process alone, whose leases nobody takes back before they end. */
  constructor(id: string = newId('nod')) {
    this.id = id
  }

  /** A token for another lease, which says whose it is. */
  newToken(): string {
    return `${this.id}.${this.#epoch}.${this.#tokens++}`
  }
}

const FILE = 'node-id'
const ID = /^nod_[0-9A-Z]{26}$/

/**
 * The name of the node in this data directory, which its process holds: that of the process before, so that its leases
 * are known to be over. A copy of the directory is another node, whose leases are not: the one that it was copied from may
 * run. Neither is a directory after its machine was started anew, since a copy of the machine looks the same. Throws errors
 * of the file system.
 */
export async function nameOfNode(dataDir: string): Promise<NodeName> {
  const path = join(dataDir, FILE)
  const [keptPlace, kept = ''] = (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n')
  const place = await placeOf(dataDir)
  if (keptPlace === place && ID.test(kept)) return new NodeName(kept)
  const id = newId('nod')
  await writeWholeFile(path, `${place}\n${id}\n`, 0o600)
  return new NodeName(id)
}

/** A directory of a machine since its start, as no copy of either has it. */
async function placeOf(dataDir: string): Promise<string> {
  // Linux alone has one; elsewhere machines differ by their names.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  const { dev, ino } = await stat(dataDir)
  return [hostname(), boot.trim(), dev, ino].join(' ')
}
