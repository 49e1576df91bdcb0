// A list whose catch-all probes are greylisted: the list waits once, and then has the result.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../../src/config/load.ts'
import { Lifecycle } from '../../../src/lib/lifecycle.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { startVerificationAlone } from '../../../src/node/verification.ts'
import { listAccounts } from '../../../src/store/access/accounts.ts'
import { NodeName } from '../../../src/store/node/node-identity.ts'
import { claimVerification } from '../../../src/store/verification/verification-work.ts'
import { AddressLists } from '../../../src/verification/address-lists.ts'
import { ListRun } from '../../../src/verification/list-run.ts'
import { TestApp } from '../../support/app.ts'
import type { HostScript } from '../../support/mail-host/script.ts'
import { TestClock, untilPassed } from '../../support/test-clock.ts'
import { USUAL_SETTINGS } from '../../support/usual-settings.ts'
import { askedFor, MADE_UP } from '../../support/verification.ts'

const MINUTE_MS = 60_000
/** Module that sets the timers of waiting addresses. */
const WAITS = 'verification/list-run'

test('a list repeats a catch-all probe after the delay of the greylist, and not a third time', async (t) => {
  const clock = new TestClock(Date.now())
  const since = new Map<string, number>()
  const script: HostScript = ({ verb, address }) => {
    if (verb !== 'RCPT' || !MADE_UP.test(address)) return undefined
    if (!since.has(address)) since.set(address, clock.now())
    const waited = clock.now() - (since.get(address) ?? 0)
    const passes = waited >= 5 * MINUTE_MS && !address.endsWith('@never.example')
    return passes ? undefined : '451 4.7.1 Greylisted, please try again later'
  }
  const app = await TestApp.start({ host: { script } })
  t.after(() => app.stop())
  await app.stopNode()
  const config = loadConfig({
    POSTRIDER_DATA_DIR: app.storage.dataDir,
    ...USUAL_SETTINGS,
    POSTRIDER_DNS_SERVERS: app.dns.server,
    POSTRIDER_MX_PORT: String(app.host.port),
    POSTRIDER_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
  })
  const lifecycle = new Lifecycle()
  t.after(() => lifecycle.stop())
  const { store } = app
  const parts = { config, store, clock, log: silentLog, node: new NodeName(), lifecycle }
  const verification = await startVerificationAlone(parts)

  const accountId = (await listAccounts(store.read))[0]?.id as string
  const emails = ['a@all.example', 'b@all.example', 'c@all.example', 'd@never.example']
  const rows = emails.map((email) => ({ email, cells: [] }))
  const id = await new AddressLists({ store, clock, onQueued() {} }).accept(
    { accountId, keyId: 'key_x' },
    { columns: [], rows },
  )
  const lease = { now: clock.now(), lease: 'own', leaseUntil: clock.now() + 60 * MINUTE_MS }
  await store.write(claimVerification, lease)
  const run = new ListRun(
    { accountId, id, lease: 'own' },
    { ...parts, verification, perDestination: 2, atOnce: () => 10 },
  )
  let end: string | undefined
  void run.run().then((why) => {
    end = why
  })

  const asked = (email: RegExp): number => askedFor(app.host).filter((one) => email.test(one)).length
  const byClock = { advance: async (ms: number) => clock.advance(ms) }
  await untilPassed(
    { by: byClock, stepMs: 100 },
    'all addresses are deferred',
    () => asked(/^[a-d]@/) === 4 && asked(/@never/) === 3 && clock.isArmed(6 * MINUTE_MS, WAITS),
  )
  assert.equal(end, undefined)
  const began = clock.now()
  // The time limits of lookups run on the same clock, so the clock moves no faster than in the other waits.
  await untilPassed(
    { by: byClock, stepMs: 1_000 },
    'no address waits',
    () => !clock.isArmed(6 * MINUTE_MS, WAITS),
  )
  assert.ok(clock.now() - began <= 7 * MINUTE_MS)
  await untilPassed({ by: byClock, stepMs: 100 }, 'the list is done', () => end)
  assert.equal(end, 'done')

  const kept = await store.read
    .selectFrom('verification_addresses')
    .select(['email', 'answer'])
    .where('verification_id', '=', id)
    .orderBy('position')
    .execute()
  const results = kept.map(({ answer }) => JSON.parse(answer ?? '{}').internalResult)
  assert.deepEqual(results, ['catch_all', 'catch_all', 'catch_all', 'catch_all_unknown'])
  assert.equal(since.size, 2)
})
