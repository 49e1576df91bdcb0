// A worker that is no longer started: the deliveries of the worker are written, and the recipients that the worker held
// are ready immediately.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { claim, createOwner, type Held, messageTo, NOW, standingOf } from '../../test/support/queued.ts'
import { openTestStore } from '../../test/support/store.ts'
import { silentLog } from '../lib/log.ts'
import type { JournalPlace } from '../model/journal-place.ts'
import { writeEntry } from '../smtp/journal-entry.ts'
import { acceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import { nameOfNode } from '../store/node/node-identity.ts'
import { holdDataDirectory } from '../store/node/node-lock.ts'
import { DeliveredJournal } from './delivered-journal.ts'
import { takeOverWorker } from './left-journal.ts'

describe('a former worker', () => {
  let store: Store
  let dir: string
  let held: readonly Held[]
  beforeEach(async () => {
    store = await openTestStore('postgres')
    dir = mkdtempSync(join(tmpdir(), 'postrider-worker-'))
    const message = messageTo(await createOwner(store), ['taken@b.example', 'open@b.example'])
    await store.write(acceptMessage, message)
    const token = (await nameOfNode(dir)).newToken()
    held = (await claim(store, { lease: { token, until: NOW + 60_000, endsAt: Number.POSITIVE_INFINITY } }))
      .recipients
    assert.equal(held.length, 2)
    // The worker was killed after the delivery to the first recipient and before the outcome was written.
    const journal = new DeliveredJournal(dir)
    const places = held.map((claimed) => journal.open({ claimed, lease: claimed.lease }, NOW))
    const reply = { code: 250, text: 'Ok' }
    writeEntry(places[0] as JournalPlace, { mx: 'mx.test', address: '192.0.2.1', reply })
    journal.abandon()
  })
  afterEach(async () => {
    await store.close()
    rmSync(dir, { recursive: true })
  })

  const statusOf = async ({ messageId, position }: Held): Promise<string> => {
    const { status } = await store.read
      .selectFrom('recipients')
      .select('status')
      .where('message_id', '=', messageId)
      .where('position', '=', position)
      .executeTakeFirstOrThrow()
    return status
  }

  test('sends no delivery of its journal again, and the other recipients do not wait for its leases', async () => {
    await takeOverWorker(dir, { store, log: silentLog })
    const [taken, open] = held as [Held, Held]
    assert.equal(await statusOf(taken), 'delivered')
    const [next, ...others] = (await claim(store)).recipients
    assert.deepEqual([next?.position, others.length], [open.position, 0])
    assert.deepEqual(new DeliveredJournal(dir).left(), [])
  })

  test('is left alone while its process runs', async () => {
    const release = holdDataDirectory(dir)
    await takeOverWorker(dir, { store, log: silentLog })
    release()
    for (const { messageId, position } of held)
      assert.equal(await standingOf(store, { messageId, position }), 'active')
    assert.equal(new DeliveredJournal(dir).left().length, 1)
  })
})
