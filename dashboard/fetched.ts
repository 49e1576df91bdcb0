// Loads files of the dashboard on demand. The browser loads the document again after a failed load, as soon as the
// service responds.

import { connection } from './connection.ts'
import { keep, readKept } from './kept.ts'

/** Counts the files that are being loaded. */
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
    // A page requests its file during rendering, when no other component may change its state.
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener()
    })
  }
}

export const onTheirWay = new OnTheirWay()

/**
 * Loads a module. If the file of the module cannot be loaded, because the service is unreachable or was updated, the
 * browser reloads the document at the same URL. The document must be loaded again, because Chromium remembers a
 * failed module for the lifetime of a document, and a newer version of the dashboard has other files. Rejects if the
 * file is still missing after the reload.
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
/**
 * Minimum time between two reloads, in milliseconds: a file that is missing shortly after a reload would be missing
 * again.
 */
const MIN_RELOAD_MS = 20_000

/** Reloads the document; returns false if it was reloaded shortly before, or if the reload cannot be remembered. */
function reloads(): boolean {
  const now = Date.now()
  if (now - Number(readKept(RELOADED) ?? 0) < MIN_RELOAD_MS) return false
  keep(RELOADED, String(now))
  if (readKept(RELOADED) !== String(now)) return false
  location.reload()
  return true
}

/** True if the error means that a file of the dashboard could not be loaded; each browser has a different message. */
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
