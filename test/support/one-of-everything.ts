// Creates an account with an object of every kind that the API and the dashboard know, and returns the names of the
// objects.

import assert from 'node:assert/strict'
import { newId } from '../../src/lib/ids.ts'
import { summarize } from '../../src/mime/mail-summary.ts'
import type { ParsedInbound } from '../../src/model/inbound-message.ts'
import { addPasskey } from '../../src/store/access/passkeys.ts'
import type { Tables } from '../../src/store/database/schema.ts'
import type { Store } from '../../src/store/database/store.ts'
import { acceptInbound, finishInbound } from '../../src/store/inbound/inbound.ts'
import { createInbox, UNCHANGED } from '../../src/store/inboxes/inboxes.ts'
import { keepTestMail } from '../../src/store/inboxes/new-mails.ts'
import { openIncident, recordIncidentNotice } from '../../src/store/incidents/incidents.ts'
import { grantCredits } from '../../src/store/verification/verification-credits.ts'
import type { Answer, TestApp } from './app.ts'
import { sampleReport } from './dmarc-reports.ts'
import { Person } from './person.ts'
import type { Tenant } from './tenant.ts'
import { until } from './test-clock.ts'
import { addUser } from './users.ts'

export const OWNERS_PASSWORD = 'a long password'

/** Valid bodies for requests that must reach an existing object. */
export const TEMPLATE = { name: 'Mine', subject: 'Mine', text: 'Mine' }
export const LAYOUT = { name: 'Mine', html: '<p>{{{ @content }}}</p>', text: '{{{ @content }}}' }

/** Names of objects by path parameter; `verification_key_id` is the key of another kind. */
export type Everything = Readonly<Record<string, string>>

/**
 * Returns the name under which tests know the object of `:parameter` in a path; webhooks of an account and webhooks of a
 * domain have the same parameters.
 */
export const objectOf = (url: string, parameter: string): string =>
  url.includes('/account-webhooks') ? `account_${parameter}` : parameter

/** Returns the name of the object for `:parameter` in a path. Fails if there is no object for this parameter. */
export function namedIn(url: string, parameter: string, everything: Everything): string {
  return everything[objectOf(url, parameter)] ?? assert.fail(`nothing for :${parameter} of ${url}`)
}

/**
 * Creates an object of every kind in an account, with `mark` in every visible text. The owner of the account is
 * `<mark>@<domain>`, with the password `OWNERS_PASSWORD`.
 */
