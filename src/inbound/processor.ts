// Processes inbound messages: claims, parses and authenticates each message, and writes the findings with an event.

import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import { newId } from '../lib/ids.ts'
import { type Claimed, LeasedRuns, type LeaseTime, type Run } from '../lib/leased-runs.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Authentication, InboundFlag, InboundKind } from '../model/inbound-message.ts'
import { MAX_REPORT_BYTES } from '../model/report.ts'
import type { Store } from '../store/database/store.ts'
import {
  type ClaimedInbound,
  claimInbound,
  type FinishInbound,
  findRawInbound,
  finishInbound,
  releaseInbound,
  renewInbound,
} from '../store/inbound/inbound.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { takeReport } from '../store/reports/reports.ts'
import { freeBuffers } from '../threads/free-buffers.ts'
import { copyForThreads } from '../threads/shared-bytes.ts'
import { storedAuthentication } from './authenticate.ts'
import type { ReadMail } from './read-mail.ts'
import type { MailReading } from './reading.ts'

export interface InboundProcessorOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly reading: MailReading
  readonly resolver: Resolver
  /** Name of this installation, for the Authentication-Results field. */
  readonly hostName: string
  /** Maximum total size in bytes of messages that are processed at once; a single message may be larger. */
  readonly memoryBytes: number
  readonly node: NodeName
  /** Called after a report was stored that came to an inbound stream. */
  readonly reportTaken: () => void
}

/** Maximum number of messages that are processed at once. */
const MAX_AT_ONCE = 16
/** Pause between two checks for messages that another node received or released. */
const EVERY_MS = 5_000
/** Maximum time in milliseconds for which a stopping node waits for the messages that are being processed. */
const STOP_MS = 3_000
/** Pause in milliseconds before the next try for a message that could not be processed or written. */
const RETRY_MS = 5 * 60_000
/** Number of crashed attempts to parse a message after which the message is no longer parsed. */
const MAX_TRIES = 3
/** Kinds of messages that are reports about a domain. */
const REPORTS: ReadonlySet<InboundKind> = new Set<InboundKind>(['dmarc_report', 'tls_report'])
/** Maximum number of characters of a text that are searched for the reply. */
const MAX_REPLY_TEXT = 64 * 1024

/**
 * Result of a run: findings written (`done`), to be retried (`later`), node stopped (`stopped`), or lease lost
 * (`lost`).
 */
type ReadEnd = 'done' | 'later' | 'stopped' | 'lost'

/**
 * Limits the memory for messages that are processed at the same time. Admits messages in order of arrival: several
 * small messages, or a single message of any size.
 */
class ReadingMemory {
  readonly #most: number
  readonly #waiting: { readonly size: number; begin(): Promise<void> }[] = []
  #taken = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Calls `begin` as soon as there is memory for `size` bytes, and releases the memory at the end. */
  enter(size: number, begin: () => Promise<void>): void {
    this.#waiting.push({ size, begin })
    this.#next()
  }

  #next(): void {
    for (;;) {
      const [next] = this.#waiting
      if (next === undefined || (this.#taken > 0 && this.#taken + next.size > this.#most)) return
      this.#waiting.shift()
      this.#taken += next.size
      void next.begin().then(() => {
        this.#taken -= next.size
        this.#next()
      })
    }
  }
}

/** Processing of one inbound message. */
class InboundRead implements Run<ReadEnd> {
  readonly claimed: ClaimedInbound
  readonly #memory: ReadingMemory
  readonly #read: () => Promise<ReadEnd>
  readonly #end = Promise.withResolvers<ReadEnd>()
  #isReading = false
  #isStopped = false

  /** @param read processes and writes the message; never rejects */
  constructor(claimed: ClaimedInbound, memory: ReadingMemory, read: () => Promise<ReadEnd>) {
    this.claimed = claimed
    this.#memory = memory
    this.#read = read
  }

  run(): Promise<ReadEnd> {
    this.#memory.enter(this.claimed.size, async () => {
      if (this.#isStopped) return
      this.#isReading = true
      this.#end.resolve(await this.#read())
    })
    return this.#end.promise
  }

  stop(why: ReadEnd): void {
    this.#isStopped = true
    if (this.#isReading && why === 'stopped') setTimeout(this.#end.resolve, STOP_MS, why).unref()
    else this.#end.resolve(why)
  }
}

/** Processes inbound messages on this node; several nodes share the messages. */
export class InboundProcessor implements Part {
  readonly name = 'inbound messages'
  readonly #options: InboundProcessorOptions
  /** Lease token of the claims of this processor. */
  readonly #lease: string
  readonly #runs: LeasedRuns<ClaimedInbound, ReadEnd, InboundRead>
  readonly #counts: Record<string, number> = {}
  #isStopped = false

  constructor(options: InboundProcessorOptions) {
    this.#options = options
    const { clock, log, node, store, memoryBytes } = options
    const lease = node.newToken()
    const memory = new ReadingMemory(memoryBytes)
    this.#lease = lease
    this.#runs = new LeasedRuns<ClaimedInbound, ReadEnd, InboundRead>({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS },
      claim: (time) => this.#claim(time),
      async renew(held, until) {
        const ids = new Set(await store.write(renewInbound, { lease, ids: idsOf(held), until }))
        return held.filter(({ id }) => ids.has(id))
      },
      begin: (claimed) => new InboundRead(claimed, memory, () => this.#process(claimed)),
      async release(held, end) {
        const one = { lease, ids: idsOf([held]) }
        if (end === 'stopped') await store.write(releaseInbound, one)
        if (end === 'later') await store.write(renewInbound, { ...one, until: clock.now() + RETRY_MS })
      },
      ends: { lost: 'lost', stopped: 'stopped' },
    })
  }

