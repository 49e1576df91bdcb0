// The worker processes of one node: started one by one on the same ports, restarted when one dies, stopped together.

import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { UnfitSettingsError } from '../model/unfit-settings.ts'

/** Number of the worker process, from 1. The supervisor sets this variable; it is not a setting. */
const NUMBER = 'WORKER_OF_POSTRIDER'
/** Pause before a dead worker is restarted, doubled each time up to the last. */
const FIRST_PAUSE_MS = 500
/** Longest pause after a worker gave up its start, as the reason takes time to change. */
const LAST_PAUSE_MS = 30_000
/**
 * Longest pause after a worker that served requests or was killed: all may be dead at once, and then no client is
 * served.
 */
const LAST_PAUSE_OF_KILLED_MS = 2_000
/** A worker that ran for this long did not fail at its start. */
const HEALTHY_MS = 60_000
/** Time for workers to stop; each ends earlier by itself. */
const STOP_MS = 29_000

/** Message of a worker that serves requests: the text that it would have printed. */
interface Ready {
  readonly ready: string
}

/** Returns the number of this worker; undefined for a process that is no worker. */
export function workerNumber(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const number = Number(env[NUMBER])
  return process.send === undefined || !(number >= 1) ? undefined : number
}

/** Resolves when the supervisor of this worker has ended, possibly while the worker starts. */
export function supervisorEnded(): Promise<'the supervisor has ended'> {
  return new Promise((resolve) => {
    const end = (): void => resolve('the supervisor has ended')
    if (!process.connected) return end()
    process.once('disconnect', end)
    // A listener on the channel would keep a worker alive that cannot start.
    process.channel?.unref()
  })
}

/** Reports to the supervisor that this worker serves requests. */
export function reportReady(text: string): void {
  // `supervisorEnded` handles a supervisor that ends meanwhile.
  if (process.connected) process.send?.({ ready: text } satisfies Ready, undefined, {}, () => {})
}

export interface SupervisorOptions {
  readonly workers: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  /** Resolves with the signal to stop. */
  readonly asked: Promise<NodeJS.Signals>
}

/**
 * Runs the workers until a signal. `onReady` gets the text of the first worker when all serve requests. Throws when
 * the first start of a worker fails; that worker has logged the reason.
 */
export async function superviseWorkers(
  { workers, env, log, asked }: SupervisorOptions,
  onReady: (text: string) => void,
): Promise<void> {
  const supervised = Array.from({ length: workers }, (_, index) => new Worker(index + 1, env, log))
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    await Promise.all(supervised.map((worker) => worker.stop(signal)))
  }
  let text: string | undefined
  try {
    // The first worker creates the tables and the files that all share.
    for (const worker of supervised) {
      const started = await Promise.race([worker.start(), asked.then(() => 'asked' as const)])
      if (started === 'asked') return await stop('SIGTERM')
      text ??= started
    }
  } catch (error) {
    await stop('SIGTERM')
    throw error
  }
  onReady(text ?? '')
  const signal = await asked
  log.info({ signal }, 'stopping')
  await stop(signal)
  log.info({}, 'stopped')
}

/** One worker, across all its processes. */
class Worker {
  readonly #number: number
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #log: Log
  #process: ChildProcess | undefined
  #isStopping = false
  #pauseMs = FIRST_PAUSE_MS

  constructor(number: number, env: Readonly<Record<string, string | undefined>>, log: Log) {
    this.#number = number
    this.#env = env
    this.#log = log
  }

  /**
   * Resolves with its text when it serves requests; restarts follow automatically. Throws when the worker ends
   * before.
   */
  start(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#run(resolve, (code) => {
        const Refusal = code === 2 ? UnfitSettingsError : Problem
        reject(
          new Refusal('unavailable', `Worker ${this.#number} did not start (exit code ${code ?? 'none'}).`),
        )
      })
    })
  }

  /** Stops the worker, and kills a worker that takes too long. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#isStopping = true
    const child = this.#process
    if (child === undefined) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal === 'SIGINT' ? 'SIGTERM' : signal)
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(late)
  }

  #run(onReady: (text: string) => void, onFailed?: (code: number | null) => void): void {
    const began = performance.now()
    let isReady = false
    const child = fork(process.argv[1] as string, process.argv.slice(2), {
      env: { ...this.#env, [NUMBER]: String(this.#number) },
      // The standard output of a worker is for its log alone.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#process = child
    child.on('message', ({ ready }: Ready) => {
      isReady = true
      onReady(ready)
    })
    const onEnd = (code: number | null, signal: string | null): void => {
      this.#process = undefined
      if (this.#isStopping) return
      const gaveUp = !isReady && signal === null
      const again = (): void => (isReady ? this.#run(this.#isBack) : this.#run(onReady, onFailed))
      if (gaveUp && onFailed !== undefined) onFailed(code)
      else void this.#pause({ began, gaveUp, code, signal }).then(() => this.#isStopping || again())
    }
    child.once('exit', onEnd)
    child.on('error', (error) => {
      this.#log.error({ err: error, worker: this.#number }, 'a worker could not be started or reached')
      // The system had no process or no memory for it.
      if (child.pid === undefined) onEnd(null, null)
    })
  }

  /**
   * Waits before another process is started. A stop is not delayed, because the entry point keeps the supervisor
   * alive.
   */
  #pause({ began, gaveUp, code, signal }: End): Promise<void> {
    if (performance.now() - began > HEALTHY_MS) this.#pauseMs = FIRST_PAUSE_MS
    const pauseMs = Math.min(this.#pauseMs, gaveUp ? LAST_PAUSE_MS : LAST_PAUSE_OF_KILLED_MS)
    this.#pauseMs = pauseMs * 2
    this.#log.error(
      { worker: this.#number, code, signal, pause_ms: pauseMs },
      'a worker has ended; it is started again',
    )
    return sleep(pauseMs, undefined, { ref: false })
  }

  readonly #isBack = (): void => this.#log.info({ worker: this.#number }, 'a worker is back')
}

/** End of a worker process. */
interface End {
  /** Start of the process, by `performance.now`. */
  readonly began: number
  /** True if the process ended by itself without having served requests. */
  readonly gaveUp: boolean
  readonly code: number | null
  readonly signal: string | null
}
