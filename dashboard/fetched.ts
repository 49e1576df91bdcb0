// Files of the dashboard that are fetched when they are needed: a file that could not be had while the service was out
// of reach is asked for again when it answers.

import { connection } from './connection.ts'

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

/** The module; rejects when the service answers and does not have its file any more. */
export async function fetched<Module>(load: () => Promise<Module>): Promise<Module> {
  onTheirWay.add(1)
  try {
    return await load().catch(async (error: unknown) => {
      if (!isFileMissing(error)) throw error
      while (!(await answers())) await connectionIsUp()
      return load()
    })
  } finally {
    onTheirWay.add(-1)
  }
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
