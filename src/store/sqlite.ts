// The embedded store: SQLite in two threads, one that writes and one that reads.

import { closeSync, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { OpenDatabase } from './database.ts'
import type { ItemResult } from './group-commit.ts'
import type { Tables } from './schema.ts'

interface Answer {
  readonly id: number
  readonly results?: ItemResult[][]
  readonly rows?: unknown[]
  readonly error?: { message: string; errcode?: number }
}

/** What a batch leaves behind is garbage at once: little room for it keeps a thread small and costs no time. */
const YOUNG_MB = 12

/** A thread that answers numbered questions. */
class Thread {
  /** What the writer ran when it opened the database. */
  readonly migrated: readonly string[]
  readonly #worker: Worker
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  #next = 1
  #ended: Error | undefined

  private constructor(worker: Worker, migrated: readonly string[] = []) {
    this.migrated = migrated
    this.#worker = worker
    worker.on('message', (answer: Answer) => {
      this.#waiting.get(answer.id)?.resolve(answer)
      this.#waiting.delete(answer.id)
    })
    worker.on('error', (error) => {
      this.#end(error as Error)
      // Without this thread the node is of no use: it ends, and whoever runs it starts it anew.
      setImmediate(() => {
        throw error
      })
    })
    worker.on('exit', () => this.#end(new Error('the store is closed')))
  }

  /** Starts the thread and waits until it has opened the database. Throws what kept it from that. */
  static async start(file: string, path: string): Promise<Thread> {
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: { path },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    })
    const first = await new Promise<{ failed?: string; migrated?: string[] }>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    if (first.failed !== undefined) {
      await worker.terminate()
      throw new Error(first.failed)
    }
    return new Thread(worker, first.migrated)
  }

  ask(question: object): Promise<Answer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ id, ...question })
    })
  }

  async close(): Promise<void> {
    if (this.#ended !== undefined) return
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    this.#worker.postMessage('close')
    await exited
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

/** Opens the database file, makes or migrates the tables, and starts both threads. */
export async function openSqliteStore(path: string): Promise<OpenDatabase> {
  // For its owner only: it holds the DKIM keys. SQLite gives its other files the same mode.
  closeSync(openSync(path, 'a', 0o600))
  const writer = await Thread.start('./sqlite-writer-thread.ts', path)
  const reader = await Thread.start('./sqlite-reader-thread.ts', path).catch(async (error: Error) => {
    await writer.close()
    throw error
  })
  return {
    read: new Kysely<Tables>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new ReaderDriver(reader),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
    migrated: writer.migrated,
    commitsAtOnce: 1,
    commit: async (groups) => (await writer.ask({ groups })).results as ItemResult[][],
    async close() {
      await reader.close()
      await writer.close()
    },
  }
}

/** The query builder's driver for a database that only reads, in another thread. */
class ReaderDriver implements Driver {
  readonly #thread: Thread

  constructor(thread: Thread) {
    this.#thread = thread
  }

  async init(): Promise<void> {}

  async acquireConnection() {
    const thread = this.#thread
    return {
      async executeQuery<Row>({ sql, parameters }: CompiledQuery) {
        const { rows, error } = await thread.ask({ text: sql, parameters })
        if (error !== undefined) throw Object.assign(new Error(error.message), { errcode: error.errcode })
        return { rows: rows as Row[] }
      },
      streamQuery(): never {
        throw new Error('the embedded store answers whole results')
      },
    }
  }

  async beginTransaction(): Promise<void> {
    throw new Error('reading needs no transaction; writes go through Store.write')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
