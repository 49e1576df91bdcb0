// Where the log goes: lines are written behind each other without holding up anybody, and never keep a process from its end.

import { write, writeSync } from 'node:fs'

/** Characters that may wait; lines beyond them are dropped. */
const MAX_WAITING = 4 * 1024 * 1024
/** Pause before a reader that has no room is tried again, in milliseconds. */
const FULL_MS = 100
/** A process that ends pauses so often at most. */
const MAX_PAUSES = 10

/**
 * Writes lines to a file descriptor. What cannot be written waits for the next line: a full disk may get room, a terminal
 * that was closed does not, and neither ends the process or keeps it from its end.
 */
export class LogOutput {
  readonly #fd: number
  #lines: string[] = []
  #waiting = 0
  /** Bytes that were taken from the lines and are not written yet. */
  #rest: Buffer | undefined
  #isInFlight = false
  #pause: NodeJS.Timeout | undefined

  constructor(fd: number) {
    this.#fd = fd
    process.on('exit', () => this.flush())
  }

  write(line: string): void {
    if (this.#waiting + line.length > MAX_WAITING) return
    this.#lines.push(line)
    this.#waiting += line.length
    if (!this.#isInFlight && this.#pause === undefined) this.#writeNext()
  }

  /** Writes what waits at once, as far as there is room for it; what is in flight is left to the system. */
  flush(): void {
    if (this.#isInFlight) this.#rest = undefined
    let pauses = 0
    for (;;) {
      const part = this.#next()
      if (part === undefined) return
      try {
        this.#wrote(part, writeSync(this.#fd, part))
      } catch (error) {
        if (!isFullForNow(error) || ++pauses > MAX_PAUSES) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS)
      }
    }
  }

  #next(): Buffer | undefined {
    if (this.#rest === undefined && this.#lines.length > 0) {
      this.#rest = Buffer.from(this.#lines.join(''))
      this.#lines = []
      this.#waiting = 0
    }
    return this.#rest
  }

  #wrote(part: Buffer, bytes: number): void {
    this.#rest = bytes < part.length ? part.subarray(bytes) : undefined
  }

  readonly #writeNext = (): void => {
    this.#pause = undefined
    const part = this.#next()
    if (part === undefined) return
    this.#isInFlight = true
    write(this.#fd, part, (error, bytes) => {
      this.#isInFlight = false
      if (error === null) {
        this.#wrote(part, bytes)
        this.#writeNext()
      } else if (isFullForNow(error)) {
        this.#pause = setTimeout(this.#writeNext, FULL_MS).unref()
      }
    })
  }
}

/** The reader of a pipe is behind. */
const isFullForNow = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'
