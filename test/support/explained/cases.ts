// Sixty prepared cases of mail that did not arrive, each with its verdict.

import type { Verdict } from '../../../src/explain/explanation.ts'
import type { Scene } from './scene.ts'

/** A case: what has happened, the conditions of the question, and the expected explanation. */
export interface Case {
  readonly name: string
  readonly verdict: Verdict
  /** Prepares the scene, and returns the conditions of the question, if there are any. */
  given(scene: Scene): Promise<unknown>
  /** Kind of the first fact. */
  readonly first: string
  readonly step?: string | null
  readonly sure?: boolean
}

const IN_AN_HOUR = (): number => Date.now() + 3_600_000

/** Every verdict by itself. */
const SINGLE: readonly Case[] = [
  {
    ...{ name: 'nothing was sent', verdict: 'never_asked', first: 'no_message', step: 'send_message' },
    given: async () => undefined,
  },
  {
    ...{ name: 'the address was misspelt', verdict: 'never_asked', first: 'no_message' },
    step: 'use_similar_address',
    async given(scene) {
      await other(scene, scene.email.replace('person', 'peson')).message()
    },
  },
  {
    ...{ name: 'the domain was misspelt', verdict: 'never_asked', first: 'no_message' },
    step: 'use_similar_address',
    async given(scene) {
      await other(scene, scene.email.replace('.example', '.exmaple')).message()
    },
  },
  {
    ...{ name: 'the message was for others', verdict: 'never_asked', first: 'other_recipients' },
    given: async (scene) => ({ message_id: await other(scene, 'quite.another@elsewhere.example').message() }),
  },
  {
    ...{ name: 'there is no such message', verdict: 'never_asked', first: 'unknown_message' },
    given: async () => ({ message_id: `msg_${'0'.repeat(26)}` }),
  },
  {
    ...{ name: 'the record was removed', verdict: 'never_asked', first: 'no_message', sure: false },
    async given(scene) {
      const id = await scene.message()
      await scene.suppress('complaint', 'transactional', id)
      await scene.removeRecord(id)
    },
  },
  {
    ...{ name: 'the messages are older than the question', verdict: 'never_asked', first: 'no_message' },
    async given(scene) {
      await scene.deliver(await scene.message({ daysAgo: 20 }))
      return { after: new Date(Date.now() - 86_400_000).toISOString() }
    },
  },
  {
    ...{ name: 'no subject fits', verdict: 'never_asked', first: 'no_message' },
    async given(scene) {
      await scene.deliver(await scene.message({ subject: 'Receipt' }))
      return { subject: 'invoice' }
    },
  },
  {
    ...{ name: 'a request without subject', verdict: 'refused_at_the_door', first: 'request_refused' },
    step: 'correct_request',
    given: async (scene) => void (await scene.refusedRequest()),
  },
  {
    ...{ name: 'a request from a foreign domain', verdict: 'refused_at_the_door', first: 'request_refused' },
    given: async (scene) => void (await scene.refusedRequest({ from: 'a@foreign.example' })),
  },
  {
    ...{
      name: 'a request with the address in capitals',
      verdict: 'refused_at_the_door',
      first: 'request_refused',
    },
    given: async (scene) => void (await scene.refusedRequest(undefined, scene.email.toUpperCase())),
  },
  {
    ...{ name: 'a refused row of a bulk', verdict: 'refused_at_the_door', first: 'row_refused' },
    async given(scene) {
      await scene.bulk('done', '[{"path":"name","code":"missing","message":"It is missing."}]')
    },
  },
  {
    ...{ name: 'cancelled by the sender', verdict: 'cancelled', first: 'cancelled', step: 'send_message' },
    given: async (scene) => void (await scene.cancel(await scene.message())),
  },
  {
    ...{ name: 'cancelled by the operator', verdict: 'cancelled', first: 'cancelled' },
    given: async (scene) => void (await scene.cancel(await scene.message(), 'operator')),
  },
  {
    ...{ name: 'cancelled while deferred', verdict: 'cancelled', first: 'cancelled' },
    async given(scene) {
      const id = await scene.message()
      await scene.defer(id)
      await scene.cancel(id)
    },
  },
  {
    ...{ name: 'a cancelled bulk', verdict: 'cancelled', first: 'bulk_cancelled', step: null },
    given: async (scene) => void (await scene.bulk('cancelled')),
  },
  {
    ...{ name: 'a paused destination', verdict: 'held', first: 'held', step: 'look_again' },
    async given(scene) {
      await scene.message()
      await scene.pauseDestination()
    },
  },
  {
    ...{ name: 'a destination that was paused after an attempt', verdict: 'held', first: 'held' },
    async given(scene) {
      await scene.defer(await scene.message())
      await scene.pauseDestination()
    },
  },
  {
    ...{ name: 'a paused bulk', verdict: 'held', first: 'bulk_paused', step: 'look_at_bulk' },
    async given(scene) {
      const problem = { code: 'sending_allowance_exhausted', detail: 'The allowance is used up.' }
      await scene.bulk('paused', null, JSON.stringify(problem))
    },
  },
  {
    ...{ name: 'a message for later', verdict: 'scheduled', first: 'scheduled', step: 'look_again' },
    given: async (scene) => void (await scene.message({ sendAt: IN_AN_HOUR() })),
  },
  {
    ...{ name: 'a message for later, by its ID', verdict: 'scheduled', first: 'scheduled' },
    async given(scene) {
      const id = await scene.message({ sendAt: IN_AN_HOUR() })
      await scene.cancel(await scene.message())
      return { message_id: id }
    },
  },
  {
    ...{ name: 'a message for later at a paused destination', verdict: 'scheduled', first: 'scheduled' },
    async given(scene) {
      await scene.message({ sendAt: IN_AN_HOUR() })
      await scene.pauseDestination()
    },
  },
  {
    ...{ name: 'an address that the account suppressed', verdict: 'suppressed', first: 'suppressed' },
    step: 'remove_suppression',
    async given(scene) {
      await scene.suppress('manual')
      await scene.message()
    },
  },
  {
    ...{ name: 'a recipient who has unsubscribed', verdict: 'suppressed', first: 'suppressed', step: null },
    async given(scene) {
      await scene.suppress('unsubscribe')
      await scene.message()
    },
  },
  {
    ...{ name: 'an address suppressed for the domain', verdict: 'suppressed', first: 'suppressed' },
    async given(scene) {
      await scene.suppress('manual', '*')
      await scene.message()
    },
  },
  {
    ...{ name: 'a suppression that was removed', verdict: 'suppressed', first: 'suppressed' },
    step: 'send_message',
    async given(scene) {
      await scene.suppress('manual')
      await scene.message()
      const { status } = await scene.call(
        'DELETE',
        `/v1/suppressions/${encodeURIComponent(scene.email)}?stream=transactional`,
      )
      if (status !== 204) throw new Error(`the suppression was not removed: ${status}`)
    },
  },
  {
    ...{
      name: 'a bounce report about a full mailbox',
      verdict: 'bounced_afterwards',
      first: 'bounced_afterwards',
    },
    step: 'look_at_message',
    given: (scene) => bouncedLater(scene),
  },
  {
    ...{
      name: 'a bounce report about an unknown user',
      verdict: 'bounced_afterwards',
      first: 'bounced_afterwards',
    },
    step: 'verify_address',
    given: (scene) => bouncedLater(scene, true),
  },
  {
    ...{ name: 'a bounce report without a host', verdict: 'bounced_afterwards', first: 'bounced_afterwards' },
    async given(scene) {
      const id = await scene.message()
      await scene.deliver(id)
      await scene.bounceLater(id, { mx: undefined, smtpCode: undefined, diagnostic: undefined })
    },
  },
  {
    ...{ name: 'an unknown mailbox', verdict: 'refused', first: 'refused', step: 'verify_address' },
    given: async (scene) => void (await scene.refuse(await scene.message())),
  },
  {
    ...{ name: 'a refused content', verdict: 'refused', first: 'refused', step: 'look_at_message' },
    given: async (scene) => void (await scene.refuse(await scene.message(), false)),
  },
  {
    ...{ name: 'a refusal after a deferral', verdict: 'refused', first: 'refused' },
    async given(scene) {
      const id = await scene.message()
      await scene.defer(id)
      await scene.refuse(id, false)
    },
  },
  {
    ...{ name: 'one of two recipients was refused', verdict: 'refused', first: 'refused' },
    async given(scene) {
      const id = await scene.message({ others: ['fine@elsewhere.example'] })
      await scene.refuse(id, false)
    },
  },
  {
    ...{ name: 'the retry schedule has ended', verdict: 'given_up', first: 'given_up', step: 'send_message' },
    async given(scene) {
      const id = await scene.message()
      await scene.defer(id)
      await scene.giveUp(id)
    },
  },
  {
    ...{ name: 'no host offered the required TLS', verdict: 'given_up', first: 'given_up' },
    given: async (scene) => void (await scene.giveUp(await scene.message(), 'tls')),
  },
  {
    ...{ name: 'the domain did not resolve in time', verdict: 'given_up', first: 'given_up' },
    given: async (scene) => void (await scene.giveUp(await scene.message(), 'dns')),
  },
  {
    ...{ name: 'a message in the queue', verdict: 'waiting', first: 'queued', step: 'look_again' },
    given: async (scene) => void (await scene.message()),
  },
  {
    ...{ name: 'a deferred message', verdict: 'waiting', first: 'deferred' },
    given: async (scene) => void (await scene.defer(await scene.message())),
  },
  {
    ...{ name: 'a row of a running bulk', verdict: 'waiting', first: 'row_waits', step: 'look_at_bulk' },
    given: async (scene) => void (await scene.bulk('running')),
  },
  {
    ...{ name: 'a delivered message', verdict: 'delivered_by_receiver', first: 'delivered' },
    step: 'ask_recipient',
    given: async (scene) => void (await scene.deliver(await scene.message())),
  },
  {
    ...{ name: 'a delivered and opened message', verdict: 'delivered_by_receiver', first: 'delivered' },
    async given(scene) {
      const id = await scene.message({ tracked: true })
      await scene.deliver(id)
      await scene.hit(id)
    },
  },
  {
    ...{ name: 'a delivery with a complaint', verdict: 'delivered_by_receiver', first: 'delivered' },
    async given(scene) {
      const id = await scene.message()
      await scene.deliver(id)
      await scene.complain(id)
    },
  },
  {
    ...{ name: 'an erased recipient of a message with others', verdict: 'erased', first: 'recipient_erased' },
    step: null,
    async given(scene) {
      const id = await scene.message({ others: ['kept@elsewhere.example'] })
      await scene.deliver(id)
      await scene.end(id, 'delivered', {}, 1)
      await scene.erase()
      return { message_id: id }
    },
  },
  {
    ...{ name: 'an erased address that had bounced', verdict: 'erased', first: 'erased_suppression' },
    async given(scene) {
      await scene.refuse(await scene.message())
      await scene.erase()
    },
  },
  {
    ...{ name: 'an erased message, by its ID', verdict: 'erased', first: 'erased_suppression' },
    async given(scene) {
      const id = await scene.message()
      await scene.deliver(id)
      await scene.complain(id)
      await scene.erase()
      return { message_id: id }
    },
  },
]

