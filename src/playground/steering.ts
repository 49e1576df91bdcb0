// Steering addresses: the local part chooses the reply of the built-in mail host, for trying integrations.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import { isCatchAllProbe } from '../model/catch-all-probe.ts'

/** The reply to RCPT TO: a refusal, or acceptance after a delay. */
export interface Steering {
  readonly refusal?: { readonly code: number; readonly text: string }
  readonly delayMs?: number
}

/** A recipient that a client names. */
export interface Asked {
  readonly recipient: string
  /** MAIL FROM; empty for a verification. */
  readonly from: string
  /** Recipient named before on the same connection. */
  readonly before: string | undefined
}

const SLOW_MS = 5_000
const NEVER_MS = 3_600_000
/** Time for which a verification is greylisted; a message is greylisted once. */
const GREYLIST_MS = 10_000

const NOT_FOUND: Steering = { refusal: { code: 550, text: '5.1.1 There is no such mailbox here' } }
const NOT_NOW: Steering = { refusal: { code: 451, text: '4.3.0 Not now, please try again later' } }
const FULL: Steering = { refusal: { code: 552, text: '5.2.2 The mailbox is full' } }

/** Replies by local part; verification derives its results from them. */
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

/** Answers for a catch-all probe address, by the local part that was asked for before it. */
const MADE_UP: ReadonlyMap<string, Steering> = new Map([
  ['catch_all', {}],
  ['catch_all_unknown', NOT_NOW],
])

const GREYLISTED: ReadonlySet<string> = new Set(['greylist', 'greylisted'])

/** True if the mail host has a special reply for this word. */
export const steersServer = (word: string): boolean => GREYLISTED.has(word) || Object.hasOwn(ANSWERS, word)

/** Returns the steering word: the local part without a `+` tag; `-` and `_` are the same. */
export const steeringWord = (recipient: string): string =>
  (recipient.slice(0, recipient.lastIndexOf('@')).split('+', 1)[0] ?? '').toLowerCase().replaceAll('-', '_')

/** Returns replies by local part; remembers greylisted recipients. */
export class Steerer {
  readonly #clock: Clock
  readonly #greylist = cacheOf<number>('playground_greylist')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the reply for a recipient. */
  answer({ recipient, from, before }: Asked): Steering {
    const word = steeringWord(recipient)
    if (GREYLISTED.has(word)) {
      return this.#isPutOff(from, recipient)
        ? { refusal: { code: 451, text: '4.7.1 Greylisted, please try again in a minute' } }
        : {}
    }
    // A verification asks for a catch-all probe address after the address that it verifies.
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
