// Every table of the store is covered by the erasure of an address, or has a documented reason for its omission.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { claim, createOwner, finish, messageTo, NOW } from '../../test/support/queued.ts'
import { DATABASES, lookInto, settled, type TestStorage, testStorage } from '../../test/support/store.ts'
import { TestClock } from '../../test/support/test-clock.ts'
import { deliveryOf, webhookOf } from '../../test/support/webhook-rows.ts'
import { newId } from '../lib/ids.ts'
import { silentLog } from '../lib/log.ts'
import { summarize } from '../mime/mail-summary.ts'
import { OPEN_LINK } from '../model/tracking-link.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import { recordAudit } from '../store/access/audit-log.ts'
import { insertRows } from '../store/database/rows.ts'
import { TABLES, type Tables } from '../store/database/schema.ts'
import type { Store } from '../store/database/store.ts'
import { acceptInbound, finishInbound } from '../store/inbound/inbound.ts'
import { keepInboxMail } from '../store/inbound/inbox.ts'
import { createInbox, UNCHANGED } from '../store/inboxes/inboxes.ts'
import { keepTestMail } from '../store/inboxes/new-mails.ts'
import type { Owner } from '../store/messages/owner.ts'
import { recordHits } from '../store/messages/tracked-links.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { recordChecks } from '../store/verification/verification-checks.ts'
import { keepDelivery } from '../store/webhooks/deliveries.ts'
import { createWebhook } from '../store/webhooks/webhooks.ts'
import { suppress } from '../store/workspace/suppressions.ts'
import { erase, everythingAbout } from './erasure.ts'

const NO_ADDRESS = 'no column holds an address of a recipient'
const OF_USERS = 'belongs to a user, whose address is erased only after the user was deleted'
const WAITS = 'holds recipients that are not final: while there is one, nothing is erased'
const HASHES = 'holds hashes only'
const WORKSPACE = 'written by the account about its workspace, not by key of an address'

/** True for a table from which an erasure removes rows; otherwise the reason why the erasure leaves the table out. */
const REACHED: Readonly<Record<keyof Tables, true | string>> = {
  messages: true,
  message_contents: true,
  message_words: true,
  recipients: true,
  attempts: true,
  events: true,
  account_events: true,
  tracked_links: true,
  unsubscribe_links: true,
  suppressions: true,
  bulk_rows: true,
  inbound_messages: true,
  inbound_contents: true,
  inbound_parsed: true,
  inbox_mails: true,
  test_mails: true,
  reports: NO_ADDRESS,
  report_contents: 'holds files of receivers as received, and ends after 45 days',
  dmarc_rows: NO_ADDRESS,
  report_addresses: NO_ADDRESS,
  report_sources: WORKSPACE,
  test_inboxes: WORKSPACE,
  verification_addresses: true,
  verification_checks: true,
  invitations: true,
  audit_log: 'keeps the audit trail until its retention ends',
  webhook_deliveries: 'quotes answers of receivers, and ends after seven days',
  problem_notices: 'may quote an address in a title, and ends with its problem',
  erased_suppressions: 'keeps a hash of the address, so that it stays suppressed',
  login_failures: 'holds hashes of logins, of the last quarter of an hour',
  event_log: 'read to its end before anything is erased; read entries are removed',
  event_feed: 'holds IDs of events; missing events are left out',
  queue: WAITS,
  users: 'an address that logs in is not erased',
  sessions: OF_USERS,
  user_totp: OF_USERS,
  recovery_codes: OF_USERS,
  passkeys: OF_USERS,
  one_time_tokens: OF_USERS,
  shared_rates: HASHES,
  idempotency_keys: 'holds a hash of the body and the ID of the message, for a day',
  keyed_requests: NO_ADDRESS,
  keyed_request_steps: 'sealed for the client that repeats its request, for a day',
  request_log: NO_ADDRESS,
  object_numbers: NO_ADDRESS,
  refused_recipients: 'holds keyed hashes, which end with their entries of the request log, for three days',
  bulks: NO_ADDRESS,
  bulk_contents: 'holds the content that all rows share',
  verifications: NO_ADDRESS,
  link_revocations: NO_ADDRESS,
  stored_bytes: NO_ADDRESS,
  message_counts: NO_ADDRESS,
  message_parts: NO_ADDRESS,
  reply_counts: NO_ADDRESS,
  reply_hours: NO_ADDRESS,
  incidents: 'name an example by its event, which is erased with its message',
  templates: WORKSPACE,
  template_versions: WORKSPACE,
  layouts: WORKSPACE,
  streams: WORKSPACE,
  webhooks: WORKSPACE,
  inbound_addresses: WORKSPACE,
  installation: NO_ADDRESS,
  sealing: NO_ADDRESS,
  accounts: NO_ADDRESS,
  domains: NO_ADDRESS,
  domain_events: NO_ADDRESS,
  domain_records: NO_ADDRESS,
  domain_relays: NO_ADDRESS,
  dkim_keys: NO_ADDRESS,
  keys: WORKSPACE,
  key_domains: NO_ADDRESS,
  key_notices: NO_ADDRESS,
  credit_grants: NO_ADDRESS,
  credit_uses: NO_ADDRESS,
  mta_sts_policies: NO_ADDRESS,
  tls_results: NO_ADDRESS,
  tls_reports: 'names addresses for reports that domains publish in the DNS, for 35 days',
  store_heartbeat: NO_ADDRESS,
  late_events: NO_ADDRESS,
  event_feed_ends: NO_ADDRESS,
  event_log_readers: NO_ADDRESS,
  retention_marks: NO_ADDRESS,
  retention_skipped: NO_ADDRESS,
  queue_pauses: NO_ADDRESS,
  nodes: NO_ADDRESS,
  list_looks: NO_ADDRESS,
  dns_checks: NO_ADDRESS,
  requirement_states: NO_ADDRESS,
  receiver_figures: NO_ADDRESS,
  receiver_volumes: NO_ADDRESS,
  singleton_jobs: NO_ADDRESS,
}

