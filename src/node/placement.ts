// Settings of one worker process of a node: its own directory, shared ports, and a limited number of connections.

import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { MAX_CONNECTIONS } from '../http/connections.ts'
import type { Log } from '../lib/log.ts'
import { makeDirectory } from '../lib/whole-file.ts'

/** Settings of one process of a node. */
export interface PlacedConfig extends Config {
  /** Number of the worker, from 1; undefined with a single process. */
  readonly worker: number | undefined
  /** True if other worker processes listen on the same ports. */
  readonly sharesPorts: boolean
  /**
   * Directory with the lock, the identity and the delivery journal of this process; all workers share the rest of the
   * data directory.
   */
  readonly nodeDir: string
  /**
   * Directories of former workers, with numbers above the present number of workers; the first process takes over their
   * work.
   */
  readonly formerWorkers: readonly string[]
  /** Maximum number of client connections to the HTTP port of this process. */
  readonly httpConnections: number
}

/**
 * Number of open files that a process needs in addition to client connections: for connections to mail hosts, for
 * threads, and for the database.
 */
const OWN_FILES = 4_096

/**
 * Returns the settings of a worker, or of a single process. The first worker uses the data directory itself, and so
 * continues the work of an earlier single process. Each worker has its own port for metrics.
 */
export function placedAs(settings: Config, log: Log, worker?: number): PlacedConfig {
  const config = { ...settings, ...connectionsWithin(maxOpenFiles(), settings, log) }
  const { dataDir, adminPort } = config
  if (worker === undefined) {
    return {
      ...config,
      worker,
      sharesPorts: false,
      nodeDir: dataDir,
      formerWorkers: foldersBeyond(dataDir, 1),
    }
  }
  const nodeDir = worker === 1 ? dataDir : join(dataDir, `worker-${worker}`)
  makeDirectory(nodeDir)
  const ownPort = adminPort === undefined || adminPort === 0 ? adminPort : adminPort + worker - 1
  const formerWorkers = worker === 1 ? foldersBeyond(dataDir, workersOf(config)) : []
  return { ...config, worker, sharesPorts: true, nodeDir, formerWorkers, adminPort: ownPort }
}

/** Returns the configured number of workers; `auto` means one worker for each available CPU. */
export const workersOf = ({ workers }: Pick<Config, 'workers'>): number =>
  workers === 'auto' ? availableParallelism() : workers

/** Returns the directories of workers whose number is above the configured number of workers. */
function foldersBeyond(dataDir: string, workers: number): string[] {
  return namesIn(dataDir).flatMap((name) => {
    const number = Number(/^worker-(\d+)$/.exec(name)?.[1])
    return number > workers ? [join(dataDir, name)] : []
  })
}

/**
 * Returns the file names in a directory; none if the directory cannot be read. The store later reports an unreadable
 * directory, and how to repair the permissions.
 */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/**
 * Returns the maximum numbers of client connections. The maximum of each port is reduced in proportion if the system
 * allows too few open files for all connections, because a process without free file descriptors cannot start its
 * threads and exits.
 */
function connectionsWithin(
  files: number | undefined,
  { smtpConnections, inboundConnections }: Config,
  log: Log,
): Pick<PlacedConfig, 'httpConnections' | 'smtpConnections' | 'inboundConnections'> {
  const wanted = { httpConnections: MAX_CONNECTIONS, smtpConnections, inboundConnections }
  const needed = OWN_FILES + MAX_CONNECTIONS + smtpConnections + inboundConnections
  if (files === undefined || files >= needed) return wanted
  const within = (connections: number): number => Math.max(1, Math.floor((connections * files) / needed))
  const fitting = {
    httpConnections: within(MAX_CONNECTIONS),
    smtpConnections: within(smtpConnections),
    inboundConnections: within(inboundConnections),
  }
  log.warn(
    { files, ...fitting },
    `The system allows this process ${files} open files, too few for all connections: the ports accept fewer connections. Raise the limit to ${needed} (LimitNOFILE of systemd, ulimit -n).`,
  )
  return fitting
}

/**
 * Returns the maximum number of open files; undefined if unlimited, or if the system does not report the limit (Linux:
 * proc_pid_limits(5)).
 */
function maxOpenFiles(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
