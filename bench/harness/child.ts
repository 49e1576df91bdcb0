// Runs each part of a measurement in its own child process; the parent calls functions of a child process over IPC.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'

const PROCESSES = join(import.meta.dirname, '../processes')

/** Functions that a child process offers to its parent, by name. */
export type Calls = Record<string, (given: never) => unknown>

interface Question {
  readonly id: number
  readonly name: string
  readonly given: unknown
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: string
}

/** A running child process that offers the functions `C`. The child process ends with its parent. */
export class Child<C extends Calls> {
  readonly #process: ChildProcess
  readonly #exited: Promise<void>
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  #next = 1

  private constructor(process: ChildProcess, file: string) {
    this.#process = process
    process.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if (answer.error === undefined) waiting?.resolve(answer.value)
      else waiting?.reject(new Error(`${file}: ${answer.error}`))
    })
    this.#exited = new Promise((resolve) => {
      process.once('exit', (code) => {
        for (const { reject } of this.#waiting.values()) reject(new Error(`${file} ended with ${code}`))
        this.#waiting.clear()
        resolve()
      })
    })
  }

  /** Starts `bench/processes/<file>`, or a program in another directory; `flags` are options of Node.js. */
  static start<C extends Calls>(file: string, flags: readonly string[] = [], folder = PROCESSES): Child<C> {
    const path = join(folder, file)
    return new Child(
      fork(path, { execArgv: [...process.execArgv, ...flags], serialization: 'advanced' }),
      file,
    )
  }

  get pid(): number {
    return this.#process.pid as number
  }

  /**
   * Calls a function of the child process and returns its result. Rejects if the function throws or the process ends.
   */
  ask<Name extends keyof C & string>(
    name: Name,
    given: Parameters<C[Name]>[0],
  ): Promise<Awaited<ReturnType<C[Name]>>> {
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      this.#process.send({ id, name, given } satisfies Question)
    })
  }

  /** Makes the child process stop its servers, and waits until the process has ended. */
  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect()
    await this.#exited
  }
}

/** Serves the parent's calls until the parent disconnects; then runs `stop` and ends this process. */
export function answerParent(calls: Calls, stop: () => Promise<void> | void = () => {}): void {
  const send = (answer: Answer): void => void process.send?.(answer)
  process.on('message', async ({ id, name, given }: Question) => {
    try {
      send({ id, value: await calls[name]?.(given as never) })
    } catch (error) {
      send({ id, error: (error as Error).stack ?? String(error) })
    }
  })
  process.once('disconnect', async () => {
    await stop()
    process.exit(0)
  })
}