  start(): void {
    this.#runs.start()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#runs.stop()
  }

  /** Checks now whether there are messages to process. */
  wake(): void {
    this.#runs.wake()
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_inbound_messages_total',
        help: 'Messages for inbound streams that were processed on this node, by kind',
        kind: 'counter',
        labels: ['kind'],
        read: () => Object.entries(this.#counts),
      },
    ]
  }

  async #claim({ now, until }: LeaseTime): Promise<Claimed<ClaimedInbound>> {
    const limit = MAX_AT_ONCE - this.#runs.size
    if (limit <= 0) return { held: [], hasMore: false }
    // Messages that may have ended a process are processed one at a time, so that the next crash identifies the
    // message.
    const again = !this.#runs.runs().some(({ claimed }) => claimed.tries > 1)
    const held = await this.#options.store.write(claimInbound, {
      lease: this.#lease,
      limit,
      now,
      until,
      again,
    })
    return { held, hasMore: held.length === limit }
  }

  async #process(claimed: ClaimedInbound): Promise<ReadEnd> {
    const { store, log } = this.#options
    try {
      const findings = await this.#findings(claimed)
      if (await store.write(finishInbound, findings)) {
        this.#counts[findings.kind] = (this.#counts[findings.kind] ?? 0) + 1
        if (REPORTS.has(findings.kind)) await this.#takeReport(claimed)
      }
      return 'done'
    } catch (error) {
      if (this.#isStopped) return 'stopped'
      log.warn({ err: error, inbound_id: claimed.id }, 'an inbound message was not processed')
      return 'later'
    }
  }

  /** Stores a DMARC or TLS report that came to an inbound stream like a report to the address for reports. */
  async #takeReport(claimed: ClaimedInbound): Promise<void> {
    const { store, clock, reportTaken } = this.#options
    const raw = await findRawInbound(store.read, claimed.id)
    if (raw === undefined || raw.length > MAX_REPORT_BYTES * 1.5) return
    const now = clock.now()
    await store.write(takeReport, {
      ...{ id: newId('rpt', now), raw, now, helo: claimed.helo },
      owner: { accountId: claimed.account_id, domainId: claimed.domain_id },
      ...{ mailFrom: claimed.mail_from, clientAddress: claimed.client_address },
    })
    reportTaken()
  }

  async #findings(claimed: ClaimedInbound): Promise<FinishInbound> {
    const { clock } = this.#options
    const raw = claimed.tries > MAX_TRIES ? undefined : await this.#rawOf(claimed)
    const [read, authentication] =
      raw === undefined
        ? [undefined, undefined]
        : await Promise.all([this.#read(claimed, raw), this.#authenticate(claimed, raw)])
    const flags = new Set<InboundFlag>(read?.flags ?? ['unreadable'])
    // RFC 5321 §4.5.5: a message with the null sender is automatic and must not be answered (RFC 3834 §2).
    if (claimed.mail_from === '') flags.add('auto_submitted')
    const parsed = read && { ...read.parsed, reply_text: await this.#reply(claimed, read.parsed.text) }
    return {
      id: claimed.id,
      kind: read?.kind ?? 'message',
      flags: [...flags],
      authentication: authentication === undefined ? null : storedAuthentication(authentication),
      from: parsed?.from[0],
      subject: parsed?.subject ?? '',
      headerMessageId: parsed?.message_id ?? null,
      parsed: parsed === undefined ? null : JSON.stringify(parsed),
      now: clock.now(),
    }
  }

  /** Returns the raw message in memory that threads share, because each job in the thread gets the message. */
  async #rawOf({ id }: ClaimedInbound): Promise<Uint8Array | undefined> {
    const stored = await findRawInbound(this.#options.store.read, id)
    if (stored === undefined) return undefined
    const raw = await copyForThreads(stored)
    freeBuffers(stored)
    return raw
  }

  async #read({ id, account_id: accountId }: ClaimedInbound, raw: Uint8Array): Promise<ReadMail | undefined> {
    try {
      return await this.#options.reading.run({ accountId }, 'read', raw, raw.length)
    } catch (error) {
      if (this.#isStopped) throw error
      this.#options.log.warn({ err: error, inbound_id: id }, 'an inbound message stays unparsed')
      return undefined
    }
  }

  async #reply({ account_id: accountId }: ClaimedInbound, text: string | null): Promise<string | null> {
    if (text === null) return null
    const job = text.slice(0, MAX_REPLY_TEXT)
    return this.#options.reading.run({ accountId }, 'reply', job, job.length).catch((error: unknown) => {
      if (this.#isStopped) throw error
      return null
    })
  }

  async #authenticate(claimed: ClaimedInbound, raw: Uint8Array): Promise<Authentication | undefined> {
    const { reading, resolver, hostName, log } = this.#options
    const { id, account_id: accountId, client_address: ip, helo, mail_from: sender } = claimed
    try {
      return await reading.authenticate(accountId, { raw, ip, helo, sender, host: hostName }, resolver)
    } catch (error) {
      if (this.#isStopped) throw error
      log.warn({ err: error, inbound_id: id }, 'an inbound message could not be authenticated')
      return undefined
    }
  }
}

const idsOf = (messages: readonly ClaimedInbound[]): string[] => messages.map(({ id }) => id)
