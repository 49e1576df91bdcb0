// Messages that a worker takes with their acceptance, before a real mail host: what becomes of them when something comes between.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { DnsHost } from '../../test/support/dns-host.ts'
import { MailHost } from '../../test/support/mail-host.ts'
import { createOwner, messageTo } from '../../test/support/queued.ts'
import { changeRow, type TestStorage, testStorage } from '../../test/support/store.ts'
import { until } from '../../test/support/test-clock.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { timeoutsWithin } from '../smtp/timeouts.ts'
import { type AcceptMessage, findMessage, type Owner } from '../store/messages.ts'
import { openStore, type Store } from '../store/store.ts'
import { ConnectionPool, DEFAULT_LIMITS } from './pool.ts'
import { Preparation } from './prepare.ts'
import { Routing } from './routing.ts'
import { Throttle } from './throttle.ts'
import { DeliveryWorker } from './worker.ts'

const ZONE = { '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } }

describe('a worker that is offered messages', () => {
  let store: Store
  let owner: Owner
  let storage: TestStorage
  let host: MailHost
  let worker: DeliveryWorker
  let isStopped: boolean
  let ends: (() => Promise<void>)[]

  beforeEach(async () => {
    ends = []
    isStopped = false
    storage = await testStorage('sqlite')
    ends.push(() => storage.remove())
    store = await openStore({ ...storage, log: silentLog })
    ends.push(() => store.close())
    owner = await createOwner(store)
    host = await MailHost.start()
    ends.push(() => host.stop())
    worker = await startWorker()
    ends.push(() => stop())
    await until('its first look at the queue is over', () => {
      const one = message('a.example')
      const lease = worker.offer(one)
      if (lease !== undefined) worker.settle({ ...one, lease }, { kind: 'key_reused' })
      return lease !== undefined
    })
  })
  afterEach(async () => {
    for (const end of ends.reverse()) await end()
  })

  async function startWorker(): Promise<DeliveryWorker> {
    const dns = await DnsHost.start(ZONE)
    ends.push(() => dns.stop())
    const routing = new Routing({
      ...{ store, clock: systemClock, log: silentLog },
      resolver: createResolver({ servers: [dns.server] }),
      allowed: parseNetworks('127.0.0.0/8'),
      mxPort: host.port,
      mtaStsPort: 443,
      relayUrl: undefined,
      hostname: 'sender.test',
      returnPathHost: 'rp.sender.test',
      inbound: undefined,
      sourceAddresses: [],
      sourcePools: [],
      secureServers: undefined,
    })
    ends.push(() => routing.stop())
    const made = new DeliveryWorker({
      ...{ store, clock: systemClock, log: silentLog, routing, dataDir: storage.dataDir },
      preparation: new Preparation(store.read, { secret: 's', publicUrl: Promise.resolve('http://x.test') }),
      skew: () => 0,
      throttle: new Throttle(),
      pool: new ConnectionPool(DEFAULT_LIMITS),
      heloName: 'sender.test',
      ownNames: routing.ownNames,
      tlsResults: routing.tlsResults,
      timeouts: timeoutsWithin(5_000),
      retrySchedule: [60_000],
      returnPathSecret: 's',
      alone: true,
    })
    await made.start()
    return made
  }

  async function stop(): Promise<void> {
    if (!isStopped) await worker.stop()
    isStopped = true
  }

  /** A message to one address at a domain. */
  function message(destination: string): AcceptMessage {
    const email = `you@${destination}`
    const made = messageTo(owner, [email])
    const content = JSON.stringify({
      from: 'me@example.test',
      to: [{ email }],
      subject: 'Hello',
      text: 'Hello',
    })
    return { ...made, message: { ...made.message, created_at: Date.now() }, content }
  }

  /** The same message, under the worker's lease. */
  function offered(one: AcceptMessage): AcceptMessage {
    const lease = worker.offer(one)
    assert.ok(lease, 'there is room')
    return { ...one, lease }
  }

  const stateOf = async ({ message: { id } }: AcceptMessage): Promise<(string | null | undefined)[]> => {
    const [recipient] = (await findMessage(store.read, owner, id))!.recipients
    return [recipient?.status, recipient?.lane, recipient?.lease]
  }
  const isDelivered = async (one: AcceptMessage) => (await stateOf(one))[0] === 'delivered'
  const allDelivered = async (all: readonly AcceptMessage[]): Promise<boolean> =>
    (await Promise.all(all.map(isDelivered))).every(Boolean)

  test('begins at once, and once', async () => {
    const one = offered(message('a.example'))
    worker.settle(one, await store.write('acceptMessage', one))
    await until('it is delivered', () => isDelivered(one))
    assert.equal(host.mails.length, 1)
    assert.equal(worker.inFlight, 0)
  })

  test('keeps to the window of a site when a claim is under way that takes the same room', async () => {
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    let most = 0
    host.script = async ({ verb }) => {
      if (verb !== 'MESSAGE') return undefined
      most = Math.max(most, worker.inFlight)
      await opened
      return undefined
    }
    const queued = Array.from({ length: 5 }, () => message('a.example'))
    await Promise.all(queued.map((one) => store.write('acceptMessage', one)))
    worker.poke()
    const direct = Array.from({ length: 5 }, () => offered(message('a.example')))
    const results = await Promise.all(direct.map((one) => store.write('acceptMessage', one)))
    for (const [index, one] of direct.entries()) worker.settle(one, results[index])
    await until('the window is full', () => most >= 5)
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal(worker.inFlight, 5)
    open()
    await until('all are delivered', () => allDelivered([...queued, ...direct]))
    assert.equal(host.mails.length, 10)
  })

  test('does not leave one alone of which the store did not say whether it was accepted', async () => {
    const one = offered(message('a.example'))
    await store.write('acceptMessage', one)
    worker.settle(one, undefined)
    await until('it is delivered', () => isDelivered(one), 5_000)
    assert.equal(host.mails.length, 1)
  })

  test('offers nothing while it cannot see what waits', async () => {
    const before = message('a.example')
    await store.write('acceptMessage', before)
    await changeRow(storage, 'alter table queue_pauses rename to away', [])
    worker.poke()
    await assert.rejects(store.write('resumeQueue', { kind: 'stream', value: 'none' }))
    assert.equal(worker.offer(message('a.example')), undefined)
    await changeRow(storage, 'alter table away rename to queue_pauses', [])
    await until('it is delivered', () => isDelivered(before), 5_000)
    const next = offered(message('a.example'))
    worker.settle(next, await store.write('acceptMessage', next))
    await until('the next one is, too', () => isDelivered(next), 5_000)
  })

  test('stops at once when all recipients of the last one turn out to be suppressed', async () => {
    const one = offered(message('a.example'))
    const stopped = stop()
    const began = performance.now()
    worker.settle(one, {
      kind: 'accepted',
      direct: { positions: [], domainName: 'example.test', relayUrl: null },
    })
    await stopped
    assert.ok(performance.now() - began < 5_000)
  })

  test('hands back what is accepted while it stops, untried', async () => {
    const one = offered(message('a.example'))
    const stopped = stop()
    worker.settle(one, await store.write('acceptMessage', one))
    await stopped
    assert.deepEqual(await stateOf(one), ['queued', 'ready', null])
    assert.equal(host.mails.length, 0)
  })

  test('hands back what is accepted when it has stopped', async () => {
    await stop()
    const one = { ...message('a.example'), lease: { lease: 'nod_x.1', leaseUntil: Date.now() + 60_000 } }
    worker.settle(one, await store.write('acceptMessage', one))
    await until('it is back', async () => (await stateOf(one))[1] === 'ready', 5_000)
    assert.equal(host.connections.length, 0)
  })
})
