// Transfer of a batch of writes to the writer's thread and back: as one text and, where possible, shared memory, since
// cloning the objects costs several times as much.

import type { FindWrite, Group, ItemResult } from './group-commit.ts'

/** A batch on its way. */
export interface TransferredBatch {
  /** Groups whose write says `isJson`, as JSON; others as they are. */
  readonly groups: readonly (Group | { readonly name: string; readonly json: string })[]
  /** The bytes of their items. */
  readonly memory?: SharedArrayBuffer
}

/** Place of an item's bytes in the shared memory. */
type Place = readonly [at: number, length: number]
type Item = Readonly<Record<string, unknown>>

/** A batch with more bytes is cloned: more than a body may have. What is not used of it takes no memory of the machine. */
const MEMORY_BYTES = 16 * 1024 * 1024

/**
 * Packs batches. The memory of one is used again for a later one, as soon as `giveBack` says that it has been read.
 */
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
    /** Copies bytes or text into the memory; undefined when there is no room. */
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

  giveBack({ memory }: TransferredBatch): void {
    if (memory !== undefined) this.#free.push(memory)
  }
}

/** The bytes of a value, or more where as many are free: a character of a text takes three at most. */
function mostBytesOf(value: string | Uint8Array, free: number): number {
  if (typeof value !== 'string') return value.length
  return 3 * value.length <= free ? 3 * value.length : Buffer.byteLength(value)
}

/** The groups of a batch as they were. Bytes stay in the shared memory: they are good until the batch is answered. */
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

/** The results of a batch on their way back: those of a group whose write says `isJson` as JSON. */
export type TransferredResults = readonly (ItemResult[] | string)[]

export const packResults = (
  groups: readonly Group[],
  results: readonly ItemResult[][],
  find: FindWrite,
): TransferredResults =>
  results.map((group, index) => (find(groups[index]?.name as string).isJson ? JSON.stringify(group) : group))

/** The buffers of results that go back without being copied. */
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
