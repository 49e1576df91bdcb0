// The queue on both databases: fair order, states, slots, pauses, lost leases and suspects.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  claim,
  createOwner,
  finish,
  type Held,
  messageTo,
  NOW,
  standingOf,
} from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import { newId } from '../../lib/ids.ts'
import { accountShare, flowOf, type PauseKind } from '../../model/queue-state.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import { changeAccount, setAccountStatus } from '../access/accounts.ts'
import type { Store } from '../database/store.ts'
import { createDomain, deleteDomain, setDomainPaused } from '../domains/domains.ts'
import { findMessage, type Owner } from '../messages/messages.ts'
import { readRecipients } from '../messages/recipients.ts'
import { suppress } from '../workspace/suppressions.ts'
import { releaseAllLeases, releaseLeases, releaseLeasesOf, renewLeases } from './leases.ts'
import { recordOutcome } from './outcomes.ts'
import type { Claim } from './queue.ts'
import { pauseQueue, resumeQueue, retryRecipients } from './queue-control.ts'
import { queueOutlook } from './queue-moves.ts'
import { listWaiting } from './waiting.ts'

for (const database of DATABASES) {
  describe(`queue on ${database}`, () => {
    let store: Store
    let owner: Owner
    beforeEach(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
    })
    afterEach(() => store.close())

    /** Accepts one message for each recipient, with increasing start tags. */
    async function queue(emails: readonly string[], stream = 'transactional', from = NOW): Promise<void> {
      const items = emails.map((email, index) => {
        const item = messageTo(owner, [email])
        const recipients = item.recipients.map((one) => ({ ...one, startTag: from + index }))
        return { ...item, recipients, message: { ...item.message, stream } }
      })
      await Promise.all(items.map((item) => store.write(acceptMessage, item)))
    }
    const to = ({ recipients }: Claim): string[] => recipients.map((one) => one.email)
    const many = (count: number, domain: string): string[] =>
      Array.from({ length: count }, (_, index) => `r${index}@${domain}`)
    /** Returns the flow of a share in which the recipients of `queue` wait. */
    const flow = (share: string, stream = 'transactional'): string =>
      flowOf(share, { domainId: owner.domainId, stream })
    const stateOf = (email: string): Promise<string | null> => standingOf(store, { email })

    test('claims by start tag, not by time of acceptance', async () => {
      await queue(['late@a.example'], 'broadcast', NOW + 5_000)
      await queue(['early@a.example'], 'transactional', NOW + 10)
      assert.deepEqual(to(await claim(store, { limit: 1 })), ['early@a.example'])
      assert.deepEqual(
        to(await claim(store)),
        ['late@a.example'],
        'a start tag in the future is not waited for',
      )
    })

    test('throttles recipients whose destination has no slots, once, and claims them when there are slots again', async () => {
      await queue(many(10, 'full.example'))
      await queue(['x@other.example'], 'transactional', NOW + 100)
      const first = await claim(store, { limit: 8, eachDestination: 3 })
      assert.deepEqual(
        [first.recipients.length, first.throttled, first.more],
        [3, [flow('full.example')], true],
      )
      const second = await claim(store, { limit: 8, byShare: new Map([['full.example', 0]]) })
      assert.deepEqual(
        [to(second), second.throttled, second.more],
        [['x@other.example'], [flow('full.example')], false],
      )
      assert.deepEqual([...second.lowest.flows], [], 'no flow was read')
      assert.deepEqual([...second.lowest.throttled.keys()], [flow('full.example')])
      const third = await claim(store, { byShare: new Map([['full.example', 0]]) })
      assert.deepEqual([to(third), third.throttled], [[], []], 'it is not looked at again')
      assert.deepEqual((await queueOutlook(store.read)).throttled, [flow('full.example')])
      const refilled = await claim(store, {
        refill: [flow('full.example')],
        byShare: new Map([['full.example', 4]]),
      })
      assert.deepEqual(to(refilled), [
        'r3@full.example',
        'r4@full.example',
        'r5@full.example',
        'r6@full.example',
      ])
      assert.equal((await claim(store, { refill: [flow('full.example')] })).recipients.length, 3)
      assert.deepEqual((await queueOutlook(store.read)).throttled, [])
    })

    test('reports more when throttled recipients left no slots for ready ones', async () => {
      await queue(many(6, 'full.example'))
      await claim(store, { byShare: new Map([['full.example', 0]]) })
      await queue(many(5, 'other.example'), 'transactional', NOW + 100)
      const refilling = { limit: 8, refill: [flow('full.example')] }
      const first = await claim(store, refilling)
      assert.deepEqual([first.recipients.length, first.more], [8, true])
      const second = await claim(store, refilling)
      assert.deepEqual([second.recipients.length, second.more], [3, false])
    })

    test('claims no more bytes than fit, for a destination and in total, but always one message, and small ones always', async () => {
      const large = (email: string) => {
        const item = messageTo(owner, [email])
        return store.write(acceptMessage, { ...item, message: { ...item.message, size: 100_000 } })
      }
      for (let count = 0; count < 4; count++) await large(`r${count}@a.example`)
      for (let count = 0; count < 2; count++) await large(`r${count}@b.example`)
      await queue(['small@a.example'], 'transactional', NOW + 1)
      const byShare = new Map([
        ['%a.example', 150_000],
        ['%b.example', 150_000],
      ])
      const first = await claim(store, { bytes: 350_000, byShare })
      assert.deepEqual(to(first), ['r0@a.example', 'r0@b.example', 'small@a.example'])
      assert.deepEqual([...first.throttled].sort(), [flow('%a.example'), flow('%b.example')])
      await queue(['small@b.example'], 'transactional', NOW + 2)
      assert.deepEqual(
        to(await claim(store, { bytes: 0 })),
        ['small@b.example'],
        'nobody stands behind large ones',
      )
      const refill = ['%a.example', '%b.example', `%@${owner.accountId}`].map((share) => flow(share))
      assert.equal((await claim(store, { bytes: 1, refill })).recipients.length, 1)
      assert.deepEqual(to(await claim(store, { bytes: 0, refill })), [])
      assert.equal((await claim(store, { bytes: 10_000_000, refill })).recipients.length, 3)
    })

    test('releases the recipients of a claim without an answer by its token, without a fault', async () => {
      await queue(['a@a.example', 'b@a.example'])
      const { recipients: lost } = await claim(store, { limit: 1 })
      await claim(store)
      const found = await claim(store, { abandoned: [lost[0]!.lease] })
      assert.deepEqual(to(found), [lost[0]!.email])
      assert.deepEqual([found.recipients[0]?.faults, found.recipients[0]?.attempt], [0, 1])
    })

    test("releases the leases of a node's earlier process at its start, with a fault, and no others", async () => {
      await queue(['a@a.example', 'b@a.example'])
      const leaseOf = (token: string) => ({ token, until: NOW + 60_000, endsAt: Number.POSITIVE_INFINITY })
      const own = await claim(store, { limit: 1, lease: leaseOf('nod_a.x.1') })
      await claim(store, { lease: leaseOf('nod_ab.x.1') })
      await store.write(releaseLeasesOf, { node: 'nod_a' })
      const { recipients } = await claim(store)
      assert.deepEqual([recipients.map(({ email }) => email), recipients[0]?.faults], [to(own), 1])
    })

    test('records a delivery after the lease has ended, whoever has the recipient', async () => {
      await queue(['a@a.example', 'b@a.example'])
      const [first, second] = (await claim(store)).recipients as [Held, Held]
      await store.write(releaseAllLeases, { now: NOW })
      assert.equal(await finish(store, first, 'delivered'), true)
      assert.equal(await finish(store, second, 'bounced'), false)
      const [again] = (await claim(store)).recipients as [Held]
      assert.deepEqual(again.email, 'b@a.example')
      assert.equal(await finish(store, second, 'delivered'), true, 'another node has it')
      assert.equal(await finish(store, again, 'deferred', NOW), false)
      assert.deepEqual(to(await claim(store, { now: NOW + 100_000 })), [])
      const found = await findMessage(store.read, owner, second.messageId)
      assert.deepEqual(
        found?.events.map(({ type }) => type).filter((type) => type !== 'sending'),
        ['accepted', 'delivered'],
      )
    })

    test('counts a late delivery after the attempt of another node, and not after the end', async () => {
      await queue(['a@a.example', 'b@a.example'])
      const [first, second] = (await claim(store)).recipients as [Held, Held]
      await store.write(releaseAllLeases, { now: NOW })
      const others = (await claim(store)).recipients as [Held, Held]
      assert.equal(await finish(store, others[0], 'deferred', NOW + 60_000), true)
      assert.equal(await finish(store, first, 'delivered'), true)
      assert.equal(await finish(store, others[1], 'bounced'), true)
      assert.equal(await finish(store, second, 'delivered'), false)
      assert.deepEqual(to(await claim(store, { now: NOW + 100_000 })), [])
    })

    test('reads from the marks on, and includes earlier recipients that the claim itself makes ready', async () => {
      const from = { ready: NOW + 1_000, due: 0, leases: 0, flows: new Map() }
      await queue(['below@a.example'])
      await queue(['above@a.example'], 'transactional', NOW + 2_000)
      const first = await claim(store, { from })
      assert.deepEqual([to(first), first.lowest.ready], [['above@a.example'], NOW + 2_000])
      assert.equal((await queueOutlook(store.read, '', from)).lowest.ready, Number.POSITIVE_INFINITY)
      assert.equal((await queueOutlook(store.read)).lowest.ready, NOW)
      const [below] = (await claim(store)).recipients as [Held]
      await finish(store, below, 'deferred', NOW + 500)
      assert.deepEqual(to(await claim(store, { from, now: NOW + 600 })), ['below@a.example'], 'it fell due')
      const taken = await claim(store, { from: { ...from, ready: NOW + 90_000 }, now: NOW + 70_000 })
      assert.deepEqual(to(taken).sort(), ['above@a.example', 'below@a.example'], 'their leases ended')
      await store.write(pauseQueue, { kind: 'destination', value: 'b.example', created_at: NOW })
      await queue(['held@b.example'])
      await claim(store)
      await store.write(resumeQueue, { kind: 'destination', value: 'b.example' })
      assert.deepEqual(to(await claim(store, { from })), ['held@b.example'], 'it was resumed')
    })

    test('holds a paused destination, stream or domain until it is resumed', async () => {
      const { name } = await store.read.selectFrom('domains').select('name').executeTakeFirstOrThrow()
      for (const [kind, value] of [
        ['destination', 'a.example'],
        ['stream', 'news'],
        ['domain', name],
      ] as const) {
        const pause = { kind, value, created_at: NOW }
        await queue(many(600, 'a.example'), 'news')
        await store.write(pauseQueue, pause)
        assert.deepEqual(to(await claim(store)), [])
        assert.equal((await queueOutlook(store.read)).dueAt, undefined, 'nothing to wait for')
        await store.write(resumeQueue, pause)
        const taken = [...(await claim(store)).recipients, ...(await claim(store)).recipients]
        assert.equal(taken.length, 600)
        await Promise.all(taken.map((one) => finish(store, one, 'delivered')))
      }
    })

    test('resumes each of very many pauses, some at a time', async () => {
      const pauses = Array.from({ length: 300 }, (_, index) => ({
        ...{ kind: 'destination' as const, value: `d${index}.example`, created_at: NOW },
      }))
      await queue(pauses.map(({ value }) => `you@${value}`))
      await Promise.all(pauses.map((pause) => store.write(pauseQueue, pause)))
      const first = await claim(store)
      assert.deepEqual([to(first), first.holdsNext], [[], ''], 'none was held before')
      const ended = [...pauses].sort((a, b) => (a.value < b.value ? -1 : 1)).at(-1)!
      await store.write(resumeQueue, ended)
      const some = await claim(store)
      assert.deepEqual(to(some), [])
      const rest = await claim(store, { holdsFrom: some.holdsNext })
      assert.deepEqual([to(rest), rest.holdsNext], [[`you@${ended.value}`], ''])
    })

    test('holds a domain that its account has paused, and not one with the same name that others claim or had', async () => {
      const domain = await store.read.selectFrom('domains').selectAll().executeTakeFirstOrThrow()
      const pause = (one: { id: string; account_id: string }, paused: boolean) =>
        store.write(setDomainPaused, { domain: one, paused, now: NOW })
      await queue(many(3, 'a.example'))
      const stranger = await createOwner(store)
      const claimer = { ...domain, id: newId('dom'), account_id: stranger.accountId, claim_token: 'x' }
      const claimed = { domain: { ...claimer, verified_at: null }, dkimKeys: [], records: [] }
      assert.equal(await store.write(createDomain, claimed), 'created')
      await pause(claimer, true)
      assert.equal(to(await claim(store, { limit: 1 })).length, 1)
      await store.write(deleteDomain, { domain: claimer, now: NOW })
      assert.equal(to(await claim(store, { limit: 1 })).length, 1)
      await pause(domain, true)
      assert.deepEqual(to(await claim(store)), [])
      await pause(domain, false)
      assert.equal(to(await claim(store)).length, 1)
    })

    test('holds the mail of a suspended account and no other, until the account is active again', async () => {
      const become = (status: 'active' | 'suspended') =>
        store.write(setAccountStatus, { id: owner.accountId, status, now: NOW })
      await queue(many(2, 'a.example'))
      const other = await createOwner(store)
      await store.write(acceptMessage, messageTo(other, ['b@a.example']))
      await become('suspended')
      assert.deepEqual(to(await claim(store)), ['b@a.example'])
      await become('active')
      assert.equal(to(await claim(store)).length, 2)
    })

    test('names what holds a recipient, since when, and with which note', async () => {
      const { name } = await store.read.selectFrom('domains').select('name').executeTakeFirstOrThrow()
      const domain = { id: owner.domainId, account_id: owner.accountId }
      const message = messageTo(owner, ['a@a.example', 'b@b.example'])
      await store.write(acceptMessage, message)
      await queue(['c@c.example'])
      const holds = async () => {
        const found = await readRecipients(store.read, [message.message.id])
        return found.map(({ held, next_attempt_at }) =>
          held === null
            ? next_attempt_at !== null
            : [held.cause, held.value, held.since, held.note, next_attempt_at],
        )
      }
      assert.deepEqual(await holds(), [true, true])
      const pause = (kind: PauseKind, value: string, at: number, note?: string) =>
        store.write(pauseQueue, { kind, value, created_at: at, ...(note === undefined ? {} : { note }) })
      await pause('destination', 'a.example', NOW + 1)
      assert.deepEqual(await holds(), [['destination_paused', 'a.example', NOW + 1, null, null], true])
      assert.equal(await pause('destination', 'a.example', NOW + 2, 'They asked for a break'), false)
      const [first] = await holds()
      assert.deepEqual(first, ['destination_paused', 'a.example', NOW + 1, 'They asked for a break', null])
      // A pause holds a recipient before a claim finds the pause, and also a recipient that waits for a later time.
      const both = (one: unknown[]) => [one, one]
      await pause('stream', 'transactional', NOW + 3)
      assert.deepEqual(await holds(), both(['stream_paused', 'transactional', NOW + 3, null, null]))
      await pause('domain', name, NOW + 4, 'Spam')
      assert.deepEqual(await holds(), both(['domain_paused_by_operator', name, NOW + 4, 'Spam', null]))
      await store.write(setDomainPaused, { domain, paused: true, now: NOW + 5 })
      assert.deepEqual(await holds(), both(['domain_paused', name, NOW + 5, null, null]))
      const account = { id: owner.accountId, status: 'suspended' as const }
      await store.write(setAccountStatus, { ...account, now: NOW + 6 })
      await store.write(changeAccount, { id: account.id, changes: { status: 'suspended' }, now: NOW + 7 })
      assert.deepEqual(await holds(), both(['account_suspended', owner.accountId, NOW + 6, null, null]))
      const waiting = await listWaiting(store.read, { messageId: message.message.id }, 5, undefined)
      assert.deepEqual(
        waiting.map(({ held }) => held?.cause),
        both(['account_suspended']).flat(),
      )
      await store.write(setAccountStatus, { ...account, status: 'active', now: NOW + 8 })
      await store.write(setDomainPaused, { domain, paused: false, now: NOW + 8 })
      for (const [kind, value] of [
        ['domain', name],
        ['stream', 'transactional'],
        ['destination', 'a.example'],
      ] as const) {
        await store.write(resumeQueue, { kind, value })
      }
      assert.deepEqual(await holds(), [true, true])
      assert.equal(to(await claim(store)).length, 3)
      assert.deepEqual(await holds(), [true, true], 'an attempt is in progress')
    })

    test('a retry by a customer leaves recipients out that a pause holds', async () => {
      const emails = ['a@a.example', 'b@b.example']
      await queue(emails)
      for (const one of (await claim(store)).recipients as Held[]) {
        await finish(store, one, 'deferred', NOW + 60_000)
      }
      await store.write(pauseQueue, { kind: 'destination', value: 'a.example', created_at: NOW })
      const selection = { owner }
      const { recipients } = await store.write(retryRecipients, { selection, now: NOW })
      assert.equal(recipients, 1)
      assert.deepEqual(to(await claim(store)), ['b@b.example'])
      await store.write(resumeQueue, { kind: 'destination', value: 'a.example' })
    })

    test('makes a deferred recipient ready when it is due', async () => {
      await queue(['a@a.example'])
      const [first] = (await claim(store)).recipients as [Held]
      await finish(store, first, 'deferred', NOW + 60_000)
      assert.equal((await queueOutlook(store.read)).dueAt, NOW + 60_000)
      assert.deepEqual(to(await claim(store, { now: NOW + 55_000 })), [])
      const [again] = (await claim(store, { now: NOW + 65_000 })).recipients as [Held]
      assert.deepEqual([again.attempt, again.faults], [2, 0])
    })

    test('frees recipients when a lease ends, and the late worker cannot write', async () => {
      await queue(['a@a.example'])
      const [held] = (await claim(store)).recipients as [Held]
      assert.deepEqual(to(await claim(store)), [])
      const { messageId, position } = held
      assert.deepEqual(await store.write(renewLeases, { held: [held], until: NOW + 90_000 }), [
        { messageId, position },
      ])
      assert.deepEqual(to(await claim(store, { now: NOW + 65_000 })), [], 'it was renewed')
      const [taken] = (await claim(store, { now: NOW + 95_000 })).recipients as [Held]
      assert.deepEqual([taken.attempt, taken.faults], [1, 0], 'an attempt that never ended does not count')
      assert.equal(await finish(store, held, 'bounced'), false)
      const lost = await store.write(renewLeases, { held: [held], until: NOW })
      assert.deepEqual(lost, [], 'nor renew what it lost, and it is told so')
      assert.deepEqual(to(await claim(store, { now: NOW + 96_000 })), [])
      assert.equal(await finish(store, taken, 'delivered'), true)
      assert.equal(await stateOf('a@a.example'), null)
    })

    test('makes recipients that a stopping node releases ready at once and in order', async () => {
      await queue(['a@a.example'])
      const { recipients: held } = await claim(store)
      await store.write(releaseLeases, { held, now: NOW })
      const row = await store.read.selectFrom('queue').selectAll().executeTakeFirstOrThrow()
      assert.deepEqual([row.state, row.faults, row.attempts, row.lease], ['ready', 0, 0, null])
      const [again] = (await claim(store)).recipients as [Held]
      assert.deepEqual([again.attempt, again.faults], [1, 0])
    })

    test('frees all recipients of the earlier process when a lone node starts', async () => {
      await queue(many(1_300, 'a.example'))
      await claim(store, { limit: 1_300 })
      await claim(store, { limit: 1_300 })
      await store.write(releaseAllLeases, { now: NOW })
      assert.equal((await claim(store, { limit: 2_000 })).recipients.length, 1_300)
    })

    test('claims a recipient that crashed a process with few others, then alone, and fails it with an event', async () => {
      await queue(many(6, 'a.example'))
      for (let faults = 0; faults < 2; faults++) {
        const { recipients } = await claim(store)
        assert.deepEqual(
          recipients.map((one) => one.faults),
          Array(6).fill(faults),
        )
        await store.write(releaseAllLeases, { now: NOW })
      }
      const few = await claim(store, { suspects: 2 })
      assert.equal(few.recipients.length, 2)
      assert.deepEqual(to(await claim(store, { suspects: 0, isolated: false })), [])
      const [poison, innocent] = few.recipients as [Held, Held]
      await finish(store, innocent, 'delivered')
      const others = (await claim(store)).recipients
      assert.equal(others.length, 4, 'the others go on by themselves')
      for (const other of others) await finish(store, other, 'delivered')
      for (let alone = 0; alone < 3; alone++) {
        await store.write(releaseAllLeases, { now: NOW })
        assert.deepEqual(to(await claim(store, { isolated: false, suspects: 0 })), [])
        assert.equal(await stateOf(poison.email), 'quarantined')
        assert.deepEqual(to(await claim(store)), [poison.email])
      }
      await store.write(releaseAllLeases, { now: NOW })
      const last = await claim(store)
      assert.deepEqual(last.failed, [poison.messageId])
      assert.equal(await stateOf(poison.email), null)
      const found = await findMessage(store.read, owner, poison.messageId)
      assert.equal(found?.message.status, 'failed')
      assert.equal(found?.events.at(-1)?.type, 'failed')
      assert.match(found?.events.at(-1)?.detail ?? '', /the process ended during each attempt/)
    })

    test('does not blame a recipient whose attempt had lasted for a while', async () => {
      await queue(['a@a.example'])
      for (let ends = 0; ends < 10; ends++) {
        const [held] = (await claim(store)).recipients as [Held]
        assert.equal(held.faults, 0)
        await store.write(renewLeases, { held: [held], until: NOW + 70_000 })
        await store.write(releaseAllLeases, { now: NOW })
      }
    })

    test('keeps claiming a recipient in quarantine, and clears its faults after an attempt that ended', async () => {
      await queue(['a@a.example'])
      for (let ends = 0; ends < 3; ends++) {
        await claim(store)
        await store.write(releaseAllLeases, { now: NOW })
      }
      assert.deepEqual(to(await claim(store, { isolated: false, suspects: 0 })), [])
      assert.equal(await stateOf('a@a.example'), 'quarantined')
      const [one] = (await claim(store)).recipients as [Held]
      await finish(store, one, 'deferred', NOW)
      assert.deepEqual(
        (await claim(store)).recipients.map(({ faults }) => faults),
        [0],
      )
    })

    test('throttles recipients whose account has no slots, and others pass them to the same destination', async () => {
      await queue(many(5, 'a.example'))
      const other = await createOwner(store)
      await store.write(acceptMessage, messageTo(other, ['b@a.example']))
      const share = accountShare(owner.accountId)
      const first = await claim(store, { byShare: new Map([[share, 2]]) })
      assert.deepEqual(to(first).sort(), ['b@a.example', 'r0@a.example', 'r1@a.example'])
      assert.deepEqual(first.throttled, [flow(share)])
      assert.deepEqual(to(await claim(store)), [], 'it is not looked at again')
      assert.deepEqual((await queueOutlook(store.read)).throttled, [flow(share)])
      assert.equal((await claim(store, { refill: [flow(share)] })).recipients.length, 3)
    })

    test('keeps the order of a recipient that is released as throttled', async () => {
      await queue(['a@a.example', 'b@a.example'])
      const { recipients } = await claim(store)
      const held = recipients.map((one) => ({
        ...one,
        throttledIn: { flow: flow('a.example'), startTag: one.startTag },
      }))
      await store.write(releaseLeases, { held, now: NOW + 5_000 })
      assert.deepEqual(to(await claim(store)), [])
      const refilled = (await claim(store, { refill: [flow('a.example')] })).recipients
      assert.deepEqual(
        refilled.map(({ email, startTag, attempt }) => [email, startTag, attempt]),
        [
          ['a@a.example', NOW, 1],
          ['b@a.example', NOW + 1, 1],
        ],
      )
    })

    test('gives turns to the flows of a destination, however long each is and whenever it began', async () => {
      await queue(many(20, 'slow.example'), 'news', NOW - 3_600_000)
      await claim(store, { byShare: new Map([['slow.example', 0]]) })
      await queue(['reset@slow.example', 'code@slow.example'])
      await claim(store, { byShare: new Map([['slow.example', 0]]) })
      const refill = [flow('slow.example', 'news'), flow('slow.example')]
      assert.deepEqual((await queueOutlook(store.read)).throttled.toSorted(), refill)
      const byShare = new Map(refill.map((one) => [one, 1]))
      const turns = [
        await claim(store, { refill, byShare }),
        // A recipient that is ready now must wait too, because the free slots belong to the flows of throttled
        // recipients.
        await queue(['late@slow.example'], 'news', NOW - 7_200_000).then(() =>
          claim(store, { refill, byShare: new Map([...byShare, ['slow.example', 2]]) }),
        ),
      ]
      assert.deepEqual(turns.map(to), [
        ['r0@slow.example', 'reset@slow.example'],
        ['r1@slow.example', 'code@slow.example'],
      ])
      assert.equal(await stateOf('late@slow.example'), 'throttled destination slow.example')
      const rest = await claim(store, { refill })
      assert.equal(rest.recipients.length, 19)
      assert.equal(to(rest)[0], 'late@slow.example', 'within its flow it is the first')
    })

    test('remembers an unknown outcome', async () => {
      await queue(['a@a.example'])
      const [one] = (await claim(store)).recipients as [Held]
      assert.equal(one.possibleDuplicate, false)
      await store.write(recordOutcome, {
        claimed: one,
        lease: one.lease,
        outcome: { status: 'deferred', reason: 'cut off', unknown: true },
        attempt: { startedAt: NOW, durationMs: 1, transcript: '' },
        nextAttemptAt: NOW,
        now: NOW,
      })
      const [again] = (await claim(store)).recipients as [Held]
      assert.equal(again.possibleDuplicate, true)
      await finish(store, again, 'delivered')
      const found = await findMessage(store.read, owner, one.messageId)
      const flagged = found?.events.filter(({ detail }) => detail.includes('"possible_duplicate":true'))
      assert.deepEqual(
        flagged?.map((event) => event.type),
        ['deferred', 'delivered'],
      )
    })

    test('never claims a recipient that was suppressed while it waited', async () => {
      await queue(many(1_000, 'a.example'), 'news')
      await queue(['r7@a.example'], 'transactional')
      const suppression = {
        account_id: owner.accountId,
        domain_id: owner.domainId,
        stream: 'news',
        reason: 'unsubscribe' as const,
        message_id: null,
        created_at: NOW,
      }
      for (const email of ['r7@a.example', 'r999@a.example'])
        await store.write(suppress, { ...suppression, email })
      const taken = (await claim(store, { limit: 2_000 })).recipients
      assert.equal(taken.length, 999)
      assert.deepEqual(
        taken.filter((one) => one.email === 'r7@a.example').map((one) => one.stream),
        ['transactional'],
      )
      const rows = await store.read
        .selectFrom('recipients')
        .select('email')
        .where('status', '=', 'suppressed')
        .orderBy('email')
        .execute()
      assert.deepEqual(rows, [{ email: 'r7@a.example' }, { email: 'r999@a.example' }])
      assert.equal(await stateOf('r999@a.example'), null)
    })

    test('never gives a recipient to two workers', async () => {
      await queue(many(400, 'a.example'))
      const claims = await Promise.all(
        Array.from({ length: 8 }, () => claim(store, { limit: 60, eachDestination: 20 })),
      )
      const rest = await claim(store, { limit: 500, refill: [flow('a.example')] })
      const keys = [...claims, rest].flatMap(({ recipients }) => recipients.map((one) => one.messageId))
      assert.equal(new Set(keys).size, keys.length)
      assert.equal(keys.length, 400)
    })
  })
}