const NAMES = Object.keys(TABLES) as (keyof Tables)[]
const ERASED = NAMES.filter((table) => REACHED[table] === true)
/** Tables with a row that still quotes the address after the erasure. */
const QUOTING = ['audit_log', 'webhook_deliveries'] as const
/** Tables whose rows about the address appear in an export. */
const EXPORTED = new Set<string>(ERASED.filter((table) => table !== 'message_words'))

const PERSON = 'jo.person@receiver.example'

const countOf = async ({ read }: Store, table: keyof Tables): Promise<number> =>
  (await read.selectFrom(table).selectAll().execute()).length

/** Writes rows about the address into every table that can have rows about an address. */
async function fill(store: Store, owner: Owner, storage: TestStorage): Promise<void> {
  const { accountId: account_id, domainId: domain_id } = owner
  await sendTo(store, owner)
  const row = { account_id, domain_id, stream: 'transactional', email: PERSON, message_id: null }
  await store.write(suppress, { ...row, reason: 'complaint', created_at: NOW })
  await receiveFrom(store, owner)
  const answer = JSON.stringify({ email: PERSON })
  const check = { account_id, id: newId('chk'), email: PERSON, result: 'unknown' as const, answer }
  await store.write(recordChecks, { checks: [{ ...check, key_id: null, user_id: null, checked_at: NOW }] })
  await store.write(recordAudit, {
    ...{ id: newId('aud'), account_id, at: NOW, user_id: null, actor: 'the command line' },
    ...{ action: 'suppression.add', target: PERSON, address: null, detail: '{}' },
  })
  const beside = await lookInto(storage)
  const verification_id = newId('ver')
  await insertRows(beside.read, 'verifications', [
    {
      ...{ id: verification_id, account_id, key_id: 'key', name: null, columns: null, status: 'done' },
      ...{ total: 1, duplicates: 0, deliverable: 0, undeliverable: 0, risky: 0, unknown: 1 },
      ...{ lease: null, lease_until: null, created_at: NOW, finished_at: NOW },
    },
  ])
  await insertRows(beside.read, 'verification_addresses', [
    { verification_id, position: 0, account_id, email: PERSON, answer, cells: null },
  ])
  await insertRows(beside.read, 'bulk_rows', [
    {
      ...{ bulk_id: newId('blk'), line: 1, account_id, domain_id, email: PERSON },
      ...{ data: null, message_id: null, refusal: '[]' },
    },
  ])
  await insertRows(beside.read, 'invitations', [
    {
      ...{ id: newId('inv'), account_id, email: PERSON, role: 'viewer', hash: 'hash' },
      ...{ invited_by: newId('usr'), created_at: NOW, expires_at: NOW },
    },
  ])
  await beside.close()
}

