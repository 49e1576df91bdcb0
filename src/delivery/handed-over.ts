// What was handed over and is not in the store yet: a file that outlives the process, so that a crash sends nothing twice.

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
import type { RecordOutcome } from '../store/outcomes.ts'

const FILE = 'handed-over.jsonl'
/** Emptied from here on when nothing is open; written anew without what is in the store from there on. */
const WORTH_EMPTYING = 64 * 1024
const WORTH_REWRITING = 4 * 1024 * 1024

/**
 * Between the receiver's 250 and the commit of its outcome lie some milliseconds, in which a killed process would
 * forget that the message was delivered. One line in a file, written without fsync, survives that: it is in the hands
 * of the system. A power cut may lose it; then the message is sent again, with the same Message-ID.
 */
export class HandedOver {
  readonly #path: string
  readonly #open = new Map<RecordOutcome, string>()
  #file: number
  #size: number
  #closed = false

  /** Opens the file in a data directory that this process holds; `left` is what the last process did not commit. */
  constructor(dataDir: string) {
    this.#path = join(dataDir, FILE)
    this.#file = openSync(this.#path, 'a+', 0o600)
    this.#size = 0
  }

  /** The outcomes that the last process wrote; a line that it could not finish is left out. */
  left(): RecordOutcome[] {
    return readFileSync(this.#path, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          return line === '' ? [] : [JSON.parse(line) as RecordOutcome]
        } catch {
          return []
        }
      })
  }

  /** Forgets what the last process left, once it is in the store. */
  clear(): void {
    ftruncateSync(this.#file)
  }

  /** The receiver has it. Never throws: a disk that is full must not keep the outcome from the store. */
  add(ended: RecordOutcome): void {
    if (this.#closed) return
    const { claimed, attempt } = ended
    // What is bulky or secret is not needed to write the outcome.
    const kept = {
      ...ended,
      claimed: { ...claimed, relayUrl: null },
      attempt: { ...attempt, transcript: '' },
    }
    const line = `${JSON.stringify(kept)}\n`
    this.#open.set(ended, line)
    try {
      this.#size += writeSync(this.#file, line)
    } catch {
      // The store says so, and stops what can be stopped.
    }
  }

  /** The store has it. */
  remove(ended: RecordOutcome): void {
    this.#open.delete(ended)
    if (this.#closed) return
    try {
      if (this.#open.size === 0 && this.#size > WORTH_EMPTYING) {
        ftruncateSync(this.#file)
        this.#size = 0
      } else if (this.#size > WORTH_REWRITING) this.#rewrite()
    } catch {
      // It only grows; the next one tries again.
    }
  }

  close(): void {
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
