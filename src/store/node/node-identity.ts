// The name of a node, with which its lease tokens begin; a file in the data directory keeps the name across processes.

import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../lib/ids.ts'
import { writeWholeFile } from '../../lib/whole-file.ts'

/** Names a node and the leases of its process. */
export class NodeName {
  readonly id: string
  /** Makes the leases of this process differ from those of earlier ones. */
  readonly #epoch = Date.now().toString(36)
  #tokens = 0

  /** Without an ID, the name belongs to this process alone, and nobody takes back its leases before they end. */
  constructor(id: string = newId('nod')) {
    this.id = id
  }

  /** Returns the token of a new lease, which begins with the node's name. */
  newToken(): string {
    return `${this.id}.${this.#epoch}.${this.#tokens++}`
  }
}

const FILE = 'node-id'
const ID = /^nod_[0-9A-Z]{26}$/

/**
 * Returns the name of the node in this data directory, which this process holds. The name equals that of the earlier
 * process, whose leases are thus known to be over. A copy of the directory gets another name, since the original node
 * may be running. So does a directory after a reboot of its machine, as a copy of the machine looks the same. Throws
 * errors of the file system.
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

/** Returns the identity of a directory on a machine since its boot, which no copy of either shares. */
async function placeOf(dataDir: string): Promise<string> {
  // Only Linux has a boot ID; elsewhere machines differ by name.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  const { dev, ino } = await stat(dataDir)
  return [hostname(), boot.trim(), dev, ino].join(' ')
}
