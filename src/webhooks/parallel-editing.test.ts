// Tests of concurrent changes of one webhook: each secret in a response is the stored secret.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOwner } from '../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../test/support/store.ts'
import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/database/store.ts'
import { WebhookEditing } from './webhook-editing.ts'

for (const database of DATABASES) {
  test(`a new signing secret and a new password are both kept on ${database}`, async (t) => {
    const store = await openTestStore(database)
    t.after(() => store.close())
    const owner = await createOwner(store)
    const parts = { http: { refusalOf: () => undefined }, receivedMail: {} }
    const editing = new WebhookEditing({ ...parts, store, clock: systemClock } as never)
    const { webhook } = await editing.create(owner, { url: 'https://receiver.example/' })
    const login = { username: 'ann', password: 'secret' }
    // This editor reads the webhook, and writes when the other changes are done.
    const hasRead = Promise.withResolvers<void>()
    const others = Promise.withResolvers<void>()
    const write: Store['write'] = async (one, item) => {
      hasRead.resolve()
      await others.promise
      return store.write(one, item)
    }
    const late = new WebhookEditing({ ...parts, store: { ...store, write }, clock: systemClock } as never)
    const rotating = late.rotate(owner, webhook.id, 3_600)
    await hasRead.promise
    await editing.change(owner, webhook.id, { basic_auth: login })
    const before = await editing.rotate(owner, webhook.id, 3_600)
    others.resolve()
    const last = await rotating
    const { secrets } = await editing.find(owner, webhook.id)
    assert.deepEqual(secrets.basicAuth, login)
    assert.deepEqual(
      secrets.generations.map(({ secret }) => secret),
      [last, before].map(({ secrets: answered }) => answered.generations[0]?.secret),
    )
  })
}
