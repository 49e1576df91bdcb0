// Records where long timers were started, so that a process that does not end can name the origin of its timers.

import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'

/** Duration from which the origin of a timer is recorded, in milliseconds. */
const LONG_MS = 1_000
/** Number of records above which records of ended timers are dropped. */
const MANY = 2_000

interface Started {
  /** True while the timer keeps the process alive. */
  isPending(): boolean
  readonly origin: string
}

let started: Started[] = []

function record(isPending: Started['isPending'], label: string): void {
  started.push({ isPending, origin: originOf(label) })
  if (started.length > MANY) started = started.filter((one) => one.isPending())
}

/** Records the long timers that this process starts from now on. */
export function recordTimers(): void {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const start = globalThis[name] as (...args: readonly unknown[]) => NodeJS.Timeout
    const recording = (...args: readonly unknown[]): NodeJS.Timeout => {
      const timer = start(...args)
      if (Number(args[1]) >= LONG_MS) record(pendingUntilCleared(timer), `${name} ${args[1]} ms`)
      return timer
    }
    // `util.promisify` reads a property of the function.
    globalThis[name] = Object.defineProperties(recording, Object.getOwnPropertyDescriptors(start)) as never
  }
  const sleep = promises.setTimeout
  promises.setTimeout = ((ms?: number, value?: unknown, options?: { readonly ref?: boolean }) => {
    const slept = sleep(ms, value, options)
    if (Number(ms) >= LONG_MS && options?.ref !== false) {
      let isPending = true
      const end = (): void => {
        isPending = false
      }
      slept.then(end, end)
      record(() => isPending, `sleep ${ms} ms`)
    }
    return slept
  }) as typeof sleep
  syncBuiltinESMExports()
}

/** Returns a function that tells whether a timer keeps the process alive. The record does not keep the timer itself. */
function pendingUntilCleared(timer: NodeJS.Timeout): () => boolean {
  const held = new WeakRef(timer)
  return () => {
    const kept = held.deref() as (NodeJS.Timeout & { readonly _destroyed?: boolean }) | undefined
    return kept !== undefined && kept._destroyed !== true && kept.hasRef()
  }
}

/** Returns the origins of the recorded timers that keep the process alive, each with the number of its timers. */
export function originsOfTimers(): string {
  const origins = started.filter((one) => one.isPending()).map(({ origin }) => origin)
  const counts = Map.groupBy(origins, (origin) => origin)
  return [...counts].map(([origin, { length }]) => `${length} of ${origin}`).join('\n')
}

/**
 * Returns a label with the frames of the callers that belong to files, without those of this file. The frames are a
 * text at once, because an error whose stack nobody has read holds the objects of its frames.
 */
function originOf(label: string): string {
  const frames = (new Error().stack ?? '')
    .split('\n')
    .filter((line) => /^ +at /.test(line) && !line.includes(import.meta.filename))
  return [label, ...frames.slice(0, 6)].join('\n')
}
