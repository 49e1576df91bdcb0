// Runs commands that require all nodes to be stopped, because running nodes hold the changed state in memory.

import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { giveToOwnerOf } from '../lib/whole-file.ts'
import { Problem } from '../model/problem.ts'
import { lookAtStore } from '../store/database/unopened.ts'
import { holdDataDirectory, SERVING_LOCK } from '../store/node/node-lock.ts'
import { listRunningNodes } from '../store/node/nodes.ts'

/**
 * Runs `work` while no node uses the store that the settings name. Throws `unavailable` or `conflict` while a node
 * runs. A killed node on PostgreSQL still counts as running for about a minute. A lock file that root has created is
 * given to the owner of the data directory.
 */
export async function whileStopped<T>(config: Config, now: number, work: () => Promise<T>): Promise<T> {
  if (config.databaseUrl === undefined) {
    const release = holdDataDirectory(config.dataDir)
    try {
      return await work()
    } finally {
      // The owner is changed after the release, because opening and closing the lock file releases the lock.
      release()
      await giveToOwnerOf(config.dataDir, [join(config.dataDir, SERVING_LOCK)])
    }
  }
  const nodes = (await lookAtStore(config, (read) => listRunningNodes(read, now))) ?? []
  if (nodes.length > 0) {
    const names = [...new Set(nodes.map(({ host_name }) => host_name))].join(', ')
    throw new Problem(
      'conflict',
      `Nodes are running (${names}): stop these nodes first. A killed node counts as running for a minute.`,
    )
  }
  return work()
}
