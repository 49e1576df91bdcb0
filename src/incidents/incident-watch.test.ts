// Tests of the whole way of an incident, with real attempts, the readers of the event log, and the job: opened, told,
// shown, muted and closed, on both databases; and a day of 200,000 mails.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { claim, createOwner, type Held, messageTo, NOW } from '../../test/support/queued.ts'
import { randomOf } from '../../test/support/simulated-days.ts'
import { DATABASES, type DatabaseName, openTestStore } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { thorough } from '../../test/support/thorough.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { PublicUrl } from '../lib/public-url.ts'
import { OBJECT_EVENTS } from '../model/event.ts'
import type { Reply } from '../model/reply.ts'
import type { ServiceMail } from '../model/service-mail.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import { createUser } from '../store/access/accounts.ts'
import type { Store } from '../store/database/store.ts'
import { type FeedEvent, readFeed } from '../store/events/feed.ts'
import { domainsSendingFrom } from '../store/incidents/incident-facts.ts'
import { incidentViews, listIncidents } from '../store/incidents/incident-reads.ts'
import { closeIncident, muteIncident, openIncident } from '../store/incidents/incidents.ts'
import type { Owner } from '../store/messages/owner.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { recordOutcome } from '../store/queue/outcomes.ts'
import { readWholeLog } from '../store/readers/log-readers.ts'
import { IncidentNotices } from './incident-notices.ts'
import { IncidentWatch } from './incident-watch.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const SOURCES = ['192.0.2.7', '192.0.2.8'] as const

/** Providers of a domain's mail with their mail hosts and their parts of the mail. */
const PROVIDERS = [
  { name: 'Gmail', mx: 'gmail-smtp-in.l.google.com', part: 0.4 },
  { name: 'Outlook.com', mx: 'outlook-com.olc.protection.outlook.com', part: 0.2 },
  { name: 'Yahoo', mx: 'mta5.am0.yahoodns.net', part: 0.2 },
  { name: 'iCloud', mx: 'mx01.mail.icloud.com', part: 0.1 },
  { name: null, mx: 'mx.receiver.example', part: 0.1 },
] as const

const TSS04: Reply = {
  code: 421,
  enhanced: '4.7.0',
  text: '[TSS04] Messages from 192.0.2.8 temporarily deferred due to unexpected volume or user complaints',
}
const UNKNOWN: Reply = { code: 550, enhanced: '5.1.1', text: 'The mailbox does not exist' }

/** A refusal of one attempt; undefined for a delivery. */
type Refusal = { readonly reply: Reply; readonly category: 'rate_limited' | 'mailbox_not_found' } | undefined
interface Attempted {
  readonly provider: (typeof PROVIDERS)[number]
  readonly source: string
  readonly tag: string | null
}

/** Returns the provider whose part of the mail contains a number from 0 to 1. */
function providerAt(place: number): (typeof PROVIDERS)[number] {
  let end = 0
  for (const provider of PROVIDERS) {
    end += provider.part
    if (place < end) return provider
  }
  return PROVIDERS[0]
}

/** The service of a domain: its mail, minute by minute, and the job that looks for incidents. */
class Service {
  readonly store: Store
  readonly owner: Owner
  readonly clock = new TestClock(NOW)
  readonly mails: (ServiceMail & { readonly at: number })[] = []
  readonly #random = randomOf(1)
  #watch: IncidentWatch
  readonly #node = new NodeName()
  #perMessage = 50

  private constructor(store: Store, owner: Owner) {
    this.store = store
    this.owner = owner
    this.#watch = this.watchOf(this.#node)
  }

  static async open(database: DatabaseName): Promise<Service> {
    const store = await openTestStore(database)
    const owner = await createOwner(store)
    const user = {
      id: newId('usr'),
      email: 'owner@example.com',
      name: null,
      password_hash: 'x',
      created_at: NOW,
    }
    await store.write(createUser, { ...user, role: 'owner', account_id: owner.accountId })
    return new Service(store, owner)
  }

  watchOf(node: NodeName): IncidentWatch {
    const { store, clock } = this
    const send = async (mail: ServiceMail): Promise<boolean> => {
      this.mails.push({ ...mail, at: clock.now() })
      return true
    }
    const notices = new IncidentNotices({
      ...{ store, clock, log: silentLog, send, publicUrl: new PublicUrl('https://mail.example.com') },
    })
    return new IncidentWatch({ store, clock, log: silentLog, node, notices })
  }

  /** Starts the job again, as after a crash. */
  restart(): void {
    this.#watch = this.watchOf(this.#node)
  }

