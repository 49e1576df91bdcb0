// The name of a node, used as the prefix of the node's lease tokens; a file in the data directory stores the name.

import { readFile, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../lib/ids.ts'
import { writeWholeFile } from '../../lib/whole-file.ts'

/** Holds the name of a node, and makes the lease tokens of its process. */
export class NodeName {
  readonly id: string
  /**
   * Start time of this process, so that the lease tokens of this process differ from the tokens of earlier processes.
   */
  readonly #epoch = Date.now().toString(36)
  #tokens = 0

  /** @param id name of the node; the default is a new name, whose leases no later process can release early */
  constructor(id: string = newId('nod')) {
    this.id = id
  }

  /** Returns the token of a new lease; the name of the node is the prefix of the token. */
  newToken(): string {
    return `${this.id}.${this.#epoch}.${this.#tokens++}`
  }
}

const FILE = 'node-id'
const ID = /^nod_[0-9A-Z]{26}$/

/**
 * Returns the name of the node in this data directory; the calling process must hold the directory. The name is the
 * same as in the earlier process, so the leases of the earlier process can be released. A copy of the directory gets a
 * new name, because the original node may be running. The directory also gets a new name after a reboot of the machine,
 * because a copy of a machine looks like a rebooted machine. Throws file system errors.
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

/**
 * Returns an identifier of a directory and of the boot of its machine; a copy of the directory or the machine has
 * another identifier.
 */
async function placeOf(dataDir: string): Promise<string> {
  // Only Linux has a boot ID; on other systems, machines differ by host name.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
  const { dev, ino } = await stat(dataDir)
  return [hostname(), boot.trim(), dev, ino].join(' ')
}
