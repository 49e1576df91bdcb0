// Settings of a process among those of its node: its own folder, shared ports, and its share of connections.

import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { MAX_CONNECTIONS } from '../http/connections.ts'
import type { Log } from '../lib/log.ts'
import { makeDirectory } from '../lib/whole-file.ts'

/** Settings of a process. */
export interface PlacedConfig extends Config {
  /** Number of the worker, from 1; undefined with a single process. */
  readonly worker: number | undefined
  /** True if the ports are shared with other processes. */
  readonly sharesPorts: boolean
  /**
   * Folder of its lock, its identity and its journal of deliveries; the rest of the data directory belongs to all
   * workers.
   */
  readonly nodeDir: string
  /** Folders of workers that an earlier start had and this one has not; the first process takes over from them. */
  readonly formerWorkers: readonly string[]
  /** Maximum number of connections of its HTTP port. */
  readonly httpConnections: number
}

/**
 * Number of files that a process needs in addition to its clients' connections: connections to mail hosts, threads, the
 * database.
 */
const OWN_FILES = 4_096

/**
 * Returns the settings of a process or a worker. The first worker uses the data directory itself, so that it continues
 * the work of an earlier single process. Each worker has a port of its own for metrics.
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

/** Returns the number of workers that the settings ask for. */
export const workersOf = ({ workers }: Pick<Config, 'workers'>): number =>
  workers === 'auto' ? availableParallelism() : workers

/** Returns the folders of workers with a number above the current number of workers. */
function foldersBeyond(dataDir: string, workers: number): string[] {
  return namesIn(dataDir).flatMap((name) => {
    const number = Number(/^worker-(\d+)$/.exec(name)?.[1])
    return number > workers ? [join(dataDir, name)] : []
  })
}

/**
 * Returns the names in a directory; none if the directory cannot be read, which the opening of the store reports with
 * its remedy.
 */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/**
 * Returns the numbers of connections that clients may have. If the system allows too few open files for all of them,
 * each port has fewer in proportion: a process without free files cannot start its threads, and ends.
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
    `The system allows this process ${files} open files, too few for all connections: ports take fewer connections. Raise the limit to ${needed} (LimitNOFILE of systemd, ulimit -n).`,
  )
  return fitting
}

/**
 * Returns the limit of open files; undefined without a limit, or if the system does not report it. Linux:
 * proc_pid_limits(5).
 */
function maxOpenFiles(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
