// The log output: writes lines in order without delaying other work, and never prevents the process from ending.

import { write, writeSync } from 'node:fs'

/** Maximum waiting characters; further lines are dropped. */
const MAX_WAITING = 4 * 1024 * 1024
/** Pause before a full reader is tried again, in milliseconds. */
const FULL_MS = 100
/** Maximum pauses of an ending process. */
const MAX_PAUSES = 10

/**
 * Writes lines to a file descriptor. Lines that cannot be written wait for the next line: a full disk may get space,
 * a closed terminal does not, and neither ends the process or prevents its end.
 */
export class LogOutput {
  readonly #fd: number
  #lines: string[] = []
  #waiting = 0
  /** Bytes taken from the lines that are not written yet. */
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

  /** Writes waiting lines synchronously, as far as there is space; writes under way are left to the system. */
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

/** True if the reader of a pipe is too slow. */
const isFullForNow = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'
