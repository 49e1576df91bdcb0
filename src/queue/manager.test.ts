// The queue manager: immediate delivery to a real mail host, and changes between acceptance and attempt.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { connect } from '../../test/support/dialog-threads.ts'
import { DnsHost } from '../../test/support/dns-host.ts'
import { MailHost } from '../../test/support/mail-host/mail-host.ts'
import { claim, createOwner, messageTo, standingOf } from '../../test/support/queued.ts'
import { changeRow, type TestStorage, testStorage } from '../../test/support/store.ts'
import { stays, until } from '../../test/support/test-clock.ts'
import { ComposingThread } from '../delivery/composing.ts'
import { messageOpener } from '../delivery/deliver.ts'
import { Preparation } from '../delivery/prepare.ts'
import { keepInInbox } from '../delivery/test-inbox.ts'
import { createResolver } from '../dns/resolver.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { ConnectionPool, DEFAULT_LIMITS } from '../egress/pool.ts'
import { Routes } from '../egress/route.ts'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { PublicUrl } from '../lib/public-url.ts'
import { type Lease, newLease } from '../model/lease.ts'
import { timeoutsWithin } from '../smtp/timeouts.ts'
import { type AcceptMessage, acceptMessage } from '../store/accepting/accept-message.ts'
import type { Store } from '../store/database/store.ts'
import { findMessage, type Owner } from '../store/messages/messages.ts'
import { NodeName } from '../store/node/node-identity.ts'
import { openStore } from '../store/node/open-in-mode.ts'
import { releaseAllLeases } from '../store/queue/leases.ts'
import { claimRecipients } from '../store/queue/queue.ts'
import { resumeQueue } from '../store/queue/queue-control.ts'
import { QueueManager } from './manager.ts'

const ZONE = { '*.example': { MX: ['10 mx.test'] }, 'mx.test': { A: ['127.0.0.1'] } }