export async function oneOfEverything(
  app: TestApp,
  { account, domain }: Tenant,
  mark: string,
): Promise<Everything> {
  const accountId = account.id
  const email = `${mark}@${domain.name}`
  const user = {
    account_id: accountId,
    email,
    name: mark,
    role: 'owner' as const,
    password: OWNERS_PASSWORD,
  }
  const { id: user_id } = await addUser(app.store, user)
  const person = await Person.loggedIn(app, { email, password: OWNERS_PASSWORD })
  await app.store.write(grantCredits, { accountId, credits: 10, note: mark, now: Date.now() })
  const make = async (path: string, body: object | string, type = 'application/json') => {
    const answer = await person.call('POST', path, body, { 'content-type': type })
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body as Answer['body']
  }
  const workspace = `/api/domains/${domain.id}`
  const mail = { from: email, to: [{ email: `to@${mark}.example` }], subject: mark, text: mark, tag: mark }
  const { message_id } = await make(`${workspace}/messages`, mail)
  const rows = [{ ...mail, to: undefined }, { to: `row@${mark}.example` }]
  const lines = rows.map((row) => JSON.stringify(row)).join('\n')
  const { bulk_id } = await make(`${workspace}/bulk`, lines, 'application/x-ndjson')
  await until('the bulk is done', async () => {
    const { body } = await person.call('GET', `${workspace}/bulk/${bulk_id}`)
    return body.status === 'done'
  })
  const alias = `${mark}-one`
  const { template_id } = await make(`${workspace}/templates`, { ...TEMPLATE, name: mark, alias })
  const { layout_id } = await make(`${workspace}/layouts`, { ...LAYOUT, name: mark, alias })
  await make(`${workspace}/streams`, { alias, name: mark, kind: 'transactional' })
  await make(`${workspace}/suppressions`, { email: `gone@${mark}.example` })
  const { key_id } = await make('/api/keys', { kind: 'sending', domains: [domain.id], name: mark })
  const { key_id: verification_key_id } = await make('/api/keys', { kind: 'verification', name: mark })
  const { username } = await make('/api/smtp-credentials', { domain: domain.id, name: mark })
  const { webhook_id } = await make(`${workspace}/webhooks`, { url: `https://${mark}.example/` })
  const { delivery_id } = await make(`${workspace}/webhooks/${webhook_id}/test`, {})
  const { webhook_id: account_webhook_id } = await make('/api/account-webhooks', {
    url: `https://account.${mark}.example/`,
    name: mark,
  })
  const { delivery_id: account_delivery_id } = await make(
    `/api/account-webhooks/${account_webhook_id}/test`,
    {},
  )
  const { report_id } = await make(`${workspace}/reports`, sampleReport(domain.name, mark), 'text/xml')
  const { body: authentication } = await person.call('GET', `${workspace}/authentication`)
  const { verification_id } = await make('/api/verification/verifications', [`a@${mark}.example`])
  await until('the list is done', async () => {
    const { body } = await person.call('GET', `/api/verification/verifications/${verification_id}`)
    return body.status === 'done'
  })
  const invitation = await make('/api/invitations', { email: `new@${mark}.example`, role: 'viewer' })
  const { body: sessions } = await person.call('GET', '/api/sessions')
  const passkey = {
    id: newId('pky'),
    user_id,
    account_id: accountId,
    credential_id: mark,
    public_key: Buffer.alloc(1),
    counter: 0,
    transports: '[]',
    name: mark,
    created_at: 0,
    last_used_at: null,
  }
  await app.store.write(addPasskey, passkey)
  return {
    template_id,
    layout_id,
    account_id: accountId,
    domain_id: domain.id,
    domain: domain.id,
    message_id,
    bulk_id,
    id_or_alias: alias,
    version: '1',
    alias,
    email: `gone@${mark}.example`,
    recipient: `to@${mark}.example`,
    key_id,
    username,
    verification_key_id,
    webhook_id,
    delivery_id,
    account_webhook_id,
    account_delivery_id,
    ...(await oneInbox(app, accountId, mark)),
    incident_id: await oneIncident(app, accountId, domain.id, mark),
    inbound_id: await oneInbound(app, accountId, domain.id, mark),
    verification_id,
    report_id,
    source_id: authentication.data[0].source.source_id,
    invitation_id: invitation.invitation_id,
    user_id,
    session_id: sessions.data[0].session_id,
    passkey_id: passkey.id,
  }
}

/** Beginning of each incident, so that the titles of incidents differ by their objects alone. */
const INCIDENT_AT = Date.now()

/** Opens an incident of a domain, of which the owners know; returns its ID. */
export async function oneIncident(
  app: TestApp,
  accountId: string,
  domainId: string,
  mark: string,
): Promise<string> {
  const { incidentId } = await app.store.write(openIncident, {
    ...{
      accountId,
      domainId,
      name: `listing ${mark}`,
      cause: 'listing',
      provider: null,
      code: `${mark}.example`,
    },
    ...{ scope: {}, beganAt: INCIDENT_AT, now: Date.now() },
  })
  await app.store.write(recordIncidentNotice, { id: incidentId, what: 'told_at', now: Date.now() })
  return incidentId
}

/** Creates a test inbox with a mail that has a file. */
export async function oneInbox(app: TestApp, accountId: string, mark: string) {
  const inbox = {
    ...{ id: newId('inb'), account_id: accountId, name: mark, keep_days: 7, keep_messages: 100 },
    ...{ password_hash: '', ...UNCHANGED, created_at: Date.now() },
  }
  await app.store.write(createInbox, { inbox, most: 100 })
  const file = `Content-Type: text/plain\r\nContent-Disposition: attachment; filename="${mark}.txt"\r\n\r\n${mark}\r\n`
  const head = `From: jo@${mark}.example\r\nSubject: ${mark}\r\n`
  const raw = Buffer.from(`${head}${file}`)
  const mail_id = newId('mbx')
  await app.store.write(keepTestMail, {
    ...{ id: mail_id, messageId: mail_id, inboxId: inbox.id, accountId, receivedAt: Date.now(), tls: null },
    ...{ mailFrom: `jo@${mark}.example`, recipients: [`in@${mark}.example`], tags: [mark], raw },
    ...(await summarize(raw)),
  })
  return { inbox_id: inbox.id, mail_id, number: '0' }
}

