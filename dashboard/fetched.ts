// Files of the dashboard that are fetched when they are needed: where one could not be had, the document is loaded anew as
// soon as the service answers.

import { connection } from './connection.ts'
import { keep, readKept } from './kept.ts'

/** Number of files on their way. */
class OnTheirWay {
  #count = 0
  readonly #listeners = new Set<() => void>()

  readonly some = (): boolean => this.#count > 0

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  add(difference: 1 | -1): void {
    this.#count += difference
    // A page asks for its file while it is rendered, when nothing else may change.
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener()
    })
  }
}

export const onTheirWay = new OnTheirWay()

/**
 * The module. Where its file cannot be had, because the service is out of reach or was updated, the document is loaded anew
 * at the address that was asked for: Chromium remembers a module that failed for as long as a document lives, and a newer
 * version has other files. Rejects when the file is missing even then.
 */
export async function fetched<Module>(load: () => Promise<Module>): Promise<Module> {
  onTheirWay.add(1)
  try {
    return await load().catch(async (error: unknown) => {
      if (!isFileMissing(error)) throw error
      while (!(await answers())) await connectionIsUp()
      if (!reloads()) throw error
      return new Promise<never>(() => {})
    })
  } finally {
    onTheirWay.add(-1)
  }
}

const RELOADED = 'reloaded'
/** A document that misses a file so soon after it was loaded anew would miss it again. */
const MIN_RELOAD_MS = 20_000

/** Loads the document anew; false where that was just done, or cannot be remembered. */
function reloads(): boolean {
  const now = Date.now()
  if (now - Number(readKept(RELOADED) ?? 0) < MIN_RELOAD_MS) return false
  keep(RELOADED, String(now))
  if (readKept(RELOADED) !== String(now)) return false
  location.reload()
  return true
}

/** True if the error is that a file of the dashboard could not be loaded, in the words of each browser. */
export const isFileMissing = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|Importing a module|preload CSS|module script failed/.test(error.message)

const answers = (): Promise<boolean> =>
  fetch('/healthz', { cache: 'no-store' }).then(
    () => true,
    () => {
      connection.set('down')
      return false
    },
  )

const connectionIsUp = (): Promise<void> =>
  new Promise((resolve) => {
    const stop = connection.subscribe(() => {
      if (connection.current() !== 'up') return
      stop()
      resolve()
    })
  })
