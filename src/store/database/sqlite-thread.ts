// Threads that hold an open database and answer numbered questions. Batches are passed to a thread as one text and,
// where possible, in shared memory, because cloning the objects of a batch costs several times as much.

import type { Worker } from 'node:worker_threads'
import { inBatches } from '../../threads/message-batching.ts'
import { startThread } from '../../threads/thread.ts'
import type { FindWrite, Group, ItemResult } from './group-commit.ts'

/** Questions that every thread understands, and the questions of a particular thread. */
export type Question<Own> = { readonly id: number } & (
  | { readonly open: string }
  | { readonly close: true }
  | Own
)

/** Answer of a thread. */
export interface Answer {
  readonly id: number
  /** Names of the migrations that ran when the database was opened. */
  readonly migrated?: readonly string[]
  readonly results?: TransferredResults
  readonly rows?: unknown[]
  /** Duration of the statement in milliseconds. */
  readonly ms?: number
  readonly error?: { readonly message: string; readonly errcode?: number }
}

/**
 * Size of the young generation in MiB; the garbage of a batch is freed at once, so a small value keeps the thread small
 * and costs no time.
 */
const YOUNG_MB = 6

/**
 * Idle threads whose database was closed, by the program that the threads run. Loading a program takes longer than all
 * other steps of opening a store, and a process may open several stores one after the other.
 */
const idle = new Map<string, Worker[]>()

/** A thread that runs a program from `open` to `close`, and is then reused for another database. */
export class Thread {
  readonly #program: string
  readonly #worker: Worker
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  #next = 1
  #serves = false
  #ended: Error | undefined
  #closed: Promise<void> | undefined

  /** @param name name of the thread in the system's list of threads */
  constructor(program: string, name: string) {
    this.#program = program
    this.#worker =
      idle.get(program)?.pop() ?? startThread(new URL(program, import.meta.url), { youngMb: YOUNG_MB }, name)
    this.#worker.ref()
    this.#worker.on('message', this.#hear).on('error', this.#fail).on('exit', this.#exit)
  }

  /** Number of questions without an answer. */
  get asked(): number {
    return this.#waiting.size
  }

  /**
   * Opens a database, and returns the names of the migrations that ran; throws an error with the reason if the database
   * cannot be opened.
   */
  async open(path: string): Promise<readonly string[]> {
    const { error, migrated = [] } = await this.ask({ open: path })
    if (error !== undefined) {
      this.#release()
      throw Object.assign(new Error(error.message), { errcode: error.errcode })
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

  /** Releases the thread for the next store; an idle thread does not prevent the process from ending. */
  #release(): void {
    this.#end(new Error('the store is closed'))
    this.#worker.off('message', this.#hear).off('error', this.#fail).off('exit', this.#exit)
    this.#worker.unref()
    idle.set(this.#program, [...(idle.get(this.#program) ?? []), this.#worker])
  }

  readonly #hear = inBatches((answer: Answer) => {
    this.#waiting.get(answer.id)?.resolve(answer)
    this.#waiting.delete(answer.id)
  })

  readonly #fail = (error: unknown): void => {
    this.#end(error as Error)
    if (!this.#serves) return
    // The node cannot work without this thread, so the node ends and is restarted by its supervisor.
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

/** A batch in the form that is passed to a thread. */
export interface TransferredBatch {
  /** Groups of writes; a group whose write function has `isJson` is a JSON text, any other group is unchanged. */
  readonly groups: readonly (Group | { readonly name: string; readonly json: string })[]
  /** Bytes of the items. */
  readonly memory?: SharedArrayBuffer
}

/** Place of an item's bytes in the shared memory. */
type Place = readonly [at: number, length: number]
type Item = Readonly<Record<string, unknown>>

/**
 * Size of the shared memory, which is larger than the maximum request body; a batch with more bytes is cloned instead.
 * Unused pages take no physical memory.
 */
const MEMORY_BYTES = 16 * 1024 * 1024

/** Packs batches; the shared memory of a batch is reused after `release`. */
export class BatchPacker {
  readonly #find: FindWrite
  readonly #free: SharedArrayBuffer[] = []

  constructor(find: FindWrite) {
    this.#find = find
  }

  pack(groups: readonly Group[]): TransferredBatch {
    const memory = this.#free.pop() ?? new SharedArrayBuffer(MEMORY_BYTES)
    const bytes = Buffer.from(memory)
    let used = 0
    /**
     * Copies bytes or text into the shared memory and returns the place of the copy; undefined if the space is too
     * small.
     */
    const place = (value: string | Uint8Array): Place | undefined => {
      const at = used
      if (at + mostBytesOf(value, bytes.length - at) > bytes.length) return undefined
      if (typeof value === 'string') used += bytes.write(value, at)
      else {
        bytes.set(value, at)
        used += value.length
      }
      return [at, used - at]
    }
    const packed = groups.map((group) => {
      const { isJson, bytesIn } = this.#find(group.name)
      if (!isJson) return group
      if (bytesIn === undefined) return { name: group.name, json: JSON.stringify(group.items) }
      const items: Item[] = []
      for (const item of group.items as readonly Item[]) {
        const placed = place(item[bytesIn] as string | Uint8Array)
        if (placed === undefined) return group
        items.push({ ...item, [bytesIn]: placed })
      }
      return { name: group.name, json: JSON.stringify(items) }
    })
    return { groups: packed, memory }
  }

  release({ memory }: TransferredBatch): void {
    if (memory !== undefined) this.#free.push(memory)
  }
}

/**
 * Returns an upper bound for the size of a value in bytes: three bytes for each character, or the exact size if this
 * bound exceeds `free`.
 */
function mostBytesOf(value: string | Uint8Array, free: number): number {
  if (typeof value !== 'string') return value.length
  return 3 * value.length <= free ? 3 * value.length : Buffer.byteLength(value)
}

/**
 * Restores the groups of writes of a batch. Bytes remain in the shared memory, and are valid until the batch is
 * answered.
 */
export function unpackBatch({ groups, memory }: TransferredBatch, find: FindWrite): Group[] {
  return groups.map((group) => {
    if (!('json' in group)) return group
    const items = JSON.parse(group.json) as Record<string, unknown>[]
    const { bytesIn } = find(group.name)
    if (bytesIn !== undefined && memory !== undefined) {
      for (const item of items) {
        const [at, length] = item[bytesIn] as Place
        item[bytesIn] = new Uint8Array(memory, at, length)
      }
    }
    return { name: group.name, items }
  })
}

/** Results of a batch in the form that is passed back; groups whose write function has `isJson` are JSON texts. */
export type TransferredResults = readonly (ItemResult[] | string)[]

export const packResults = (
  groups: readonly Group[],
  results: readonly ItemResult[][],
  find: FindWrite,
): TransferredResults =>
  results.map((group, index) => (find(groups[index]?.name as string).isJson ? JSON.stringify(group) : group))

/** Returns the buffers of results that are transferred instead of being copied. */
export const transferredOf = (
  groups: readonly Group[],
  results: readonly ItemResult[][],
  find: FindWrite,
): ArrayBuffer[] =>
  results.flatMap((group, index) => {
    const { buffersOf } = find(groups[index]?.name as string)
    if (buffersOf === undefined) return []
    return group.flatMap((result) => ('value' in result ? buffersOf(result.value) : []))
  })

export const unpackResults = (results: TransferredResults): ItemResult[][] =>
  results.map((group) => (typeof group === 'string' ? (JSON.parse(group) as ItemResult[]) : group))
