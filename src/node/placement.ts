// The place of a process among those of its node: a folder of its own, ports that it shares.

import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { makeDirectory } from '../lib/whole-file.ts'

/** Settings of a process. */
export interface PlacedConfig extends Config {
  /** Number among the workers, from 1 on; undefined where there is one process. */
  readonly worker: number | undefined
  /** The ports are shared with other processes. */
  readonly sharesPorts: boolean
  /** Holds its lock, its identity and its journal of deliveries; the rest of the data directory is for all workers. */
  readonly nodeDir: string
}

/**
 * The settings of a process, or of a worker. The first worker has the data directory itself, so that it goes on with what a
 * single process has left there. Each worker has its own port for its metrics.
 */
export function placedAs(config: Config, worker?: number): PlacedConfig {
  const { dataDir, adminPort } = config
  if (worker === undefined) return { ...config, worker, sharesPorts: false, nodeDir: dataDir }
  const nodeDir = worker === 1 ? dataDir : join(dataDir, `worker-${worker}`)
  makeDirectory(nodeDir)
  const ownPort = adminPort === undefined || adminPort === 0 ? adminPort : adminPort + worker - 1
  return { ...config, worker, sharesPorts: true, nodeDir, adminPort: ownPort }
}
