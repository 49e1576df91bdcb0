// Parses and authenticates inbound messages in a thread, so that no message can block the event loop.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Resolver } from '../dns/resolver.ts'
import type { Authentication } from '../model/inbound-message.ts'
import { FairThreads } from '../threads/worker-pool.ts'
import {
  type AnsweredQuestion,
  type AuthenticateJob,
  answerOf,
  type DnsQuestion,
  questionKey,
} from './authenticate.ts'
import type { ReadingJobs } from './reading-thread.ts'

/** Time limits in milliseconds; a mail of usual size takes 2 to 20 ms, and a mail of 25 MB about a second. */
const TIMES = { firstSlice: 2_000, long: 20_000 }
const HEAP_MB = 512
/** The number of waiting messages is unlimited, because the number of claimed messages is limited. */
const MAX_WAITING = Number.MAX_SAFE_INTEGER

/**
 * Maximum number of DNS queries and of rounds for one message, and maximum total time in milliseconds. SPF alone allows
 * about forty queries (RFC 7208 §4.6.4).
 */
const MAX_QUESTIONS = 100
const MAX_ROUNDS = 25
const MAX_DNS_MS = 15_000

/** The thread that parses and authenticates messages, which starts with the first message. */
export class MailReading extends FairThreads<ReadingJobs> {
  readonly name = 'inbound reading'
  readonly #dnsMs: number

  /** @param dnsMs time for all DNS answers for one message, in milliseconds */
  constructor({ dnsMs = MAX_DNS_MS }: { readonly dnsMs?: number } = {}) {
    super({
      program: new URL('./reading-thread.ts', import.meta.url),
      heapMb: HEAP_MB,
      maxQuick: 1,
      ...{ times: TIMES, maxWaiting: MAX_WAITING, jobWeight: 1 },
      failed: (reason) => new Error(`the message was not read: ${reason}`),
      refused: { full: () => new Error('too many messages wait'), gone: () => new Error('nobody waits') },
      stopped: () => new Error('the message was not read: the node stops'),
    })
    this.#dnsMs = dnsMs
  }

  /**
   * Authenticates a message as mailauth does. The thread sends no DNS queries and never waits: the thread returns the
   * questions without a known answer, and runs again with the answers. Questions without an answer in time stay
   * unanswered.
   */
  async authenticate(
    accountId: string,
    mail: Omit<AuthenticateJob, 'known'>,
    resolver: Resolver,
  ): Promise<Authentication> {
    const known = new Map<string, AnsweredQuestion>()
    let leftMs = this.#dnsMs
    for (let round = 1; ; round++) {
      const job = { ...mail, known: [...known.values()] }
      const result = await this.run({ accountId }, 'authenticate', job, 0)
      const asked = result.missing.slice(0, MAX_QUESTIONS - known.size)
      if (asked.length === 0 || leftMs <= 0 || round === MAX_ROUNDS) return result.authentication
      const answering = asked.map(async (question) => {
        known.set(questionKey(question), { ...question, answer: await ask(resolver, question) })
      })
      // Only the time of DNS queries counts, and not the time in which the thread was busy with other messages.
      const askedAt = performance.now()
      await within(leftMs, Promise.all(answering))
      leftMs -= performance.now() - askedAt
    }
  }
}

/** Waits for work, but no longer than `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  try {
    await Promise.race([work, sleep(ms, undefined, { signal: timer.signal }).catch(() => {})])
  } finally {
    timer.abort()
  }
}

async function ask(resolver: Resolver, { type, name }: DnsQuestion): Promise<AnsweredQuestion['answer']> {
  switch (type) {
    case 'TXT':
      return answerOf(await resolver.txt(name), (text) => [text])
    case 'A':
      return answerOf(await resolver.a(name), String)
    case 'AAAA':
      return answerOf(await resolver.aaaa(name), String)
    case 'CNAME':
      return answerOf(await resolver.cname(name), String)
    case 'MX':
      return answerOf(await resolver.mx(name), ({ preference, exchange }) => ({
        priority: preference,
        exchange,
      }))
    case 'PTR': {
      const ip = addressOfArpa(name)
      return ip === undefined ? { code: 'EBADNAME' } : answerOf(await resolver.ptr(ip), String)
    }
  }
}

/** Returns the IP address of a name below `in-addr.arpa` (RFC 1035 §3.5) or `ip6.arpa` (RFC 3596 §2.5). */
function addressOfArpa(name: string): string | undefined {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  const [zone, arpa] = labels.slice(-2)
  const reversed = labels.slice(0, -2).reverse()
  if (arpa !== 'arpa') return undefined
  if (zone === 'in-addr' && reversed.length === 4) return reversed.join('.')
  if (zone !== 'ip6' || reversed.length !== 32) return undefined
  return (reversed.join('').match(/.{4}/g) ?? []).join(':')
}
