// A thread that has a database open and answers numbered questions about it; later, perhaps, about another one.

import { Worker } from 'node:worker_threads'
import type { TransferredResults } from './batch-transfer.ts'

/** Questions to every thread, and those of its own kind. */
export type Question<Own> = { readonly id: number } & (
  | { readonly open: string }
  | { readonly close: true }
  | Own
)

/** Answer of a thread. */
export interface Answer {
  readonly id: number
  /** The migrations that were run when the database was opened. */
  readonly migrated?: readonly string[]
  readonly results?: TransferredResults
  readonly rows?: unknown[]
  readonly error?: { readonly message: string; readonly errcode?: number }
}

/**
 * Size of the young generation: the garbage of a batch is freed at once, so that little room keeps a thread small and
 * costs no time.
 */
const YOUNG_MB = 12

/**
 * Those whose database was closed, by their programs. To load a program takes longer than all else of opening a store,
 * and a process may open several one after the other.
 */
const idle = new Map<string, Worker[]>()

/** A thread that runs this program, from `open` to `close`. */
export class Thread {
  readonly #program: string
  readonly #worker: Worker
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  #next = 1
  #serves = false
  #ended: Error | undefined
  #closed: Promise<void> | undefined

  /** @param name by which the system shows it among the threads */
  constructor(program: string, name: string) {
    this.#program = program
    this.#worker =
      idle.get(program)?.pop() ??
      new Worker(new URL(program, import.meta.url), {
        name,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      })
    this.#worker.ref()
    this.#worker.on('message', this.#hear).on('error', this.#fail).on('exit', this.#exit)
  }

  /** Answers the migrations that were run. Throws what keeps the thread from opening the database. */
  async open(path: string): Promise<readonly string[]> {
    const { error, migrated = [] } = await this.ask({ open: path })
    if (error !== undefined) {
      this.#release()
      throw new Error(error.message)
    }
    this.#serves = true
    return migrated
  }

  ask(question: object): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ id, ...question })
    })
  }

  close(): Promise<void> {
    if (this.#ended !== undefined) return Promise.resolve()
    this.#closed ??= this.ask({ close: true }).then(() => this.#release())
    return this.#closed
  }

  /** Leaves the thread to the next store; while it waits for one, it keeps no process from ending. */
  #release(): void {
    this.#end(new Error('the store is closed'))
    this.#worker.off('message', this.#hear).off('error', this.#fail).off('exit', this.#exit)
    this.#worker.unref()
    idle.set(this.#program, [...(idle.get(this.#program) ?? []), this.#worker])
  }

  readonly #hear = (answer: Answer): void => {
    this.#waiting.get(answer.id)?.resolve(answer)
    this.#waiting.delete(answer.id)
  }

  readonly #fail = (error: unknown): void => {
    this.#end(error as Error)
    if (!this.#serves) return
    // Without this thread the node is of no use: it ends, to be started anew by its supervisor.
    setImmediate(() => {
      throw error
    })
  }

  readonly #exit = (): void => this.#end(new Error('the thread has ended'))

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}
