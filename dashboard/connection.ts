// State of the connection to the service; a lost connection is tested again every few seconds.

type State = 'up' | 'down'

const AGAIN_MS = 3_000

class Connection {
  #state: State = 'up'
  #again: ReturnType<typeof setTimeout> | undefined
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
    else {
      clearTimeout(this.#again)
      this.#again = undefined
    }
    for (const listener of this.#listeners) listener()
  }

  #askAgain(): void {
    const timer = setTimeout(async () => {
      try {
        await fetch('/healthz', { cache: 'no-store' })
        this.set('up')
      } catch {
        // Another call may have received a response in the meantime.
        if (this.#again === timer) this.#askAgain()
      }
    }, AGAIN_MS)
    this.#again = timer
  }
}

export const connection = new Connection()
