// Batches of which a part cannot be rendered now: refused as a whole, so that trying again may succeed.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestStore } from '../../test/support/store.ts'
import { createTenant, type Tenant } from '../../test/support/tenant.ts'
import { openWorkspaces, type Workspaces } from '../../test/support/workspaces.ts'
import { systemClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { Problem } from '../model/problem.ts'
import type { SendRequest } from '../model/send-request.ts'
import type { Store } from '../store/store.ts'
import type { Sender } from './authorize.ts'
import { Submission } from './submit.ts'

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

test('a batch whose templates cannot be rendered now is refused as a whole, and accepted when it is repeated', async () => {
  const { domain, owner } = tenant
  await store.write('saveTemplate', {
    template: {
      id: newId('tpl'),
      account_id: owner.accountId,
      domain_id: owner.domainId,
      alias: 'welcome',
      name: 'Welcome',
      subject: 'Welcome, {{name}}',
      html: '<p>Hello {{name}}</p>',
      text: null,
      required_paths: '[]',
      inline_css: 0,
      created_at: systemClock.now(),
      updated_at: systemClock.now(),
    },
    layout: null,
    isNew: true,
    savedBy: 'key_1',
  })
  const sender: Sender = {
    keyId: newId('key'),
    ...owner,
    domainName: domain.name,
    domainStatus: 'verified',
    accountStatus: 'active',
    counted: false,
  }
  const submission = new Submission({
    store,
    clock: systemClock,
    filling: workspaces.filling,
    secret: 'secret',
    maxMessageBytes: 1_000_000,
    expiryMs: 3_600_000,
    delivery: undefined,
  })
  const base = { from: `a@${domain.name}`, to: [{ email: 'a@receiver.example' }] }
  const requests = [
    { ...base, subject: 'Plain', text: 'As it is.' },
    { ...base, template_alias: 'welcome', template_model: { name: 'Ada' } },
  ].map((request) => ({ request: request as SendRequest, raw: JSON.stringify(request), shapeProblems: [] }))
  const batch = { requests, raw: JSON.stringify(requests), idempotencyKey: 'once' }

  // One that is under way and one that fills what may wait for this account.
  const full = [1, 2].map(() =>
    workspaces.conversion
      .convert(owner.accountId, { html: 'x'.repeat(15_990_000), inlineCss: false, makeText: true })
      .catch(() => {}),
  )
  await assert.rejects(
    submission.submitBatch(sender, batch),
    (error) => error instanceof Problem && error.code === 'unavailable',
  )
  await Promise.all(full)
  const answers = await submission.submitBatch(sender, batch)
  assert.deepEqual(
    answers.map((answer) => ('message_id' in answer ? answer.status : answer)),
    ['queued', 'queued'],
  )
})