  /** Sends mail for one minute, and looks for incidents at its end. */
  async minute(
    count: number,
    refuse: (attempted: Attempted) => Refusal,
    tag: string | null = null,
  ): Promise<void> {
    const { store, owner, clock } = this
    const start = clock.now()
    const accepted: Promise<unknown>[] = []
    for (let left = count; left > 0; left -= this.#perMessage) {
      const emails = Array.from(
        { length: Math.min(left, this.#perMessage) },
        (_, index) => `r${index}@b.example`,
      )
      const { message, ...rest } = messageTo(owner, emails)
      const id = newId('msg', start)
      accepted.push(
        store.write(acceptMessage, { ...rest, message: { ...message, id, tag, created_at: start } }),
      )
    }
    await Promise.all(accepted)
    const { recipients } = await claim(store, { now: start, bytes: 1e9 })
    await Promise.all(
      recipients.map((held, index) => this.#end(held, start + (index % 60) * 1_000, tag, refuse)),
    )
    clock.jump(MINUTE_MS)
    await readWholeLog(store)
    await this.#watch.run()
  }

  async #end(
    held: Held,
    now: number,
    tag: string | null,
    refuse: (attempted: Attempted) => Refusal,
  ): Promise<void> {
    const provider = providerAt(this.#random())
    const source = SOURCES[this.#random() < 0.5 ? 0 : 1]
    const refusal = refuse({ provider, source, tag })
    const isHard = refusal?.category === 'mailbox_not_found'
    await this.store.write(recordOutcome, {
      ...{ claimed: held, lease: held.lease, now },
      outcome:
        refusal === undefined
          ? { status: 'delivered', reason: 'ok' }
          : { status: isHard ? 'bounced' : 'deferred', reason: 'refused', category: refusal.category },
      attempt: {
        ...{ startedAt: now, durationMs: 5, transcript: 'x', mx: provider.mx, source, tls: 'TLSv1.3' },
        reply: refusal?.reply ?? { code: 250, text: 'ok' },
      },
      nextAttemptAt: refusal === undefined || isHard ? null : now + 15 * MINUTE_MS,
    })
  }

  random(): number {
    return this.#random()
  }

  async incidents() {
    const rows = await listIncidents(this.store.read, [this.owner.domainId], {}, { limit: 50 })
    return incidentViews(this.store.read, rows)
  }

  /** Returns the types and the details of the domain's incident events. */
  async events() {
    await readWholeLog(this.store)
    const events: FeedEvent[] = []
    const query = { domainId: this.owner.domainId, limit: 500, types: new Set(OBJECT_EVENTS) }
    for (let after = -1, end = 0; after !== end; ) {
      after = end
      const page = await readFeed(this.store.read, { ...query, after })
      events.push(...page.events)
      end = page.position
    }
    return events
  }
}

for (const database of DATABASES) {
  const isDear = database === 'postgres'
  const cost = isDear ? thorough('6 CPU s: the same on SQLite is not marked') : {}
  describe(`incidents on ${database}`, cost, () => {
    let service: Service
    beforeEach(async () => {
      service = await Service.open(database)
    })
    afterEach(() => service.store.close())

    test('are opened within four minutes of a sudden failure, told once, and closed', async () => {
      const usual = () => undefined
      for (let minute = 0; minute < 8; minute++) await service.minute(50, usual)
      assert.deepEqual(await service.incidents(), [])
      const began = service.clock.now()
      const blocked = ({ provider, source }: Attempted): Refusal =>
        provider.name === 'Yahoo' && source === '192.0.2.8'
          ? { reply: TSS04, category: 'rate_limited' }
          : undefined
      for (let minute = 0; minute < 4; minute++) await service.minute(100, blocked)
      const [incident, ...others] = await service.incidents()
      assert.ok(incident !== undefined && others.length === 0)
      assert.ok(incident.noticedAt - began <= 4 * MINUTE_MS, `${incident.noticedAt - began}`)
      assert.ok(Math.abs(incident.beganAt - began) <= 5 * MINUTE_MS)
      const { cause, provider, code, scope, state, example } = incident
      assert.deepEqual([state, cause, provider, code], ['open', 'rate_limited', 'Yahoo', 'TSS04'])
      assert.deepEqual(scope, { source_address: '192.0.2.8' })
      assert.equal(example?.smtpCode, 421)
      assert.match(String(incident.evidence[0]?.values.codes), /TSS04/)

      // Further looks, a restart and another node change nothing.
      service.restart()
      await service.minute(50, blocked)
      await service.watchOf(new NodeName()).run()
      const [mail, ...more] = service.mails
      assert.deepEqual([mail?.to, more], ['owner@example.com', []])
      assert.match(
        mail?.subject ?? '',
        /^Yahoo: \d+ % of the delivery attempts of .* from 192\.0\.2\.8 fail, since 2026-01-01 00:\d\d UTC$/,
      )
      for (const part of [
        /Sending address: 192\.0\.2\.8/,
        /TSS04/,
        /What to do: Send less to Yahoo/,
        /\/deliverability\/incidents\/inc_/,
      ])
        assert.match(mail?.text ?? '', part)

      const [event] = await service.events()
      assert.deepEqual(
        [event?.type, event?.messageId, event?.detail.provider],
        ['incident_opened', incident.id, 'Yahoo'],
      )

      for (let minute = 0; minute < 45; minute++) await service.minute(14, usual)
      const [closed, ...none] = await service.incidents()
      assert.ok(closed !== undefined && none.length === 0)
      assert.equal(closed.state, 'closed')
      assert.ok((closed.endedAt ?? 0) - began < 15 * MINUTE_MS)
      assert.match(service.mails[1]?.subject ?? '', /^Over: Yahoo/)
      assert.equal(service.mails.length, 2)
      assert.deepEqual(
        (await service.events()).map(({ type }) => type),
        ['incident_opened', 'incident_closed'],
      )
    })

    test('of a list name the tag, and a muted incident causes no mail', async () => {
      for (let minute = 0; minute < 10; minute++) await service.minute(40, () => undefined, 'receipt')
      const bad = ({ tag }: Attempted): Refusal =>
        tag === 'import' && service.random() < 0.4
          ? { reply: UNKNOWN, category: 'mailbox_not_found' }
          : undefined
      for (let minute = 0; minute < 6; minute++) {
        await service.minute(40, bad, 'import')
        await service.minute(20, bad, 'receipt')
      }
      const [incident, ...others] = await service.incidents()
      assert.ok(incident !== undefined && others.length === 0)
      assert.deepEqual(
        [incident.cause, incident.provider, incident.scope],
        ['list_quality', null, { tag: 'import' }],
      )
      const { accountId } = service.owner
      const until = service.clock.now() + DAY_MS
      assert.equal(await service.store.write(muteIncident, { accountId, id: incident.id, until }), true)
      for (let minute = 0; minute < 50; minute++) await service.minute(10, () => undefined, 'receipt')
      assert.equal((await service.incidents())[0]?.state, 'closed')
      assert.equal(service.mails.length, 1)
    })

    test('of other rooms are one for each name', async () => {
      const { store, owner, clock } = service
      await service.minute(20, () => undefined)
      const sending = await domainsSendingFrom(store.read, '192.0.2.7', NOW - DAY_MS)
      assert.deepEqual(sending, [owner])
      const name = 'listing zen.example 192.0.2.7'
      const listing = {
        ...{ ...owner, name, cause: 'listing' as const, provider: null, code: 'zen.example' },
        ...{ scope: { source_address: '192.0.2.7' }, beganAt: clock.now() },
      }
      const first = await store.write(openIncident, { ...listing, now: clock.now() })
      const second = await store.write(openIncident, { ...listing, now: clock.now() + 1 })
      assert.deepEqual([first.isNew, second], [true, { incidentId: first.incidentId, isNew: false }])
      await service.minute(20, () => undefined)
      assert.match(service.mails[0]?.subject ?? '', /^zen\.example names 192\.0\.2\.7/)
      const end = { domainId: owner.domainId, name, endedAt: clock.now(), now: clock.now() }
      assert.deepEqual(
        [await store.write(closeIncident, end), await store.write(closeIncident, end)],
        [true, false],
      )
      await service.minute(20, () => undefined)
      assert.equal(service.mails.length, 2)
    })
  })
}

describe('a day of 200,000 mails to five providers', thorough('70 CPU s: writes 110,000 attempts'), () => {
  test('tells the owners by 09:30 that Yahoo defers since 09:12, and of the end within an hour', async (context) => {
    const service = await Service.open('sqlite')
    context.after(() => service.store.close())
    const [began, ended] = [9 * 60 + 12, 13 * 60]
    // The result does not depend on the mails after the hour that follows the end.
    for (let minute = 0; minute < ended + 75; minute++) {
      const count = Math.round((200_000 / 1_440) * (1 - 0.7 * Math.cos((2 * Math.PI * minute) / 1_440)))
      await service.minute(count, ({ provider, source }) => {
        const isDeferring =
          provider.name === 'Yahoo' && source === '192.0.2.8' && minute >= began && minute < ended
        const share = isDeferring ? 0.3 : 0.01
        return service.random() < share ? { reply: TSS04, category: 'rate_limited' } : undefined
      })
    }
    const minuteOf = (at: number): number => (at - NOW) / MINUTE_MS
    const incidents = await service.incidents()
    assert.equal(incidents.length, 1)
    const [incident] = incidents
    const [opened, over] = service.mails
    const figures = {
      noticed: minuteOf(incident?.noticedAt ?? 0) - began,
      began: minuteOf(incident?.beganAt ?? 0) - began,
      told: minuteOf(opened?.at ?? 0) - began,
      over: minuteOf(over?.at ?? 0) - ended,
    }
    context.diagnostic(`minutes after the beginning and the end: ${JSON.stringify(figures)}`)
    assert.equal(service.mails.length, 2)
    assert.ok(
      figures.told <= 18 && Math.abs(figures.began) <= 10 && figures.over <= 60,
      JSON.stringify(figures),
    )
    for (const part of [
      /Provider: Yahoo/,
      /192\.0\.2\.8/,
      /Since: 2026-01-01 09:/,
      /Example: message msg_/,
      /What to do: Send less to Yahoo/,
    ])
      assert.match(opened?.text ?? '', part)
  })
})