describe('a queue manager that is asked for immediate delivery', () => {
  let store: Store
  let owner: Owner
  let storage: TestStorage
  let host: MailHost
  let queue: QueueManager
  let isStopped: boolean
  let skew: number
  let ends: (() => Promise<void>)[]
  /** Called after the store has executed a claim and before the manager receives the result. */
  let whenClaimed: () => void

  beforeEach(async () => {
    ends = []
    isStopped = false
    skew = 0
    whenClaimed = () => {}
    storage = await testStorage('sqlite')
    ends.push(() => storage.remove())
    store = await openStore({ ...storage, log: silentLog })
    ends.push(() => store.close())
    owner = await createOwner(store)
    host = await MailHost.start()
    ends.push(() => host.stop())
    queue = await startQueue()
    ends.push(() => stop())
    await until('the first check of the queue is over', () => reservesOne())
  })
  afterEach(async () => {
    for (const end of ends.reverse()) await end()
  })

  async function startQueue(): Promise<QueueManager> {
    const dns = await DnsHost.start(ZONE)
    ends.push(() => dns.stop())
    const network = {
      resolver: createResolver({ servers: [dns.server] }),
      allowed: parseNetworks('127.0.0.0/8'),
    }
    const routes = new Routes({
      ...{ store, clock: systemClock, log: silentLog },
      ...network,
      probes: { ...network, sources: undefined },
      mxPort: host.port,
      mtaStsPort: 443,
      tlsReports: 'no',
      relayUrl: undefined,
      hostname: 'sender.test',
      returnPathHost: 'rp.sender.test',
      inbound: undefined,
      sourceAddresses: [],
      sourcePools: [],
      secureServers: undefined,
    })
    ends.push(() => routes.stop())
    const pool = new ConnectionPool(systemClock, DEFAULT_LIMITS, connect)
    ends.push(() => pool.stop())
    const { own, tlsResults } = routes
    const egress = { pool, clock: systemClock, heloName: 'sender.test', ownNames: own.names, tlsResults }
    const watched: Store = {
      ...store,
      async write(write, item) {
        const result = await store.write(write, item)
        if (write.name === claimRecipients.name) whenClaimed()
        return result
      },
    }
    const made = new QueueManager({
      ...{
        store: watched,
        clock: systemClock,
        log: silentLog,
        node: new NodeName(),
        dataDir: storage.dataDir,
      },
      alone: true,
      skew: () => skew,
      rates: new Map(),
      delivery: (stopping) =>
        messageOpener({
          ...{ store, clock: systemClock, log: silentLog, routes, egress, stopping },
          preparation: new Preparation(
            store,
            { secret: 's', publicUrl: new PublicUrl('http://x.test') },
            new ComposingThread(),
          ),
          timeouts: timeoutsWithin(5_000),
          retrySchedule: [60_000],
          returnPathSecret: 's',
          keepInInbox,
        }),
    })
    await made.start()
    return made
  }

  async function stop(): Promise<void> {
    if (!isStopped) await queue.stop()
    isStopped = true
  }

  /** Returns a message to one address at a given domain. */
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

  /** Returns the message with a lease that the manager has reserved. */
  function reserved(one: AcceptMessage): AcceptMessage {
    const lease = queue.reserve(one)
    assert.ok(lease, 'there is room')
    return { ...one, lease }
  }

  /** Returns whether the manager would now reserve slots for a message; cancels the reservation. */
  function reservesOne(): boolean {
    const one = message('a.example')
    const lease = queue.reserve(one)
    if (lease !== undefined) queue.commit({ ...one, lease }, { kind: 'key_reused' })
    return lease !== undefined
  }

  const stateOf = async ({ message: { id } }: AcceptMessage): Promise<(string | null | undefined)[]> => {
    const [recipient] = (await findMessage(store.read, owner, id))!.recipients
    return [recipient?.status, await standingOf(store, { messageId: id })]
  }
  const isDelivered = async (one: AcceptMessage) => (await stateOf(one))[0] === 'delivered'
  const allDelivered = async (all: readonly AcceptMessage[]): Promise<boolean> =>
    (await Promise.all(all.map(isDelivered))).every(Boolean)

  test('begins at once, and only once', async () => {
    const one = reserved(message('a.example'))
    queue.commit(one, await store.write(acceptMessage, one))
    await until('the message is delivered', () => isDelivered(one))
    await until('its slot is free', () => queue.inFlight === 0)
    assert.equal(host.mails.length, 1)
  })

  test('claims nothing while its clock is wrong, and resumes without help', async () => {
    const one = message('a.example')
    await store.write(acceptMessage, one)
    for (skew of [-3_600_000, -6_000, 6_000]) {
      assert.equal(queue.reserve(message('b.example')), undefined)
      queue.wake()
      const isReady = async (): Promise<boolean> => (await stateOf(one)).join() === 'queued,ready'
      await stays('nothing is claimed', isReady, 50)
    }
    skew = 0
    await until('the message is delivered', () => isDelivered(one))
  })

  test('keeps to the window of a site when a claim under way takes the same slots', async () => {
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    let most = 0
    host.script = async ({ verb }) => {
      if (verb !== 'MESSAGE') return undefined
      most = Math.max(most, queue.inFlight)
      await opened
      return undefined
    }
    const queued = Array.from({ length: 5 }, () => message('a.example'))
    await Promise.all(queued.map((one) => store.write(acceptMessage, one)))
    queue.wake()
    const direct = Array.from({ length: 5 }, () => reserved(message('a.example')))
    const results = await Promise.all(direct.map((one) => store.write(acceptMessage, one)))
    for (const [index, one] of direct.entries()) queue.commit(one, results[index])
    await until('the window is full', () => most >= 5)
    await stays('no more are in flight', () => queue.inFlight === 5, 100)
    open()
    await until('all are delivered', () => allDelivered([...queued, ...direct]))
    assert.equal(host.mails.length, 10)
  })

  test('delivers immediately again although mail arrives during each claim', async () => {
    let lease: Lease | undefined
    let claims = 0
    whenClaimed = () => {
      if (lease !== undefined || ++claims > 20) return
      const one = message('a.example')
      lease = queue.reserve(one)
      if (lease === undefined) queue.wake()
      else queue.commit({ ...one, lease }, { kind: 'key_reused' })
    }
    queue.wake()
    queue.wake()
    await until(
      'a message has a lease, or too many claims passed without one',
      () => lease !== undefined || claims > 20,
    )
    assert.equal(claims, 2, 'the claim after the one that missed a recipient sees all')
  })

  test('attempts a message even if the store did not report whether it was accepted', async () => {
    const one = reserved(message('a.example'))
    await store.write(acceptMessage, one)
    queue.commit(one, undefined)
    await until('the message is delivered', () => isDelivered(one))
    assert.equal(host.mails.length, 1)
  })

  test('reserves nothing while it cannot read the queue', async () => {
    const before = message('a.example')
    await store.write(acceptMessage, before)
    await changeRow(storage, 'alter table queue_pauses rename to away', [])
    queue.wake()
    await assert.rejects(store.write(resumeQueue, { kind: 'stream', value: 'none' }))
    await until('the manager knows that its claim failed', () => !reservesOne())
    await stays('nothing is reserved', () => !reservesOne(), 100)
    await changeRow(storage, 'alter table away rename to queue_pauses', [])
    await until('the message is delivered', () => isDelivered(before))
    const next = reserved(message('a.example'))
    queue.commit(next, await store.write(acceptMessage, next))
    await until('the next message is delivered', () => isDelivered(next))
  })

  test('stops at once when all recipients of the last message turn out to be suppressed', async () => {
    const one = reserved(message('a.example'))
    const stopped = stop()
    const began = performance.now()
    queue.commit(one, {
      kind: 'accepted',
      immediate: { positions: [], domainName: 'example.test', relayUrl: null },
    })
    await stopped
    assert.ok(performance.now() - began < 20_000)
  })

  test('resumes recipients that were under way at three ends of its process', async () => {
    await stop()
    const caught = Array.from({ length: 5 }, () => message('a.example'))
    await Promise.all(caught.map((one) => store.write(acceptMessage, one)))
    const now = Date.now()
    for (let end = 0; end < 3; end++) {
      assert.equal((await claim(store, { now, suspects: 5 })).recipients.length, 5)
      await store.write(releaseAllLeases, { now })
    }
    queue = await startQueue()
    isStopped = false
    await until('all are delivered', () => allDelivered(caught))
    assert.equal(host.mails.length, 5)
  })

  test('releases messages accepted while it stops, without an attempt', async () => {
    const one = reserved(message('a.example'))
    const stopped = stop()
    queue.commit(one, await store.write(acceptMessage, one))
    await stopped
    assert.deepEqual(await stateOf(one), ['queued', 'ready'])
    assert.equal(host.mails.length, 0)
  })

  test('releases messages accepted after it has stopped', async () => {
    await stop()
    const one = { ...message('a.example'), lease: newLease(systemClock, 'nod_x.1') }
    queue.commit(one, await store.write(acceptMessage, one))
    await until('the recipient is ready again', async () => (await stateOf(one))[1] === 'ready')
    assert.equal(host.connections.length, 0)
  })
})