/** Delivers a message to the address, and stores an open and a webhook delivery about the message. */
async function sendTo(store: Store, owner: Owner): Promise<void> {
  const { recipients, ...item } = messageTo(owner, [PERSON])
  const messageId = item.message.id
  await store.write(acceptMessage, {
    ...item,
    recipients: recipients.map((one) => ({ ...one, unsubscribeToken: newId('req').slice(-26) })),
  })
  for (const one of (await claim(store)).recipients) await finish(store, one, 'delivered')
  const hit = { messageId, position: 0, link: OPEN_LINK, url: '', at: NOW + 2, userAgent: 'x', more: 0 }
  await store.write(recordHits, { hits: [{ ...hit, machine: undefined }] })
  const webhook = webhookOf(owner)
  await store.write(createWebhook, { webhook, most: 5 })
  const attempt = { at: NOW, latencyMs: 1, status: 500, problem: null, answer: `cannot take ${PERSON}` }
  await store.write(keepDelivery, deliveryOf(webhook, { message_id: messageId, log: [attempt] }))
}

/** Stores mails from the address as mail of an inbound stream, of the operator and of the playground. */
async function receiveFrom(store: Store, { accountId, domainId }: Owner): Promise<void> {
  const id = newId('inb')
  const raw = Buffer.from('x')
  const mail = { received_at: NOW, mail_from: PERSON, rcpt_to: 'support@example.test', raw }
  await store.write(acceptInbound, {
    mails: [
      {
        message: {
          ...{ id, account_id: accountId, domain_id: domainId, stream: 'in', received_at: NOW },
          ...{ mail_from: PERSON, rcpt_to: '["support@example.test"]', client_address: '192.0.2.1' },
          ...{ helo: 'h', tls: null, size: raw.length },
        },
        raw,
        storedBytesLimit: null,
        inboundBytesLimit: 1_000,
      },
    ],
  })
  await store.write(finishInbound, {
    ...{ id, kind: 'message', flags: [], authentication: null, from: { email: PERSON, name: null } },
    ...{ subject: '', headerMessageId: null, parsed: '{}', now: NOW },
  })
  await store.write(keepInboxMail, { ...mail, id: newId('inb'), subject: '', size: raw.length })
  const inbox = { id: newId('inb'), account_id: accountId, name: 'Tests', keep_days: 7, keep_messages: 10 }
  await store.write(createInbox, {
    inbox: { ...inbox, password_hash: '', ...UNCHANGED, created_at: NOW },
    most: 10,
  })
  await store.write(keepTestMail, {
    ...{ id: newId('mbx'), inboxId: inbox.id, accountId, messageId: newId('mbx') },
    ...{ receivedAt: NOW, mailFrom: '', recipients: [PERSON], tls: null, tags: [], raw: Buffer.from('x') },
    ...(await summarize(Buffer.from('Subject: x\r\n\r\nx'))),
  })
}

test('each table is listed with whether erasing an address covers it', () => {
  assert.deepEqual(Object.keys(REACHED).sort(), NAMES.toSorted())
})

for (const database of DATABASES) {
  describe(`erasing an address on ${database}`, () => {
    test('removes its rows from each covered table, and reports the others that quote it', async () => {
      const storage = await testStorage(database, 'tables')
      const store = await openStore({ ...storage, log: silentLog })
      try {
        await fill(store, await createOwner(store), storage)
        await settled(store)
        for (const table of [...ERASED, ...QUOTING]) assert.ok((await countOf(store, table)) > 0, table)
        const exported = await Array.fromAsync(everythingAbout(store.read, PERSON, {}))
        assert.deepEqual(new Set(exported.map(({ table }) => table)), EXPORTED)
        const lifetimes = { webhooksMs: 7 * 86_400_000, auditMs: 365 * 86_400_000 }
        const parts = { store, clock: new TestClock(NOW), ...lifetimes }
        const { kept } = await erase(parts, PERSON, {})
        for (const table of ERASED) assert.equal(await countOf(store, table), 0, table)
        assert.equal(await countOf(store, 'erased_suppressions'), 1)
        for (const table of QUOTING) {
          const rows = await store.read.selectFrom(table).selectAll().execute()
          assert.match(JSON.stringify(rows), new RegExp(PERSON), table)
        }
        assert.deepEqual(Object.keys(kept).sort(), [...QUOTING].sort())
        assert.match(kept.webhook_deliveries ?? '', / end after 7 days\.$/)
      } finally {
        await store.close()
        await storage.remove()
      }
    })
  })
}
