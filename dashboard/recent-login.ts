// Asks the current user to log in again, for calls that the service refuses after an old login.

/** Callback of a waiting call; the argument is true if the same user has logged in again. */
type Waiting = (again: boolean) => void

class RecentLogin {
  #waiting: readonly Waiting[] = []
  readonly #listeners = new Set<() => void>()

  /** True while the user is asked to log in again. */
  readonly isAsked = (): boolean => this.#waiting.length > 0

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits for a new login; resolves with false if the user cancels. */
  ask(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#set([...this.#waiting, resolve])
    })
  }

  /** Resolves all waiting calls. */
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
