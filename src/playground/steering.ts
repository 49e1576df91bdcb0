// Steering addresses, for testing integrations: the local part selects the reply of the playground's mail host.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import { isCatchAllProbe } from '../model/catch-all-probe.ts'

/** Reply to RCPT TO: a refusal, or an acceptance after a delay. */
export interface Steering {
  readonly refusal?: { readonly code: number; readonly text: string }
  readonly delayMs?: number
}

/** Recipient that a client names in RCPT TO. */
export interface Asked {
  readonly recipient: string
  /** Address in MAIL FROM; empty for a verification probe. */
  readonly from: string
  /** Previous recipient on the same connection. */
  readonly before: string | undefined
}

const SLOW_MS = 5_000
const NEVER_MS = 3_600_000
/** Time for which verification probes are greylisted; a message is greylisted only at its first attempt. */
const GREYLIST_MS = 10_000

const NOT_FOUND: Steering = { refusal: { code: 550, text: '5.1.1 There is no such mailbox here' } }
const NOT_NOW: Steering = { refusal: { code: 451, text: '4.3.0 Not now, please try again later' } }
const FULL: Steering = { refusal: { code: 552, text: '5.2.2 The mailbox is full' } }

/** Replies by local part; a verification derives its result from the reply. */
const ANSWERS: Readonly<Record<string, Steering>> = {
  bounce: NOT_FOUND,
  mailbox_not_found: NOT_FOUND,
  mailbox_disabled: { refusal: { code: 550, text: '5.2.1 The mailbox is disabled' } },
  full: FULL,
  mailbox_full: FULL,
  defer: NOT_NOW,
  smtp_error: NOT_NOW,
  blocked: { refusal: { code: 554, text: '5.7.1 Your host is blocked here' } },
  slow: { delayMs: SLOW_MS },
  timeout: { delayMs: NEVER_MS },
}

/** Replies to a catch-all probe address, by the local part of the previous recipient on the connection. */
const MADE_UP: ReadonlyMap<string, Steering> = new Map([
  ['catch_all', {}],
  ['catch_all_unknown', NOT_NOW],
])

const GREYLISTED: ReadonlySet<string> = new Set(['greylist', 'greylisted'])

/** True if the mail host has a special reply for this steering word. */
export const steersServer = (word: string): boolean => GREYLISTED.has(word) || Object.hasOwn(ANSWERS, word)

/** Returns the steering word of an address: the local part without a `+` tag, in lower case, with `_` for `-`. */
export const steeringWord = (recipient: string): string =>
  (recipient.slice(0, recipient.lastIndexOf('@')).split('+', 1)[0] ?? '').toLowerCase().replaceAll('-', '_')

/** Selects the replies to RCPT TO by local part, and remembers greylisted recipients. */
export class Steerer {
  readonly #clock: Clock
  readonly #greylist = cacheOf<number>('playground_greylist')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the reply to RCPT TO with this recipient. */
  answer({ recipient, from, before }: Asked): Steering {
    const word = steeringWord(recipient)
    if (GREYLISTED.has(word)) {
      return this.#isPutOff(from, recipient)
        ? { refusal: { code: 451, text: '4.7.1 Greylisted, please try again in a minute' } }
        : {}
    }
    // A verification probes for a catch-all immediately after the verified address.
    if (isCatchAllProbe(word)) return MADE_UP.get(steeringWord(before ?? '')) ?? NOT_FOUND
    return Object.hasOwn(ANSWERS, word) ? (ANSWERS[word] as Steering) : {}
  }

  #isPutOff(from: string, recipient: string): boolean {
    const triplet = `${from} ${recipient}`
    const now = this.#clock.now()
    const first = this.#greylist.get(triplet)
    if (first !== undefined) return from === '' && now - first < GREYLIST_MS
    this.#greylist.set(triplet, now)
    return true
  }
}
