// Short notices in the corner of the page about completed or failed actions.

import { ProblemError } from '../client.ts'
import { common } from '../texts/en/common.ts'
import { requestOf } from './problem-words.ts'

interface Notice {
  readonly id: number
  readonly message: string
  readonly title: string | undefined
  readonly isProblem: boolean
}

const DONE_MS = 5_000
const PROBLEM_MS = 10_000
const MAX_SHOWN = 5

/** The visible notices. */
class Notices {
  #shown: readonly Notice[] = []
  #last = 0
  readonly #listeners = new Set<() => void>()

  readonly current = (): readonly Notice[] => this.#shown

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  show(notice: Omit<Notice, 'id'>): void {
    const id = ++this.#last
    this.#set([...this.#shown, { ...notice, id }].slice(-MAX_SHOWN))
    setTimeout(() => this.close(id), notice.isProblem ? PROBLEM_MS : DONE_MS)
  }

  readonly close = (id: number): void => this.#set(this.#shown.filter((notice) => notice.id !== id))

  #set(shown: readonly Notice[]): void {
    this.#shown = shown
    for (const listener of this.#listeners) listener()
  }
}

export const notices = new Notices()

export const tell = {
  done(message: string): void {
    notices.show({ message, title: undefined, isProblem: false })
  },
  /** Reports that an action had no effect, for a reason that is no fault of the service. */
  refusal(title: string, message: string): void {
    notices.show({ message, title, isProblem: true })
  },
  problem(error: Error): void {
    // The notice about an internal error of the service contains the request ID.
    const request = error instanceof ProblemError ? requestOf(error) : undefined
    const title = request === undefined ? common.problem.other : `${common.problem.other} (${request})`
    notices.show({ message: error.message, title, isProblem: true })
  },
  /** Reports that an action was carried out with a bad result, and the reason. */
  failed(title: string, reason: string): void {
    notices.show({ message: reason, title, isProblem: true })
  },
}
