// The journal of deliveries whose outcome is not in the store yet: a file that outlives the process, so that a crash
// sends nothing twice.

import { closeSync, constants, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DELIVERED } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { attempted, DELIVERED_JOURNAL, type RecordOutcome } from '../store/queue/outcomes.ts'
import { keyOf } from './slots.ts'

/** Bytes of a place: one page of memory, so that an entry is written whole or not at all. */
const PLACE_BYTES = 4_096
/** Delay between the end of the last attempt and emptying the file. */
const EMPTIED_AFTER_MS = 1_000

/** The attempt that an entry describes. */
export type Noted = Pick<RecordOutcome, 'claimed' | 'lease'>

/**
 * Remembers deliveries between the receiver's 250 and the commit of the outcome. A process killed in these
 * milliseconds would forget that the message was delivered. A line written to a file without fsync survives the kill,
 * because the operating system holds it. A power cut may lose the line; then the message is sent again with the same
 * Message-ID.
 *
 * Each attempt has its own place in the file from before its dialog until its end is in the store, so that the thread
 * that reads the 250 writes the line alone.
 */
export class DeliveredJournal {
  readonly #path: string
  readonly #file: number
  /** Places of attempts under way, by recipient key. */
  readonly #open = new Map<string, number>()
  /** Places that were used and are free again; the one freed last is reused first, which keeps the file small. */
  readonly #free: number[] = []
  #isEmpty = true
  #isClosed = false
  #emptying: NodeJS.Timeout | undefined

  /** Opens the file in a data directory that this process holds; `left` returns the entries of the previous process. */
  constructor(dataDir: string) {
    this.#path = join(dataDir, DELIVERED_JOURNAL)
    this.#file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
  }

  /** Returns the outcomes that the previous process did not commit; skips a line that it did not finish. */
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

  /** Removes the entries of the previous process once they are in the store. */
  clear(): void {
    ftruncateSync(this.#file)
  }

  /** Opens a place for an attempt; undefined when the journal is closed. The caller must call `close`. */
  open({ claimed, lease }: Noted, startedAt: number): JournalPlace | undefined {
    if (this.#isClosed) return undefined
    const key = keyOf(claimed)
    const place = this.#open.get(key) ?? this.#free.pop() ?? this.#open.size
    this.#open.set(key, place)
    this.#isEmpty = false
    // The entry leaves out secrets, which writing the outcome does not need.
    const record = { claimed: attempted(claimed), lease, outcome: DELIVERED, nextAttemptAt: null }
    return {
      ...{ file: this.#file, position: place * PLACE_BYTES, maxBytes: PLACE_BYTES, startedAt },
      record: JSON.stringify(record),
    }
  }

  /** Closes the file and keeps its entries; for callers that used only `left` and `clear`. */
  abandon(): void {
    closeSync(this.#file)
  }

  /** Releases the place of an attempt, if it has one, because the store has its end or the attempt has none. */
  close(claimed: Noted['claimed']): void {
    const key = keyOf(claimed)
    const place = this.#open.get(key)
    if (place === undefined) return
    this.#open.delete(key)
    this.#free.push(place)
    if (this.#isClosed) this.#closeFile()
    else this.#emptyLater()
  }

  /** Closes the journal. Attempts under way can still write their delivery; the last one closes the file. */
  stop(): void {
    clearTimeout(this.#emptying)
    this.#isClosed = true
    this.#closeFile()
  }

  /** Empties the file if nothing is open a moment later, so that no address stays in the file of an idle node. */
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
