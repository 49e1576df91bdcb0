// The place of a process among those of its node: a folder of its own, ports that it shares, connections that it may have.

import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/settings.ts'
import { MAX_CONNECTIONS } from '../http/connections.ts'
import type { Log } from '../lib/log.ts'
import { makeDirectory } from '../lib/whole-file.ts'

/** Settings of a process. */
export interface PlacedConfig extends Config {
  /** Number among the workers, from 1 on; undefined where there is one process. */
  readonly worker: number | undefined
  /** The ports are shared with other processes. */
  readonly sharesPorts: boolean
  /** Holds its lock, its identity and its journal of deliveries; the rest of the data directory is for all workers. */
  readonly nodeDir: string
  /** Folders of workers that an earlier start had and this one has not; its first process takes over from them. */
  readonly formerWorkers: readonly string[]
  /** Connections that its HTTP port has at once. */
  readonly httpConnections: number
}

/** Files of a process beside the connections of its clients: connections to mail hosts, threads, the database. */
const OWN_FILES = 4_096

/**
 * The settings of a process, or of a worker. The first worker has the data directory itself, so that it goes on with what a
 * single process has left there. Each worker has its own port for its metrics.
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

/** The number of workers that the settings ask for. */
export const workersOf = ({ workers }: Pick<Config, 'workers'>): number =>
  workers === 'auto' ? availableParallelism() : workers

/** Folders of workers whose number is higher than that of the workers there are. */
function foldersBeyond(dataDir: string, workers: number): string[] {
  return namesIn(dataDir).flatMap((name) => {
    const number = Number(/^worker-(\d+)$/.exec(name)?.[1])
    return number > workers ? [join(dataDir, name)] : []
  })
}

/** Names in a directory; none where the directory cannot be read, which the opening of the store reports with its remedy. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/**
 * The connections that clients may have. Where the system allows too few open files for all of them, each port has less in
 * proportion: a process without a file left cannot start its threads, and ends.
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
    `The system lets this process have ${files} open files, too few for all connections: ports take fewer of them. Let it have ${needed} (LimitNOFILE of systemd, ulimit -n).`,
  )
  return fitting
}

/** The limit; undefined where there is none, or the system does not tell. Linux: proc_pid_limits(5). */
function maxOpenFiles(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
