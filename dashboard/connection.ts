// State of the connection to the service; asked again every few seconds while it does not answer.

type State = 'up' | 'down'

const AGAIN_MS = 3_000

class Connection {
  #state: State = 'up'
  readonly #listeners = new Set<() => void>()

  readonly current = (): State => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(state: State): void {
    if (state === this.#state) return
    this.#state = state
    if (state === 'down') this.#askAgain()
    for (const listener of this.#listeners) listener()
  }

  #askAgain(): void {
    setTimeout(async () => {
      try {
        await fetch('/healthz', { cache: 'no-store' })
        this.set('up')
      } catch {
        this.#askAgain()
      }
    }, AGAIN_MS)
  }
}

export const connection = new Connection()
