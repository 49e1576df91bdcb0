// Tests that batches wait for their turn, are stored in parts, and are completed by a repeated request.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestStore } from '../../test/support/store.ts'
import { createTenant, type Tenant } from '../../test/support/tenant.ts'
import { thorough } from '../../test/support/thorough.ts'
import { openWorkspaces, type Workspaces } from '../../test/support/workspaces.ts'
import { systemClock } from '../lib/clock.ts'
import { CONTENT_BYTES } from '../lib/content-memory.ts'
import { newId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import { FairOrder } from '../queue/manager.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import { findContent } from '../store/messages/messages.ts'
import type { Sender } from './authorize.ts'
import { type Queue, Submission } from './submit.ts'

let store: Store
let tenant: Tenant
let workspaces: Workspaces
before(async () => {
  store = await openTestStore('sqlite')
  tenant = await createTenant(store)
  workspaces = await openWorkspaces(store)
})
after(async () => {
  await workspaces.close()
  await store.close()
})

async function makeTemplate(alias: string, html: string, text: string | null = null): Promise<void> {
  const { owner } = tenant
  await workspaces.editTemplates.create(
    { ...owner, savedBy: 'key_1' },
    { alias, name: alias, subject: 'For {{name}}', html, text },
  )
}

const sender = (): Sender => ({
  keyId: newId('key'),
  ...tenant.owner,
  domainName: tenant.domain.name,
  domainStatus: 'verified',
  accountStatus: 'active',
  counted: false,
  storedBytesLimit: tenant.account.stored_bytes_limit,
  permittedRecipients: null,
  inboxId: null,
})

const openSubmission = (
  onQueued: () => void = () => {},
  reserve: Queue['reserve'] = () => undefined,
): Submission =>
  new Submission({
    store,
    clock: systemClock,
    expander: workspaces.expander,
    secret: 'secret',
    maxMessageBytes: 3_000_000,
    expiryMs: 3_600_000,
    startTags: new FairOrder(),
    queue: { reserve, commit() {}, wake: onQueued },
  })

function requestsOf(given: readonly object[]) {
  const base = { from: `a@${tenant.domain.name}`, to: [{ email: 'a@receiver.example' }] }
  return given
    .map((one) => ({ ...base, ...one }))
    .map((request) => ({
      request: request as unknown as SendRequest,
      raw: JSON.stringify(request),
      shapeProblems: [],
    }))
}

const statuses = (answers: readonly object[]) =>
  answers.map((answer) => ('status' in answer ? answer.status : 'code' in answer ? answer.code : '?'))

const countMessages = async (): Promise<number> => {
  const { count } = await store.read
    .selectFrom('messages')
    .select((expression) => expression.fn.countAll<number>().as('count'))
    .where('domain_id', '=', tenant.owner.domainId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

test('a batch waits for its turn where a single message is told to come again', async () => {
  await makeTemplate('welcome', '<p>Hello {{name}}</p>')
  const submission = openSubmission()
  const requests = requestsOf([
    { subject: 'Plain', text: 'As it is.' },
    { template_alias: 'welcome', template_model: { name: 'Ada' } },
  ])
  // One job is running, and a second job fills the queue of this account: an account may use a quarter of the queue's
  // memory, and each job counts 40,000 bytes in addition to its text.
  const large = { name: 'x', html: 'x'.repeat(CONTENT_BYTES.template_texts() / 4 - 50_000) }
  const full = [1, 2].map(() =>
    workspaces.workers.run(tenant.owner, 'checkTemplate', large, large.html.length),
  )
  const [single] = requests.slice(1)
  await assert.rejects(
    submission.submitRequest(sender(), { ...(single as (typeof requests)[0]), idempotencyKey: undefined }),
    (error) => error instanceof Problem && error.code === 'unavailable',
  )
  const answers = await submission.submitBatch(sender(), { requests, idempotencyKey: 'waits' })
  assert.deepEqual(statuses(answers), ['queued', 'queued'])
  await Promise.all(full)
})

test('a large batch is kept in parts, and a repeat of one that ended early does the rest and nothing twice', async () => {
  const name = 'x'.repeat(900_000)
  await makeTemplate('large', '<p>{{big}}</p>', '{{name}}')
  const requests = requestsOf([
    ...Array.from({ length: 3 }, () => ({ template_alias: 'large', template_model: { big: name } })),
    { template_alias: 'nowhere' },
    ...Array.from({ length: 4 }, () => ({ template_alias: 'large', template_model: { big: name } })),
    { subject: 'Last', text: 'x' },
  ])
  const batch = { requests, idempotencyKey: 'parts' }
  const from = sender()
  const before = await countMessages()
  const first = Array(3).fill('queued')
  let isGone = false
  const submission = openSubmission(() => {
    isGone = true
  })
  const early = await submission.submitBatch(from, { ...batch, isGone: () => isGone })
  assert.deepEqual(statuses(early), [...first, ...Array(6).fill('unavailable')])
  assert.equal((await countMessages()) - before, 3)

  const whole = await submission.submitBatch(from, batch)
  assert.deepEqual(statuses(whole), [...first, 'validation_failed', ...Array(5).fill('queued')])
  assert.deepEqual(whole.slice(0, 3), early.slice(0, 3))
  assert.equal((await countMessages()) - before, 8)
  assert.deepEqual(await submission.submitBatch(from, batch), whole)
  assert.equal((await countMessages()) - before, 8)
  await assert.rejects(
    submission.submitBatch(from, { ...batch, requests: requests.slice(1) }),
    (error) => error instanceof Problem && error.code === 'validation_failed',
  )
})

test(
  'rendered content under way is bounded by account, and given back when it is written',
  thorough('1.0 CPU s: contents until the memory of an account is full'),
  async () => {
    await makeTemplate('heavy', '<p>{{big}}</p>', 't')
    const submission = openSubmission()
    const from = sender()
    const [request] = requestsOf([{ template_alias: 'heavy', template_model: { big: 'x'.repeat(950_000) } }])
    const send = () =>
      submission
        .submitRequest(from, { ...(request as NonNullable<typeof request>), idempotencyKey: undefined })
        .then(
          ({ status }) => status,
          (error) => (error instanceof Problem ? error.code : String(error)),
        )
    // Refusals of concurrent requests are temporary, and all memory is free afterwards.
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(Array.from({ length: 60 }, send))
      assert.deepEqual(
        answers.filter((one) => one !== 'queued' && one !== 'unavailable'),
        [],
      )
      assert.ok(answers.includes('queued'))
      assert.equal(await send(), 'queued')
    }
  },
)

for (const [size, characters, isFreed] of [
  ['small', 60_000, false],
  ['large', 900_000, true],
] as const) {
  test(`the memory of ${size} content that was completed here, once it is stored`, async () => {
    await makeTemplate(`of-${size}`, '<p>{{big}}</p>', 'Grüße')
    const kept: AcceptMessage[] = []
    const submission = openSubmission(undefined, (accept) => {
      kept.push(accept)
      return undefined
    })
    const big = 'x'.repeat(characters)
    const [request] = requestsOf([{ template_alias: `of-${size}`, template_model: { big } }])
    await submission.submitRequest(sender(), { ...request!, idempotencyKey: `of ${size}` })
    const [accept] = kept
    assert.equal(typeof accept!.content, isFreed ? 'object' : 'string')
    assert.equal(accept!.content.length === 0, isFreed)
    const stored = await findContent(store.read, { ...tenant.owner }, accept!.message.id)
    const { html, text } = JSON.parse(String(stored?.content))
    assert.deepEqual({ html, text }, { html: `<p>${big}</p>`, text: 'Grüße' })
  })
}

test('a whole batch is stored completely or not at all', async () => {
  const submission = openSubmission()
  const before = await countMessages()
  const good = (index: number): object => ({ subject: `S${index}`, text: 'Hello.' })
  const submit = (
    given: readonly object[],
    from = sender(),
    idempotencyKey: string | undefined = undefined,
  ) => submission.submitBatch(from, { requests: requestsOf(given), whole: true, idempotencyKey })
  const many = Array.from({ length: 1_000 }, (_, index) => good(index))
  const wrong = many.with(700, { ...good(700), to: [{ email: 'nobody' }] }).with(3, { text: 'No subject.' })
  await assert.rejects(submit(wrong), (error: Problem) => {
    assert.equal(error.code, 'validation_failed')
    const paths = error.errors.map(({ path, code }) => `${path} ${code}`)
    assert.deepEqual(paths, ['[3].subject required', '[700].to[0].email invalid_email'])
    return true
  })
  const elsewhere = many.slice(0, 2).with(1, { ...good(1), from: 'a@elsewhere.example' })
  await assert.rejects(submit(elsewhere), { code: 'domain_not_permitted' })
  assert.equal(await countMessages(), before)
  const from = sender()
  const answers = await submit(many, from, 'whole')
  assert.deepEqual(new Set(statuses(answers)), new Set(['queued']))
  assert.equal(await countMessages(), before + 1_000)
  assert.deepEqual(await submit(many, from, 'whole'), answers)
  assert.equal(await countMessages(), before + 1_000)
})

test('a whole batch beyond the allowance, or beyond the memory for contents, is refused without a trace', async () => {
  const submission = openSubmission()
  const limited = await createTenant(store, { allowance: 5 })
  const from = { ...sender(), ...limited.owner, domainName: limited.domain.name, counted: true }
  const batch = (count: number, text = 'Hello.') => ({
    requests: requestsOf(
      Array.from({ length: count }, () => ({ from: `a@${limited.domain.name}`, subject: 'S', text })),
    ),
    whole: true,
    idempotencyKey: 'short',
  })
  await assert.rejects(submission.submitBatch(from, batch(6)), {
    code: 'sending_allowance_exhausted',
  })
  const left = async (): Promise<number | null> => {
    const account = await store.read
      .selectFrom('accounts')
      .select('sending_allowance')
      .where('id', '=', limited.account.id)
      .executeTakeFirstOrThrow()
    return account.sending_allowance
  }
  assert.equal(await left(), 5)
  await assert.rejects(submission.submitBatch(from, batch(15, 'x'.repeat(1_900_000))), {
    code: 'body_too_large',
  })
  assert.deepEqual(statuses(await submission.submitBatch(from, batch(5))), new Array(5).fill('queued'))
  assert.equal(Number(await left()), 0)
})
