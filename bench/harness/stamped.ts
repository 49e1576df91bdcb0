// Requests and messages that are built once and sent many times; each sending overwrites the counter and the time in
// place.

/** Placeholder for the counter, which has eight digits. */
export const COUNTER = '########'
/** Placeholder for the time of sending in milliseconds since 1970, which has thirteen digits. */
export const SENT_AT = '@@@@@@@@@@@@@'

const ZERO = 48

/** Prebuilt request or message; call `stamp` before each sending, and never while the bytes are being sent. */
export class Stamped {
  readonly bytes: Buffer
  readonly #counters: readonly number[]
  readonly #times: readonly number[]

  constructor(text: string) {
    this.bytes = Buffer.from(text)
    this.#counters = places(this.bytes, COUNTER)
    this.#times = places(this.bytes, SENT_AT)
  }

  stamp(counter: number, now: number): void {
    for (const at of this.#counters) this.#write(at, COUNTER.length, counter)
    for (const at of this.#times) this.#write(at, SENT_AT.length, now)
  }

  #write(at: number, digits: number, value: number): void {
    let rest = value
    for (let i = at + digits - 1; i >= at; i--) {
      const next = Math.floor(rest / 10)
      this.bytes[i] = ZERO + (rest - next * 10)
      rest = next
    }
  }
}

function places(bytes: Buffer, mark: string): number[] {
  const found: number[] = []
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) found.push(at)
  return found
}
