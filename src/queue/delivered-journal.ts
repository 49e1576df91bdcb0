// The journal of deliveries that are not in the store yet: a file that outlives the process, so that a crash sends nothing twice.

import { closeSync, constants, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DELIVERED } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { attempted, DELIVERED_JOURNAL, type RecordOutcome } from '../store/queue/outcomes.ts'
import { keyOf } from './slots.ts'

/** Bytes of a place: a page of memory, so that a note is written whole or not at all. */
const PLACE_BYTES = 4_096
/** So long after the last attempt has ended the file is emptied. */
const EMPTIED_AFTER_MS = 1_000

/** The attempt that a note is of. */
export type Noted = Pick<RecordOutcome, 'claimed' | 'lease'>

/**
 * Between the receiver's 250 and the commit of its outcome lie some milliseconds, in which a killed process would
 * forget that the message was delivered. A line in a file, written without fsync, survives that: it is in the hands
 * of the system. A power cut may lose it; then the message is sent again, with the same Message-ID.
 *
 * Each attempt has a place in the file for itself, from before its dialog until its end is in the store, so that the
 * thread that reads the 250 writes the line, and no other has to know of it.
 */
export class DeliveredJournal {
  readonly #path: string
  readonly #file: number
  /** Places of attempts under way, by the name of their recipient. */
  readonly #open = new Map<string, number>()
  /** Places that were used and are free again; the one freed last is used next, so that the file stays small. */
  readonly #free: number[] = []
  #isEmpty = true
  #isClosed = false
  #emptying: NodeJS.Timeout | undefined

  /** Opens the file in a data directory that this process holds; `left` has the entries of the last process. */
  constructor(dataDir: string) {
    this.#path = join(dataDir, DELIVERED_JOURNAL)
    this.#file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
  }

  /** The outcomes that the last process did not see committed; a line that it could not finish is left out. */
  left(): RecordOutcome[] {
    return readFileSync(this.#path, 'utf8')
      .split(/[\n\0]+/)
      .flatMap((line) => {
        try {
          return line === '' ? [] : [JSON.parse(line) as RecordOutcome]
        } catch {
          return []
        }
      })
  }

  /** Forgets the entries of the last process, once they are in the store. */
  clear(): void {
    ftruncateSync(this.#file)
  }

  /** Opens a place for an attempt; undefined when the journal is closed. `close` has to follow. */
  open({ claimed, lease }: Noted, startedAt: number): JournalPlace | undefined {
    if (this.#isClosed) return undefined
    const key = keyOf(claimed)
    const place = this.#open.get(key) ?? this.#free.pop() ?? this.#open.size
    this.#open.set(key, place)
    this.#isEmpty = false
    // Nothing secret is needed to write the outcome.
    const record = { claimed: attempted(claimed), lease, outcome: DELIVERED, nextAttemptAt: null }
    return {
      ...{ file: this.#file, position: place * PLACE_BYTES, maxBytes: PLACE_BYTES, startedAt },
      record: JSON.stringify(record),
    }
  }

  /** Closes a file of which nothing but `left` and `clear` was called; it keeps its entries. */
  abandon(): void {
    closeSync(this.#file)
  }

  /** Frees the place of an attempt, if it has one: the store has its end, or there is none. */
  close(claimed: Noted['claimed']): void {
    const key = keyOf(claimed)
    const place = this.#open.get(key)
    if (place === undefined) return
    this.#open.delete(key)
    this.#free.push(place)
    if (this.#isClosed) this.#closeFile()
    else this.#emptyLater()
  }

  /** Ends it. Attempts under way can still note their delivery; the last one closes the file. */
  stop(): void {
    clearTimeout(this.#emptying)
    this.#isClosed = true
    this.#closeFile()
  }

  /** Empties the file when nothing is open a moment later: no address stays in it while there is nothing to do. */
  #emptyLater(): void {
    if (this.#open.size > 0 || this.#isEmpty) return
    this.#emptying ??= setTimeout(() => {
      this.#emptying = undefined
      if (this.#open.size === 0) this.#empty()
    }, EMPTIED_AFTER_MS).unref()
  }

  #empty(): void {
    this.#free.length = 0
    this.#isEmpty = true
    ftruncateSync(this.#file)
  }

  #closeFile(): void {
    if (this.#open.size > 0) return
    this.#empty()
    closeSync(this.#file)
  }
}