/** Several messages in different states, where the weight of the verdicts or the time decides. */
const MIXED: readonly Case[] = [
  {
    ...{ name: 'a delivery after a cancellation', verdict: 'cancelled', first: 'cancelled', sure: false },
    async given(scene) {
      await scene.cancel(await scene.message())
      await scene.deliver(await scene.message())
    },
  },
  {
    ...{ name: 'a cancellation after a delivery', verdict: 'cancelled', first: 'cancelled', sure: false },
    async given(scene) {
      await scene.deliver(await scene.message())
      await scene.cancel(await scene.message())
    },
  },
  {
    ...{ name: 'held, next to a refused message', verdict: 'held', first: 'held', sure: false },
    async given(scene) {
      await scene.refuse(await scene.message(), false)
      await scene.message()
      await scene.pauseDestination()
    },
  },
  {
    ...{
      name: 'scheduled, next to a suppressed message',
      verdict: 'scheduled',
      first: 'scheduled',
      sure: false,
    },
    async given(scene) {
      await scene.message({ sendAt: IN_AN_HOUR() })
      await scene.suppress('unsubscribe')
      await scene.message()
    },
  },
  {
    ...{ name: 'a hard bounce that suppressed the next message', verdict: 'suppressed', first: 'suppressed' },
    sure: true,
    async given(scene) {
      await scene.refuse(await scene.message())
      await scene.message()
    },
  },
  {
    ...{
      name: 'the message of the hard bounce, by its ID',
      verdict: 'refused',
      first: 'refused',
      sure: true,
    },
    async given(scene) {
      const id = await scene.message()
      await scene.refuse(id)
      await scene.message()
      return { message_id: id }
    },
  },
  {
    ...{ name: 'a hard bounce in another stream', verdict: 'refused', first: 'refused', sure: true },
    async given(scene) {
      await scene.suppress('manual', 'broadcast')
      await scene.message({ stream: 'broadcast' })
      await scene.refuse(await scene.message())
    },
  },
  {
    ...{
      name: 'returned, next to a refused content',
      verdict: 'bounced_afterwards',
      first: 'bounced_afterwards',
    },
    sure: false,
    async given(scene) {
      await bouncedLater(scene)
      await scene.refuse(await scene.message(), false)
    },
  },
  {
    ...{
      name: 'refused content, next to an expired message',
      verdict: 'refused',
      first: 'refused',
      sure: false,
    },
    async given(scene) {
      await scene.refuse(await scene.message(), false)
      await scene.giveUp(await scene.message())
    },
  },
  {
    ...{ name: 'expired, next to a waiting message', verdict: 'given_up', first: 'given_up', sure: false },
    async given(scene) {
      await scene.giveUp(await scene.message())
      await scene.message()
    },
  },
  {
    ...{ name: 'waiting, next to a delivered message', verdict: 'waiting', first: 'deferred', sure: false },
    async given(scene) {
      await scene.deliver(await scene.message())
      await scene.defer(await scene.message())
    },
  },
  {
    ...{
      name: 'a subject with a percent sign chooses',
      verdict: 'delivered_by_receiver',
      first: 'delivered',
    },
    sure: true,
    async given(scene) {
      await scene.deliver(await scene.message({ subject: '100% _off_' }))
      await scene.refuse(await scene.message({ subject: 'Receipt' }), false)
      return { subject: '100%' }
    },
  },
  {
    ...{ name: 'a subject of signs alone chooses', verdict: 'delivered_by_receiver', first: 'delivered' },
    async given(scene) {
      await scene.deliver(await scene.message({ subject: '%%%' }))
      await scene.refuse(await scene.message({ subject: 'Receipt' }), false)
      return { subject: '%%' }
    },
  },
  {
    ...{
      name: 'a failure of last month does not count',
      verdict: 'delivered_by_receiver',
      first: 'delivered',
    },
    sure: true,
    async given(scene) {
      await scene.giveUp(await scene.message({ daysAgo: 30 }))
      await scene.deliver(await scene.message())
    },
  },
  {
    ...{ name: 'a refused request, next to a delivered message', verdict: 'refused_at_the_door' },
    ...{ first: 'request_refused', sure: false },
    async given(scene) {
      await scene.deliver(await scene.message())
      await scene.refusedRequest()
    },
  },
]

export const CASES: readonly Case[] = [...SINGLE, ...MIXED]

/** Returns a scene of the same tenant with another address. */
const other = (scene: Scene, email: string): Scene =>
  new (scene.constructor as typeof Scene)(scene.app, scene.tenant, email)

async function bouncedLater(scene: Scene, hard = false): Promise<void> {
  const id = await scene.message()
  await scene.deliver(id)
  await scene.bounceLater(id, hard ? { hard, category: 'mailbox_not_found' } : {})
}
