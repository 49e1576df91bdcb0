// Reads what was received: claims messages, has each read and authenticated, and writes the findings with their event.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Resolver } from '../dns/resolver.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Figure } from '../lib/figures.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import type { Authentication, InboundFlag } from '../model/inbound-message.ts'
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
  /** Our name, for results of authentication. */
  readonly hostName: string
  /** Bytes of messages that are read at once, unless it is a single one. */
  readonly memoryBytes: number
  readonly node: NodeName
}

/** Messages that are read at once. */
const MAX_AT_ONCE = 16
/** For what another node received, or left behind. */
const EVERY_MS = 5_000
/** Time for those under way when the node stops. */
const STOP_MS = 3_000
/** A claim ends so long after its node has died. */
const CLAIM_MS = 15_000
const RENEW_MS = CLAIM_MS / 3
/** Pause before a message is begun again that could not be read or written. */
const RETRY_MS = 5 * 60_000
/** After so many tries that ended with the process, a message is not read any more. */
const MAX_TRIES = 3
/** Characters of a text in which the reply is looked for. */
const MAX_REPLY_TEXT = 64 * 1024

/** Reads messages on this node; several nodes share them. */
export class InboundProcessor implements Part {
  readonly name = 'inbound messages'
  readonly #options: InboundProcessorOptions
  /** Token of its claims. */
  readonly #lease: string
  /** Those that are read now, with their ends. */
  readonly #underWay = new Map<ClaimedInbound, Promise<void>>()
  /** Claimed, and waiting for memory. */
  #waiting: readonly ClaimedInbound[] = []
  readonly #counts: Record<string, number> = {}
  readonly #looking: Periodic
  readonly #renewing: Periodic

  constructor(options: InboundProcessorOptions) {
    this.#options = options
    const { clock, log, node } = options
    this.#lease = node.newToken()
    this.#looking = new Periodic({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS, firstMs: 0 },
      failure: 'inbound messages cannot be read',
      step: (stopping) => this.#look(stopping),
    })
    this.#renewing = new Periodic({
      ...{ name: 'claims of inbound messages', clock: systemClock, log, everyMs: RENEW_MS },
      failure: 'the claims of inbound messages cannot be renewed',
      step: () => this.#renew(),
    })
  }

  start(): void {
    this.#renewing.start()
    this.#looking.start()
  }

  async stop(): Promise<void> {
    await this.#looking.stop()
    const ids = this.#claimed().map(({ id }) => id)
    this.#waiting = []
    await Promise.race([Promise.all(this.#underWay.values()), sleep(STOP_MS, undefined, { ref: false })])
    await this.#renewing.stop()
    await this.#options.store.write(releaseInbound, { lease: this.#lease, ids }).catch(() => {})
  }

  /** Tells that there is something to read. */
  wake(): void {
    if (!this.#isStopped) void this.#looking.runAnew()
  }

  get #isStopped(): boolean {
    return this.#looking.stopping.aborted
  }

  figures(): Figure[] {
    return [
      {
        name: 'postrider_inbound_messages_total',
        help: 'Messages for inbound streams that were read on this node, by kind',
        kind: 'counter',
        labels: ['kind'],
        read: () => Object.entries(this.#counts),
      },
    ]
  }

  async #look(stopping: AbortSignal): Promise<void> {
    const { store, clock } = this.#options
    for (let more = true; more && !stopping.aborted; ) {
      const limit = MAX_AT_ONCE - this.#underWay.size
      // The end of each looks again.
      if (limit <= 0 || this.#waiting.length > 0) return
      const now = clock.now()
      // Of those that may have ended a process, one at a time, so that the next end tells which.
      const again = !this.#claimed().some(({ tries }) => tries > 1)
      const claim = { lease: this.#lease, limit, now, until: now + CLAIM_MS, again }
      const claimed = await store.write(claimInbound, claim)
      more = claimed.length === limit
      this.#waiting = claimed
      this.#begin()
    }
  }

  #claimed(): ClaimedInbound[] {
    return [...this.#waiting, ...this.#underWay.keys()]
  }

  async #renew(): Promise<void> {
    const { store, clock } = this.#options
    const ids = this.#claimed().map(({ id }) => id)
    const held = { lease: this.#lease, ids }
    if (ids.length > 0) await store.write(renewInbound, { ...held, until: clock.now() + CLAIM_MS })
  }

  /** Begins with messages that wait, as far as there is memory for them. */
  #begin(): void {
    const { memoryBytes } = this.#options
    let octets = 0
    for (const { size } of this.#underWay.keys()) octets += size
    for (;;) {
      const [next, ...others] = this.#waiting
      if (next === undefined || (octets > 0 && octets + next.size > memoryBytes) || this.#isStopped) return
      this.#waiting = others
      octets += next.size
      const done = this.#process(next).then(() => {
        this.#underWay.delete(next)
        this.#begin()
        this.wake()
      })
      this.#underWay.set(next, done)
    }
  }

  async #process(claimed: ClaimedInbound): Promise<void> {
    const { store, clock, log } = this.#options
    try {
      const findings = await this.#findings(claimed)
      if (await store.write(finishInbound, findings)) {
        this.#counts[findings.kind] = (this.#counts[findings.kind] ?? 0) + 1
      }
    } catch (error) {
      // It is given back as the node stops.
      if (this.#isStopped) return
      log.warn({ err: error, inbound_id: claimed.id }, 'an inbound message was not read')
      const later = { lease: this.#lease, ids: [claimed.id], until: clock.now() + RETRY_MS }
      await store.write(renewInbound, later).catch(() => {})
    }
  }

  async #findings(claimed: ClaimedInbound): Promise<FinishInbound> {
    const { clock } = this.#options
    const raw = claimed.tries > MAX_TRIES ? undefined : await this.#rawOf(claimed)
    const [read, authentication] =
      raw === undefined
        ? [undefined, undefined]
        : await Promise.all([this.#read(claimed, raw), this.#authenticate(claimed, raw)])
    const flags = new Set<InboundFlag>(read?.flags ?? ['unreadable'])
    // RFC 5321 §4.5.5: what came without a sender is a program's, and nobody answers it (RFC 3834 §2).
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

  /** It goes to the thread for each question. */
  async #rawOf({ id }: ClaimedInbound): Promise<Uint8Array | undefined> {
    const stored = await findRawInbound(this.#options.store.read, id)
    if (stored === undefined) return undefined
    const raw = copyForThreads(stored)
    freeBuffers(stored)
    return raw
  }

  async #read({ id, account_id: accountId }: ClaimedInbound, raw: Uint8Array): Promise<ReadMail | undefined> {
    try {
      return await this.#options.reading.run({ accountId }, 'read', raw, raw.length)
    } catch (error) {
      if (this.#isStopped) throw error
      this.#options.log.warn({ err: error, inbound_id: id }, 'an inbound message is kept unread')
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