/** Stores an inbound message as received and processed; returns its ID. */
export async function oneInbound(
  app: TestApp,
  account_id: string,
  domain_id: string,
  mark: string,
): Promise<string> {
  const raw = Buffer.from(`From: jo@${mark}.example\r\nSubject: ${mark}\r\n\r\n${mark}\r\n`)
  const id = newId('inb')
  const message = {
    ...{ id, account_id, domain_id, stream: `${mark}-in`, received_at: Date.now(), helo: mark, tls: null },
    ...{ mail_from: `jo@${mark}.example`, rcpt_to: `["in@${mark}.example"]`, client_address: '192.0.2.1' },
    size: raw.length,
  }
  const mails = [{ message, raw, storedBytesLimit: null, inboundBytesLimit: 1_000_000 }]
  await app.store.write(acceptInbound, { mails })
  const parsed: ParsedInbound = {
    ...{ from: [], to: [], cc: [], reply_to: [], headers: [], references: [], attachments: [] },
    ...{ subject: mark, date: null, message_id: null, in_reply_to: null, text: mark, reply_text: mark },
    html: `<p>${mark}</p>`,
  }
  await app.store.write(finishInbound, {
    ...{
      id,
      kind: 'message' as const,
      flags: [],
      authentication: null,
      subject: mark,
      headerMessageId: null,
    },
    from: { email: `jo@${mark}.example`, name: mark },
    parsed: JSON.stringify(parsed),
    now: Date.now(),
  })
  return id
}

/** Columns that describe the last use, which a read request may change. */
const OF_READING = new Set(['last_used_at', 'last_used_from', 'used_networks', 'last_seen_at'])

/** Rows of an account by table; each row is JSON. */
export type Rows = ReadonlyMap<string, readonly string[]>

/**
 * Returns all rows of an account from every table with an account column, without the columns that a read request may
 * change.
 */
export async function everyRowOf({ read }: Store, accountId: string): Promise<Rows> {
  const rows = new Map<string, string[]>()
  for (const { name, columns } of await read.introspection.getTables()) {
    const owner = name === 'accounts' ? 'id' : 'account_id'
    if (!columns.some((column) => column.name === owner)) continue
    const query = read.selectFrom(name as keyof Tables).selectAll() as never as AnyQuery
    const found = await query.where(owner, '=', accountId).execute()
    rows.set(name, found.map((row) => JSON.stringify(row, written)).sort())
  }
  return rows
}

/** Tables that contain refused requests as well. */
const OF_REFUSALS = ['request_log', 'refused_recipients']
/** Tables that a node writes by itself. */
const OF_JOBS = ['key_notices', 'requirement_states', 'receiver_figures', 'receiver_volumes', 'dns_checks']
/** Tables that requests of the tests and jobs change, so that they are not compared. */
export const UNCOMPARED: ReadonlySet<string> = new Set([...OF_REFUSALS, ...OF_JOBS])

/** True for the event of a key that was refused because of its networks. */
const isRefusal = (row: string): boolean => row.includes('"type":"key.refused_network"')

/** Returns the rows of an account by table that no refused request and no job writes, without empty tables. */
export async function rowsBesidesRefusals(store: Store, accountId: string): Promise<Rows> {
  const found = new Map<string, readonly string[]>()
  for (const [table, all] of await everyRowOf(store, accountId)) {
    const rows = all.filter((row) => !isRefusal(row))
    if (!UNCOMPARED.has(table) && rows.length > 0) found.set(table, rows)
  }
  return found
}

interface AnyQuery {
  where(column: string, operator: '=', value: string): { execute(): Promise<unknown[]> }
}
const written = (column: string, value: unknown): unknown => (OF_READING.has(column) ? undefined : value)
