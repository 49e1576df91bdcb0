// The outcome of a message, as the list and the page of the message show it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageLine, Recipient } from './calls.ts'
import { whyNotTried } from './held-words.ts'
import { outcomeOf, sentencesOf } from './outcome.ts'
import { skipsInWords } from './skips.ts'

const AT = '2026-01-01T00:00:00.000Z'

const to = (status: Recipient['status'], more: Partial<Recipient> = {}): Recipient => ({
  ...{ email: `${status}@receiver.example`, name: null, status, last_event_at: AT },
  ...more,
})

const message = (status: MessageLine['status'], ...recipients: Recipient[]): MessageLine => ({
  ...{ message_id: 'msg_1', message_id_header: '1@sender.example', status, stream: 'transactional' },
  ...{ from: 'a@sender.example', from_name: null },
  ...{ subject: 'S', tag: null, tags: [], metadata: {}, to: recipients, cc: [], bcc: [], send_at: null },
  ...{ created_at: AT, updated_at: AT, size: 1 },
})

describe('the outcome of a message', () => {
  test('it is deferred while it waits for another attempt, with the reply and the time of the next one', () => {
    const later = to('deferred', { next_attempt_at: '2026-01-01T02:00:00.000Z' })
    const sooner = to('deferred', {
      ...{ next_attempt_at: '2026-01-01T01:00:00.000Z', smtp_code: 451, smtp_response: 'try later' },
    })
    assert.deepEqual(outcomeOf(message('sending', to('delivered'), sooner, later)), {
      ...{ status: 'deferred', held: undefined },
      ...{ reason: '451 try later', nextAttemptAt: '2026-01-01T01:00:00.000Z' },
    })
  })

  test('it is what the service says while an attempt is under way, and when all is over', () => {
    assert.equal(outcomeOf(message('sending', to('deferred'), to('sending'))).status, 'sending')
    const bounced = to('bounced', { smtp_code: 550, smtp_response: 'no such user' })
    assert.deepEqual(outcomeOf(message('partially_delivered', to('delivered'), bounced)), {
      ...{ status: 'partially_delivered', held: undefined },
      ...{ reason: '550 no such user', nextAttemptAt: undefined },
    })
    assert.equal(outcomeOf(message('delivered', to('delivered'))).reason, undefined)
  })

  test('it is held while nothing that waits will be attempted, and says who holds it', () => {
    const held = {
      ...{ by: 'operator' as const, cause: 'destination_paused' as const, value: 'receiver.example' },
      ...{ since: AT, reason: 'The operator paused the destination receiver.example.' },
    }
    const waits = to('deferred', { held, smtp_code: 451, smtp_response: 'try later' })
    const all = message('sending', to('delivered'), waits)
    assert.deepEqual(outcomeOf(all), { status: 'held', held, reason: undefined, nextAttemptAt: undefined })
    assert.equal(outcomeOf(message('sending', to('queued'), waits)).status, 'sending')
    const when = (at: string): string => `at ${at}`
    assert.deepEqual(
      sentencesOf(all, when).at(-1),
      [
        'Held for deferred@receiver.example: no attempt is made until the hold ends. ',
        `The operator paused receiver.example at ${AT}. Last reply: 451 try later`,
      ].join(''),
    )
    assert.equal(whyNotTried(all, when), `The operator paused receiver.example at ${AT}.`)
    assert.match(whyNotTried(message('delivered', to('delivered')), when), /final status/)
    assert.match(whyNotTried(message('sending', to('sending')), when), /in progress/)
  })

  test('a change that the message was to get and did not get is named with its reason', () => {
    const tracking = { opens: false, links: false, skipped: 'signed' }
    assert.deepEqual(skipsInWords({ tracking, footer: { skipped: 'signed' } }), [
      'Opens and clicks are not tracked: the content is signed, and a change would break the signature.',
      'The unsubscribe footer is left out: the content is signed, and a change would break the signature.',
    ])
    assert.deepEqual(skipsInWords({ tracking: { opens: true, links: true } }), [])
  })

  test('a sentence for each state', () => {
    const when = (at: string): string => `at ${at}`
    assert.deepEqual(sentencesOf(message('delivered', to('delivered')), when), [
      'Delivered to delivered@receiver.example.',
    ])
    assert.deepEqual(sentencesOf(message('delivered', to('delivered'), to('delivered')), when), [
      'Delivered to all 2 recipients.',
    ])
    const next = '2999-01-01T00:00:00.000Z'
    const deferred = to('deferred', { next_attempt_at: next, smtp_code: 451, smtp_response: 'busy' })
    const bounced = to('bounced', { smtp_code: 550, smtp_response: 'no such user' })
    assert.deepEqual(sentencesOf(message('sending', deferred, bounced, to('bounced')), when), [
      `Deferred for deferred@receiver.example: the next attempt is at ${next}. Last reply: 451 busy`,
      'Bounced for 2 of 3 recipients: will not be retried. One reply: 550 no such user',
    ])
    assert.deepEqual(sentencesOf(message('bounced', bounced), when), [
      'Bounced for bounced@receiver.example: will not be retried. Reply: 550 no such user',
    ])
    assert.deepEqual(sentencesOf(message('suppressed', to('suppressed')), when), [
      'Not sent to suppressed@receiver.example: on the suppression list.',
    ])
  })
})
