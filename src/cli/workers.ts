// Supervises the worker processes of one node: starts the workers one after another on the same ports, restarts a
// worker that dies, and stops all workers together.

import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'
import { UnfitSettingsError } from '../model/unfit-settings.ts'

/** Environment variable with the number of the worker process, from 1. Only the supervisor sets this variable. */
const NUMBER = 'WORKER_OF_POSTRIDER'
/** First pause before a dead worker is restarted; the pause doubles with each restart, up to a maximum. */
const FIRST_PAUSE_MS = 500
/**
 * Maximum pause after a worker failed to start. The pause is long, because the cause of the failure rarely changes
 * quickly.
 */
const LAST_PAUSE_MS = 30_000
/**
 * Maximum pause before the restart of a worker that had served requests or was killed, while another worker serves
 * requests.
 */
const LAST_PAUSE_OF_KILLED_MS = 2_000
/**
 * Time for which a worker that starts while no worker serves requests has the processors to itself: other workers wait, so
 * that the node serves requests sooner.
 */
const ALONE_MS = 10_000
/** Interval at which waiting workers look whether they may start. */
const LOOK_MS = 50
/** Pause before the restart of a killed worker while no worker serves requests. */
const PAUSE_OF_ALL_MS = 100
/** Running time after which a worker counts as healthy, so that the next pause is short again. */
const HEALTHY_MS = 60_000
/** Time after which a stopping worker is killed; a worker normally exits earlier. */
const STOP_MS = 29_000

/** Message from a worker to its supervisor: the worker serves requests. Contains the text to print. */
interface Ready {
  readonly ready: string
}

/** Returns the number of this worker; undefined if this process is not a worker. */
export function workerNumber(env: Readonly<Record<string, string | undefined>>): number | undefined {
  const number = Number(env[NUMBER])
  return process.send === undefined || !(number >= 1) ? undefined : number
}

/** Resolves when the supervisor of this worker has ended, even while the worker is starting. */
export function supervisorEnded(): Promise<'the supervisor has ended'> {
  return new Promise((resolve) => {
    const end = (): void => resolve('the supervisor has ended')
    if (!process.connected) return end()
    process.once('disconnect', end)
    // The channel is unreferenced, so that a worker that failed to start is not kept alive by the channel.
    process.channel?.unref()
  })
}

/** Reports to the supervisor that this worker serves requests. */
export function reportReady(text: string): void {
  // Errors are ignored, because `supervisorEnded` handles the end of the supervisor.
  if (process.connected) process.send?.({ ready: text } satisfies Ready, undefined, {}, () => {})
}

export interface SupervisorOptions {
  readonly workers: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  /** Resolves with the signal that stops the node. */
  readonly asked: Promise<NodeJS.Signals>
}

/**
 * Runs the workers until a signal arrives. Calls `onReady` with the text of the first worker once all workers serve
 * requests. Throws if the first start of a worker fails; the failed worker has logged the reason.
 */
export async function superviseWorkers(
  { workers, env, log, asked }: SupervisorOptions,
  onReady: (text: string) => void,
): Promise<void> {
  const supervised: Worker[] = Array.from(
    { length: workers },
    (_, index) => new Worker(index + 1, env, log, () => supervised),
  )
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    await Promise.all(supervised.map((worker) => worker.stop(signal)))
  }
  let text: string | undefined
  try {
    // The first worker creates the tables and the files that all workers share.
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

/** One numbered worker; several processes may run as this worker one after another. */
class Worker {
  readonly #number: number
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #log: Log
  readonly #all: () => readonly Worker[]
  #process: ChildProcess | undefined
  /** Time of the start of the process, from `performance.now`. */
  #began = 0
  #serves = false
  #isStopping = false
  #pauseMs = FIRST_PAUSE_MS

  /** @param all returns all workers of the node */
  constructor(
    number: number,
    env: Readonly<Record<string, string | undefined>>,
    log: Log,
    all: () => readonly Worker[],
  ) {
    this.#number = number
    this.#env = env
    this.#log = log
    this.#all = all
  }

  /** True while a process of this worker serves requests. */
  get serves(): boolean {
    return this.#serves
  }

  /** True while a process of this worker starts, for a limited time. */
  get isStarting(): boolean {
    return this.#process !== undefined && !this.#serves && performance.now() - this.#began < ALONE_MS
  }

  /**
   * Starts the worker, and restarts the worker whenever its process ends. Resolves with the worker's text once the
   * worker serves requests. Throws if the first process exits earlier.
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

  /** Stops the worker, and kills the process if the stop takes too long. */
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
      // Workers write only their log to standard output.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#process = child
    this.#began = began
    child.on('message', ({ ready }: Ready) => {
      isReady = true
      this.#serves = true
      onReady(ready)
    })
    const onEnd = (code: number | null, signal: string | null): void => {
      this.#process = undefined
      this.#serves = false
      if (this.#isStopping) return
      const gaveUp = !isReady && signal === null
      const again = (): void => (isReady ? this.#run(this.#isBack) : this.#run(onReady, onFailed))
      if (gaveUp && onFailed !== undefined) onFailed(code)
      else void this.#pause({ began, gaveUp, code, signal }).then(() => this.#isStopping || again())
    }
    child.once('exit', onEnd)
    child.on('error', (error) => {
      this.#log.error({ err: error, worker: this.#number }, 'a worker could not be started or reached')
      // The system could not create the process, for example for lack of memory.
      if (child.pid === undefined) onEnd(null, null)
    })
  }

  /**
   * Waits before the next process of the worker is started. The wait after a killed process is `PAUSE_OF_ALL_MS` while
   * no worker serves requests, and then lasts until no other worker is starting. The timer is unreferenced, so that the
   * wait does not delay a stop; the entry point keeps the supervisor alive.
   */
  async #pause({ began, gaveUp, code, signal }: End): Promise<void> {
    if (performance.now() - began > HEALTHY_MS) this.#pauseMs = FIRST_PAUSE_MS
    const pauseMs = Math.min(this.#pauseMs, gaveUp ? LAST_PAUSE_MS : LAST_PAUSE_OF_KILLED_MS)
    this.#pauseMs = pauseMs * 2
    this.#log.error(
      { worker: this.#number, code, signal, pause_ms: pauseMs },
      'a worker has ended and is restarted',
    )
    for (let passed = 0; passed < pauseMs && !this.#isStopping; passed += PAUSE_OF_ALL_MS) {
      if (passed > 0 && !gaveUp && !this.#anyServes()) break
      await sleep(PAUSE_OF_ALL_MS, undefined, { ref: false })
    }
    while (!this.#isStopping && !this.#anyServes() && this.#all().some(({ isStarting }) => isStarting)) {
      await sleep(LOOK_MS, undefined, { ref: false })
    }
  }

  #anyServes(): boolean {
    return this.#all().some(({ serves }) => serves)
  }

  readonly #isBack = (): void => this.#log.info({ worker: this.#number }, 'a worker is back')
}

/** Circumstances in which a worker process ended. */
interface End {
  /** Time of the start of the process, from `performance.now`. */
  readonly began: number
  /** True if the process exited without a signal and without having served requests. */
  readonly gaveUp: boolean
  readonly code: number | null
  readonly signal: string | null
}
