// The scene of a case about mail that did not arrive: the messages of one tenant to an address, written as the service
// writes them.

import assert from 'node:assert/strict'
import { newId } from '../../../src/lib/ids.ts'
import type { Outcome } from '../../../src/model/attempt.ts'
import type { SuppressionReason } from '../../../src/model/suppression.ts'
import { type AcceptMessage, acceptMessage } from '../../../src/store/accepting/accept-message.ts'
import { addBulkRows, openBulk } from '../../../src/store/bulk/bulks.ts'
import { insertRows } from '../../../src/store/database/rows.ts'
import type { Tables } from '../../../src/store/database/schema.ts'
import { type AsynchronousBounce, recordBounce } from '../../../src/store/queue/bounces.ts'
import { recordOutcome } from '../../../src/store/queue/outcomes.ts'
import { cancelRecipients, pauseQueue } from '../../../src/store/queue/queue-control.ts'
import { suppress } from '../../../src/store/workspace/suppressions.ts'
import type { Answer, TestApp } from '../app.ts'
import { messageTo } from '../queued.ts'
import { plainToken, RawSmtpClient } from '../raw-smtp-client.ts'
import type { Tenant } from '../tenant.ts'
import { until } from '../test-clock.ts'

const DAY_MS = 86_400_000

/** Fields of a message of a scene. */
export interface SceneMessage {
  readonly subject?: string
  readonly stream?: string
  readonly sendAt?: number
  readonly others?: readonly string[]
  readonly daysAgo?: number
  readonly tracked?: boolean
}

/** A reply of a mail host, with the outcome of the attempt. */
export interface SceneOutcome extends Partial<Outcome> {
  readonly code?: number
  readonly enhanced?: string
  readonly text?: string
  readonly transcript?: string
}

/** One address, and the mail of a tenant to this address; each step happens a second after the step before. */
export class Scene {
  readonly app: TestApp
  readonly tenant: Tenant
  readonly email: string
  #now = Date.now() - 3_600_000

  constructor(app: TestApp, tenant: Tenant, email: string) {
    this.app = app
    this.tenant = tenant
    this.email = email
  }

