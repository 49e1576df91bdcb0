// The journal of deliveries whose outcomes are not in the store yet: a file that outlives the process, so that no
// message is sent twice after a crash.

import { closeSync, constants, ftruncateSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DELIVERED } from '../model/attempt.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { attempted, DELIVERED_JOURNAL, type RecordOutcome } from '../store/queue/outcomes.ts'
import { keyOf } from './slots.ts'

/** Size of a journal place in bytes: one memory page, so that an entry is written either completely or not at all. */
const PLACE_BYTES = 4_096
/** Delay between the end of the last attempt and the emptying of the journal file, in milliseconds. */
const EMPTIED_AFTER_MS = 1_000

/** Attempt that a journal entry describes. */
export type Noted = Pick<RecordOutcome, 'claimed' | 'lease'>

/**
 * Records deliveries between the receiver's 250 reply and the commit of the outcome. A process that is killed between
 * the reply and the commit would otherwise forget that the message was delivered. A line written to a file without
 * fsync survives the kill, because the operating system holds the written data. A power failure may lose the line; the
 * message is then sent again with the same Message-ID.
 *
 * Each attempt has its own place in the file, opened before the SMTP dialog and released after the outcome is in the
 * store. The thread that reads the 250 reply can therefore write the line without the help of another thread.
 */
export class DeliveredJournal {
  readonly #path: string
  readonly #file: number
  /** Journal places of attempts in progress, by recipient key. */
  readonly #open = new Map<string, number>()
  /** Journal places that are free again; the place freed last is reused first, which keeps the file small. */
  readonly #free: number[] = []
  #isEmpty = true
  #isClosed = false
  #emptying: NodeJS.Timeout | undefined

  /**
   * Opens the journal file in a data directory that this process has locked; `left` returns the entries of the previous
   * process.
   */
  constructor(dataDir: string) {
    this.#path = join(dataDir, DELIVERED_JOURNAL)
    this.#file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
  }

  /** Returns the outcomes that the previous process did not commit; skips an incomplete line. */
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

  /** Removes the entries of the previous process after their outcomes are in the store. */
  clear(): void {
    ftruncateSync(this.#file)
  }

  /** Opens a journal place for an attempt; undefined if the journal is closed. The caller must call `close`. */
  open({ claimed, lease }: Noted, startedAt: number): JournalPlace | undefined {
    if (this.#isClosed) return undefined
    const key = keyOf(claimed)
    const place = this.#open.get(key) ?? this.#free.pop() ?? this.#open.size
    this.#open.set(key, place)
    this.#isEmpty = false
    // The entry contains no secrets, because writing the outcome needs no secrets.
    const record = { claimed: attempted(claimed), lease, outcome: DELIVERED, nextAttemptAt: null }
    return {
      ...{ file: this.#file, position: place * PLACE_BYTES, maxBytes: PLACE_BYTES, startedAt },
      record: JSON.stringify(record),
    }
  }

  /** Closes the file and keeps its entries; for callers that have called only `left` and `clear`. */
  abandon(): void {
    closeSync(this.#file)
  }

  /**
   * Releases the journal place of an attempt, if the attempt has one. Call after the outcome was stored, or if the
   * attempt has no outcome.
   */
  close(claimed: Noted['claimed']): void {
    const key = keyOf(claimed)
    const place = this.#open.get(key)
    if (place === undefined) return
    this.#open.delete(key)
    this.#free.push(place)
    if (this.#isClosed) this.#closeFile()
    else this.#emptyLater()
  }

  /**
   * Closes the journal. Attempts in progress can still write their delivery; the end of the last attempt closes the
   * file.
   */
  stop(): void {
    clearTimeout(this.#emptying)
    this.#isClosed = true
    this.#closeFile()
  }

  /**
   * Empties the file after a delay unless a place is open then, so that no recipient address stays in the file of an
   * idle node.
   */
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
