// Asks who is logged in to log in once more, for calls that the service refuses to a login of long ago.

/** A waiting call; it is told if the same person has logged in again. */
type Waiting = (again: boolean) => void

class RecentLogin {
  #waiting: readonly Waiting[] = []
  readonly #listeners = new Set<() => void>()

  /** True while the login is asked for. */
  readonly isAsked = (): boolean => this.#waiting.length > 0

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits for a new login; false when the person would rather not. */
  ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#set([...this.#waiting, resolve])
    })
  }

  /** Ends all waiting. */
  settle(again: boolean): void {
    const waiting = this.#waiting
    this.#set([])
    for (const tell of waiting) tell(again)
  }

  #set(waiting: readonly Waiting[]): void {
    this.#waiting = waiting
    for (const listener of this.#listeners) listener()
  }
}

export const recentLogin = new RecentLogin()
