// Steering addresses: the local part chooses the reply of the built-in mail host, so that an integration can be tried.

import { cacheOf } from '../lib/caches.ts'
import type { Clock } from '../lib/clock.ts'
import { isMadeUpMailbox } from '../model/catch-all-probe.ts'

/** The server's answer to RCPT TO: a refusal, or acceptance after a while. */
export interface Steering {
  readonly refusal?: { readonly code: number; readonly text: string }
  readonly delayMs?: number
}

/** A recipient that a client asks for. */
export interface Asked {
  readonly recipient: string
  /** MAIL FROM; empty for a verification. */
  readonly from: string
  /** Recipient asked for before on the same connection. */
  readonly before: string | undefined
}

const SLOW_MS = 5_000
const NEVER_MS = 3_600_000
/** Time for which a verification is put off; a message is put off once. */
const GREYLIST_MS = 10_000

const NOT_FOUND: Steering = { refusal: { code: 550, text: '5.1.1 There is no such mailbox here' } }
const NOT_NOW: Steering = { refusal: { code: 451, text: '4.3.0 Not now, please try again later' } }
const FULL: Steering = { refusal: { code: 552, text: '5.2.2 The mailbox is full' } }

/** By the local part; the internal results of verification give themselves. */
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

/** True if the mail host answers differently for such a word. */
export const steersServer = (word: string): boolean => GREYLISTED.has(word) || Object.hasOwn(ANSWERS, word)

/** The word that steers: the local part without what follows a `+`; `-` and `_` are the same. */
export const steeringWord = (recipient: string): string =>
  (recipient.slice(0, recipient.lastIndexOf('@')).split('+', 1)[0] ?? '').toLowerCase().replaceAll('-', '_')

/** Reads local parts; remembers who was greylisted. */
export class Steerer {
  readonly #clock: Clock
  readonly #greylist = cacheOf<number>('playground_greylist')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The answer for a recipient. */
  answer({ recipient, from, before }: Asked): Steering {
    const word = steeringWord(recipient)
    if (GREYLISTED.has(word)) {
      return this.#isPutOff(from, recipient)
        ? { refusal: { code: 451, text: '4.7.1 Greylisted, please try again in a minute' } }
        : {}
    }
    // A verification asks for a catch-all probe address behind the one that it is about.
    if (isMadeUpMailbox(word)) return MADE_UP.get(steeringWord(before ?? '')) ?? NOT_FOUND
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
