// Streams on both databases: changing a removed stream stores nothing, and a change is logged in the same commit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOwner, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { audited } from '../writes.ts'
import { changeStream, createStream, firstStreams, removeStream, type Stream } from './streams.ts'

for (const database of DATABASES) {
  test(`a deleted stream gets no address, so that another one can have it, on ${database}`, async (t) => {
    const store = await openTestStore(database)
    t.after(() => store.close())
    const owner = await createOwner(store)
    const { accountId: account_id, domainId: id } = owner
    const [first] = firstStreams({ id, account_id, created_at: NOW })
    const stream = (alias: string): Stream => ({ ...(first as Stream), kind: 'inbound', alias, used: 0 })
    const mx = {
      host: 'mx.sender.example',
      isPublished: false,
      policyTarget: 't.example',
      reportAddress: 'r@t.example',
    }
    const inbound = { mx, addresses: [{ host: 'in.sender.example', local: 'help' }] }
    await store.write(createStream, { stream: stream('gone') })
    const own = { ...owner, now: NOW }
    const removed = await store.write(removeStream, { ...own, alias: 'gone', mx })
    assert.equal(removed, 'deleted')
    const changed = await store.write(changeStream, { ...own, alias: 'gone', changes: {}, inbound })
    assert.equal(changed, undefined)
    assert.deepEqual(await store.read.selectFrom('inbound_addresses').selectAll().execute(), [])
    assert.equal(await store.write(createStream, { stream: stream('other'), inbound }), 'created')
    const again = await store.write(changeStream, { ...own, alias: 'other', changes: {}, inbound })
    assert.equal(again?.kind === 'changed' && again.stream.alias, 'other')
  })

  test(`a change carries its entry of the audit log, and a refusal carries none, on ${database}`, async (t) => {
    const store = await openTestStore(database)
    t.after(() => store.close())
    const owner = await createOwner(store)
    const { accountId: account_id, domainId: id } = owner
    const [first] = firstStreams({ id, account_id, created_at: NOW })
    const mx = {
      host: 'mx.sender.example',
      isPublished: false,
      policyTarget: 't.example',
      reportAddress: 'r@t.example',
    }
    const inbound = { mx, addresses: [{ host: 'in.sender.example', local: 'help' }] }
    const entry = {
      account_id,
      at: NOW,
      user_id: null,
      actor: 'a',
      target: null,
      address: null,
      detail: '{}',
    }
    const logged = async (write: { readonly name: string }, item: object): Promise<boolean> => {
      const named = { name: write.name, item, entry: { ...entry, id: newId('aud', NOW), action: write.name } }
      return (await store.write(audited, named)).logged
    }
    const stream = (alias: string): Stream => ({ ...(first as Stream), kind: 'inbound', alias })
    assert.equal(await logged(createStream, { stream: stream('one'), inbound }), true)
    assert.equal(await logged(createStream, { stream: stream('two'), inbound }), false)
    assert.equal(await logged(createStream, { stream: stream('two') }), true)
    const change = { ...owner, alias: 'two', now: NOW }
    assert.equal(await logged(changeStream, { ...change, changes: {}, inbound }), false)
    assert.equal(await logged(changeStream, { ...change, changes: { name: 'Two' } }), true)
    const rows = await store.read.selectFrom('audit_log').select('action').orderBy('id').execute()
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['createStream', 'createStream', 'changeStream'],
    )
  })
}
