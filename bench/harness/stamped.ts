// Bytes made once and sent many times: a counter and the time of sending are rewritten in place.

/** Stands for the counter: eight digits. */
export const COUNTER = '########'
/** Stands for the time of sending, in milliseconds since 1970: thirteen digits. */
export const SENT_AT = '@@@@@@@@@@@@@'

const ZERO = 48

/** A prebuilt request or message; `stamp` before each sending, never while one is being sent. */
export class Stamped {
  readonly octets: Buffer
  readonly #counters: readonly number[]
  readonly #times: readonly number[]

  constructor(text: string) {
    this.octets = Buffer.from(text)
    this.#counters = places(this.octets, COUNTER)
    this.#times = places(this.octets, SENT_AT)
  }

  stamp(counter: number, now: number): void {
    for (const at of this.#counters) this.#write(at, COUNTER.length, counter)
    for (const at of this.#times) this.#write(at, SENT_AT.length, now)
  }

  #write(at: number, digits: number, value: number): void {
    let rest = value
    for (let i = at + digits - 1; i >= at; i--) {
      const next = Math.floor(rest / 10)
      this.octets[i] = ZERO + (rest - next * 10)
      rest = next
    }
  }
}

function places(octets: Buffer, mark: string): number[] {
  const found: number[] = []
  for (let at = octets.indexOf(mark); at >= 0; at = octets.indexOf(mark, at + mark.length)) found.push(at)
  return found
}
