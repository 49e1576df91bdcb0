// The journal of deliveries that are not in the store yet: a file that outlives the process, so that a crash sends nothing twice.

import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DELIVERED_JOURNAL, type RecordOutcome } from '../store/queue/outcomes.ts'
import { keyOf } from './slots.ts'

/** From this size on it is emptied when nothing is open, and from that size on rewritten with the open entries alone. */
const MIN_EMPTIED_BYTES = 64 * 1024
const MIN_REWRITTEN_BYTES = 4 * 1024 * 1024
/** So long after a delivery was written the file is emptied where nothing else is open. */
const EMPTIED_AFTER_MS = 1_000

/**
 * Between the receiver's 250 and the commit of its outcome lie some milliseconds, in which a killed process would
 * forget that the message was delivered. One line in a file, written without fsync, survives that: it is in the hands
 * of the system. A power cut may lose it; then the message is sent again, with the same Message-ID.
 */
export class DeliveredJournal {
  readonly #path: string
  /** The lines of open entries, by the name of their recipient. */
  readonly #open = new Map<string, string>()
  #file: number
  #size: number
  #closed = false
  #emptying: NodeJS.Timeout | undefined

  /** Opens the file in a data directory that this process holds; `left` has the entries of the last process. */
  constructor(dataDir: string) {
    this.#path = join(dataDir, DELIVERED_JOURNAL)
    this.#file = openSync(this.#path, 'a+', 0o600)
    this.#size = 0
  }

  /** The outcomes that the last process did not see committed; a line that it could not finish is left out. */
  left(): RecordOutcome[] {
    return readFileSync(this.#path, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return line === '' ? [] : [entryOf(JSON.parse(line))]
        } catch {
          return []
        }
      })
  }

  /** Forgets the entries of the last process, once they are in the store. */
  clear(): void {
    ftruncateSync(this.#file)
  }

  /** Notes that the receiver has the message. Never throws: a full disk must not keep the outcome from the store. */
  add(ended: RecordOutcome): void {
    if (this.#closed) return
    const { claimed, attempt } = ended
    // Bulky or secret fields are not needed to write the outcome.
    const kept = {
      ...ended,
      claimed: { ...claimed, relayUrl: null },
      attempt: { ...attempt, transcript: '' },
    }
    const line = `${JSON.stringify(kept)}\n`
    this.#open.set(keyOf(claimed), line)
    try {
      this.#size += writeSync(this.#file, line)
    } catch {
      // The store says so, and stops what can be stopped.
    }
  }

  /** Forgets an entry that the store has. */
  remove({ claimed }: RecordOutcome): void {
    this.#open.delete(keyOf(claimed))
    if (this.#closed) return
    this.#emptyLater()
    try {
      if (this.#open.size === 0 && this.#size > MIN_EMPTIED_BYTES) {
        ftruncateSync(this.#file)
        this.#size = 0
      } else if (this.#size > MIN_REWRITTEN_BYTES) this.#rewrite()
    } catch {
      // It only grows; the next one tries again.
    }
  }

  /** Empties the file when nothing is open a moment later: no address stays in it while there is nothing to do. */
  #emptyLater(): void {
    this.#emptying ??= setTimeout(() => {
      this.#emptying = undefined
      if (this.#closed || this.#size === 0) return
      if (this.#open.size > 0) return this.#emptyLater()
      try {
        ftruncateSync(this.#file)
        this.#size = 0
      } catch {
        // It only grows; the next one tries again.
      }
    }, EMPTIED_AFTER_MS).unref()
  }

  close(): void {
    clearTimeout(this.#emptying)
    if (this.#open.size === 0) ftruncateSync(this.#file)
    closeSync(this.#file)
    this.#closed = true
  }

  #rewrite(): void {
    const lines = [...this.#open.values()].join('')
    writeFileSync(`${this.#path}.new`, lines, { mode: 0o600 })
    renameSync(`${this.#path}.new`, this.#path)
    closeSync(this.#file)
    this.#file = openSync(this.#path, 'a+', 0o600)
    this.#size = Buffer.byteLength(lines)
  }
}

/** An entry as it was written by this version, or by one that kept the lease with the recipient. */
function entryOf(entry: RecordOutcome & { readonly claimed: { readonly lease?: string } }): RecordOutcome {
  return { ...entry, lease: entry.lease ?? entry.claimed.lease }
}
