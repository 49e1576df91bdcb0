// What the local part of an address makes the built-in mail server answer, so that an integration can be tried.

/** The server's answer to RCPT TO: a refusal, or acceptance after a while. */
export interface Steering {
  readonly refusal?: { readonly code: number; readonly text: string }
  readonly delayMs?: number
}

const SLOW_MS = 5_000
const MOST_REMEMBERED = 10_000

/** Reads local parts; remembers who was greylisted. What follows a `+` does not count. */
export class Steerer {
  readonly #seen = new Set<string>()

  /** The answer for a recipient. `from` tells one message from another, as a greylist does. */
  answer(recipient: string, from: string): Steering {
    const local = recipient.slice(0, recipient.lastIndexOf('@')).split('+', 1)[0]?.toLowerCase()
    switch (local) {
      case 'bounce':
        return { refusal: { code: 550, text: '5.1.1 There is no such mailbox here' } }
      case 'defer':
        return { refusal: { code: 451, text: '4.3.0 Not now, please try again later' } }
      case 'full':
        return { refusal: { code: 552, text: '5.2.2 The mailbox is full' } }
      case 'greylist':
        return this.#firstTime(`${from} ${recipient}`)
          ? { refusal: { code: 451, text: '4.7.1 Greylisted, please try again in a minute' } }
          : {}
      case 'slow':
        return { delayMs: SLOW_MS }
      default:
        return {}
    }
  }

  #firstTime(triplet: string): boolean {
    if (this.#seen.has(triplet)) return false
    const oldest = this.#seen.values().next().value
    if (this.#seen.size >= MOST_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest)
    this.#seen.add(triplet)
    return true
  }
}