  get #rows() {
    const { accountId: account_id, domainId: domain_id } = this.tenant.owner
    return { account_id, domain_id }
  }

  /** Calls the API with the Sending key of the tenant. */
  call(method: string, path: string, body?: object, key = this.tenant.sendingKey): Promise<Answer> {
    return this.app.callWith(method, path, body, { authorization: `Bearer ${key}` })
  }

  /** Asks about the address. */
  ask(query: Readonly<Record<string, string>> = {}, key?: string): Promise<Answer> {
    const asked = new URLSearchParams({ email: this.email, ...query })
    return this.call('GET', `/v1/explain?${asked}`, undefined, key)
  }

  /** Accepts a message to the address, and returns the ID of the message. */
  async message(fields: SceneMessage = {}): Promise<string> {
    const { subject = 'Hello', stream = 'transactional', sendAt = null, others = [], daysAgo = 0 } = fields
    this.#now += 1_000
    const at = this.#now - daysAgo * DAY_MS
    const item: AcceptMessage = messageTo(this.tenant.owner, [this.email, ...others])
    const id = newId('msg', at)
    const accepted = await this.app.store.write(acceptMessage, {
      ...item,
      ...(fields.tracked ? { detail: { tracking: { opens: true, links: true } } } : {}),
      message: { ...item.message, id, subject, stream, send_at: sendAt, created_at: at },
    })
    assert.equal(accepted.kind, 'accepted')
    return id
  }

  /** Ends the attempt for one recipient of a message. */
  async end(
    id: string,
    status: Outcome['status'],
    { code = 250, enhanced = '2.0.0', text = 'ok', transcript = 'x', ...outcome }: SceneOutcome = {},
    position = 0,
  ): Promise<void> {
    this.#now += 1_000
    const now = this.#now
    const { read, write } = this.app.store
    const { account_id: accountId, domain_id: domainId } = this.#rows
    // A claim of the queue manager would take the recipients of all scenes.
    const lease = newId('nod')
    const [leased] = await read
      .updateTable('queue')
      .set({ state: 'active', lease, lease_until: Date.now() + DAY_MS, active_since: now })
      .where('message_id', '=', id)
      .where('position', '=', position)
      .returning(['stream', 'attempts'])
      .execute()
    assert.ok(leased, 'the recipient is in the queue')
    const claimed = {
      ...{ messageId: id, position, accountId, domainId, stream: leased.stream, email: this.email },
      ...{ attempt: Number(leased.attempts) + 1, possibleDuplicate: false, createdAt: now, tag: null },
      ...{ recipientCount: 2, inboxId: null },
    }
    const isEnded = await write(recordOutcome, {
      ...{ claimed, lease, now },
      outcome: { status, reason: 'The receiving host answered.', ...outcome },
      attempt: {
        ...{ startedAt: now, durationMs: 5, mx: 'mx.receiver.example', transcript },
        reply: { code, enhanced, text },
      },
      nextAttemptAt: status === 'deferred' ? now + DAY_MS : null,
    })
    assert.ok(isEnded, 'the attempt has ended')
  }

  deliver(id: string): Promise<void> {
    return this.end(id, 'delivered', { text: 'queued as 4F2A' })
  }

  /** Ends a message with a permanent refusal; `hard` refusals are about the address. */
  refuse(id: string, hard = true): Promise<void> {
    return this.end(
      id,
      'bounced',
      hard
        ? { category: 'mailbox_not_found', hard, code: 550, enhanced: '5.1.1', text: 'No such user' }
        : { category: 'content', hard, code: 554, enhanced: '5.7.1', text: 'Looks like spam' },
    )
  }

  defer(id: string): Promise<void> {
    return this.end(id, 'deferred', { category: 'rate_limited', code: 451, enhanced: '4.7.1', text: 'Later' })
  }

  giveUp(id: string, category: 'expired' | 'tls' | 'dns' = 'expired'): Promise<void> {
    return this.end(id, 'failed', { category, reason: 'The retry schedule has ended.' })
  }

  /** Records a bounce report about a delivered message. */
  async bounceLater(id: string, more: Partial<AsynchronousBounce> = {}): Promise<void> {
    this.#now += 1_000
    const report: AsynchronousBounce = {
      ...{ type: 'bounced', category: 'mailbox_full', hard: false, reason: 'The mailbox is full.' },
      ...{ smtpCode: 552, diagnostic: '5.2.2 Over quota', mx: 'mx.inner.example', finalRecipient: undefined },
      ...more,
    }
    assert.equal(
      await this.app.store.write(recordBounce, { messageId: id, position: 0, report, now: this.#now }),
      'recorded',
    )
  }

  async complain(id: string): Promise<void> {
    this.#now += 1_000
    const report = { type: 'complained', feedbackType: 'abuse', userAgent: undefined } as const
    await this.app.store.write(recordBounce, { messageId: id, position: 0, report, now: this.#now })
  }

  /** Records a hit of a tracked link by a person; link -1 is the tracking pixel. */
  async hit(id: string, link = -1): Promise<void> {
    this.#now += 1_000
    const times = { first_at: this.#now, last_at: this.#now }
    await this.insert('tracked_links', {
      ...{ message_id: id, position: 0, link, ...this.#rows, hits: 1, machine_hits: 0 },
      ...times,
    })
  }

  async suppress(
    reason: SuppressionReason = 'manual',
    stream = 'transactional',
    messageId: string | null = null,
  ) {
    this.#now += 1_000
    await this.app.store.write(suppress, {
      ...{ ...this.#rows, stream, email: this.email, reason, message_id: messageId },
      created_at: this.#now,
    })
  }

  async cancel(id: string, by: 'sender' | 'operator' = 'sender'): Promise<void> {
    this.#now += 1_000
    const selection = { owner: this.tenant.owner, messageId: id }
    await this.app.store.write(cancelRecipients, { selection, by, now: this.#now })
  }

  /** Pauses the domain of the address, which is the domain of this scene alone. */
  async pauseDestination(): Promise<void> {
    const value = this.email.slice(this.email.lastIndexOf('@') + 1)
    await this.app.store.write(pauseQueue, { kind: 'destination', value, created_at: this.#now })
  }

  /** Stores a bulk with one row for the address; no worker claims the bulk. */
  async bulk(
    status: Tables['bulks']['status'],
    refusal: string | null = null,
    problem: string | null = null,
  ) {
    this.#now += 1_000
    const id = newId('blk')
    const bulk: Tables['bulks'] = {
      ...{ id, ...this.#rows, key_id: 'key_test', name: 'list.csv', tag: null, stream: 'broadcast', status },
      ...{ template_id: null, subject: 'Hello', problem, total: 1, accepted: 0, refused: 0 },
      retry_at: 0,
      ...{ contents: 0, lease: 'test', lease_until: Date.now() + DAY_MS, created_at: this.#now },
      ...{ finished_at: null, inbox_id: null },
    }
    const content = { bulk_id: id, ...this.#rows, source: Buffer.from('{}'), base: Buffer.from('{}') }
    await this.app.store.write(openBulk, { bulk, content })
    const data = refusal === null ? '{}' : null
    await this.app.store.write(addBulkRows, { bulk, rows: [{ line: 2, email: this.email, data, refusal }] })
    return id
  }

  /** Runs a request or a dialog that is refused, and waits until the request log has the refusal. */
  async refusing<T>(run: () => Promise<T>): Promise<T> {
    const logged = async (): Promise<number> =>
      (await this.app.store.read.selectFrom('refused_recipients').select('hash').execute()).length
    const before = await logged()
    const answer = await run()
    await until('the refusal is in the log', async () => (await logged()) > before)
    return answer
  }

  /** Returns the body of a request that sends to the address. */
  request(fields: object = {}, email = this.email): object {
    const from = `a@${this.tenant.domain.name}`
    return { from, to: [{ email }], subject: 's', text: 't', ...fields }
  }

  /** Sends a request to the API that is refused. */
  async refusedRequest(fields: object = { subject: undefined }, email = this.email): Promise<Answer> {
    const body = this.request(fields, email)
    const answer = await this.refusing(() => this.call('POST', '/v1/messages', body))
    assert.ok(answer.status >= 400, 'the request is refused')
    return answer
  }

  /** Opens an SMTP connection, and logs in with an SMTP credential, by default with the credential of the tenant. */
  async smtp({ username, password } = this.tenant.smtp): Promise<RawSmtpClient> {
    const client = await RawSmtpClient.connect(this.app.app.smtpPort ?? 0)
    await client.reply()
    await client.ask('EHLO client.test')
    await client.ask('STARTTLS')
    await client.upgrade()
    await client.ask('EHLO client.test')
    assert.match(await client.ask(`AUTH PLAIN ${plainToken({ username, password })}`), /^235 /)
    return client
  }

  /** Erases the address through the API. */
  async erase(): Promise<void> {
    const { status, body } = await this.call('POST', '/v1/erasures', { email: this.email })
    assert.equal(status, 200, JSON.stringify(body))
  }

  /** Removes the record of a message, as retention does. */
  async removeRecord(id: string): Promise<void> {
    const { read } = this.app.store
    for (const table of ['recipients', 'attempts', 'events', 'queue', 'message_contents'] as const)
      await read.deleteFrom(table).where('message_id', '=', id).execute()
    await read
      .deleteFrom('messages')
      .where('domain_id', '=', this.#rows.domain_id)
      .where('id', '=', id)
      .execute()
  }

  insert<Table extends keyof Tables & string>(table: Table, row: Tables[Table]): Promise<unknown> {
    return insertRows(this.app.store.read, table, [row])
  }
}
