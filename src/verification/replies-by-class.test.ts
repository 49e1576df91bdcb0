// Replies of each class that the rules distinguish, in many wordings; and the share of new wordings that the rules
// understand.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { meaningOf } from '../smtp/reply-meaning.ts'
import {
  isHeldOut,
  KNOWN_REPLIES,
  type NewReply,
  REPLIES_BY_CLASS,
  REPLIES_IN_NEW_WORDS,
  REPLIES_OF_ONE_COLLECTION,
  REPLIES_OF_THREE_SETS,
  replyOf,
} from '../smtp/reply-samples.test-data.ts'
import type { Stage } from '../smtp/stage.ts'
import { mailboxFinding } from './mailbox-reply.ts'

const read = (stage: Stage, wire: string) => {
  const failure = { stage, reply: replyOf(wire) }
  return { ...meaningOf(failure), finding: mailboxFinding({ failure }) }
}

describe('classes of replies', () => {
  for (const [group, rows] of Map.groupBy(REPLIES_BY_CLASS, (row) => row.group)) {
    test(`${group}: ${rows.length}`, () => {
      for (const { stage, wanted, wire } of rows) {
        const { category, finding, hard } = read(stage, wire)
        const isRight = wanted.some((want) =>
          want === '!hard'
            ? !hard
            : want.startsWith('!')
              ? category !== want.slice(1)
              : want === category || want === finding,
        )
        assert.ok(isRight, `${wire}: ${category}, ${finding}, hard: ${hard}`)
      }
    })
  }

  test('no reply about the sender, about us or about a passing state is hard', () => {
    for (const { group, stage, wire } of REPLIES_BY_CLASS) {
      if (!['sender', 'full', 'put off', 'host is full', 'category', 'code alone'].includes(group)) continue
      assert.equal(read(stage, wire).hard, false, wire)
    }
  })
})

describe('words that were new when they were first tried', () => {
  const of = (...kinds: readonly NewReply['kind'][]) =>
    REPLIES_IN_NEW_WORDS.filter(({ kind }) => kinds.includes(kind))

  test('of the three sets, at least 85 % of the dead mailboxes are found, at most 2 % of the others, and none is hard', (t) => {
    const isFound = ({ stage, wire }: NewReply): boolean =>
      ['not_found', 'disabled', 'not_served'].includes(read(stage, wire).finding)
    const dead = REPLIES_OF_THREE_SETS.filter(({ kind }) => kind === 'dead')
    const others = REPLIES_OF_THREE_SETS.filter(({ kind }) => kind === 'alive' || kind === 'full')
    const [found, taken] = [dead.filter(isFound).length, others.filter(isFound).length]
    t.diagnostic(`${found} of ${dead.length}, ${taken} of ${others.length}`)
    assert.ok(found / dead.length >= 0.85 && taken / others.length <= 0.02)
    assert.deepEqual(
      others.filter(({ stage, wire }) => read(stage, wire).hard),
      [],
    )
  })

  test('of one collection, at least 85 % of the dead mailboxes are found, at most 3 % of the others, and none of the rows for tuning is hard', (t) => {
    const isFound = ({ stage, wire }: NewReply): boolean =>
      ['not_found', 'disabled', 'not_served'].includes(read(stage, wire).finding)
    const dead = REPLIES_OF_ONE_COLLECTION.filter(({ kind }) => kind === 'dead')
    const others = REPLIES_OF_ONE_COLLECTION.filter(({ kind }) => kind === 'alive' || kind === 'full')
    const [found, taken] = [dead.filter(isFound).length, others.filter(isFound).length]
    t.diagnostic(`${found} of ${dead.length}, ${taken} of ${others.length}`)
    assert.ok(found / dead.length >= 0.85 && taken / others.length <= 0.03)
    assert.deepEqual(
      others.filter(({ stage, wire }) => !isHeldOut(wire) && read(stage, wire).hard),
      [],
    )
  })

  const parts = [
    ['of all', () => true, 0.95],
    ['of the third that is held out', isHeldOut, 0.9],
  ] as const
  for (const [name, isOfPart, least] of parts) {
    test(`${name}, at least ${100 * least} % of the dead mailboxes are found`, (t) => {
      const rows = of('dead').filter(({ wire }) => isOfPart(wire))
      const found = rows.filter(({ stage, wire }) =>
        ['not_found', 'disabled'].includes(read(stage, wire).finding),
      ).length
      t.diagnostic(`${found} of ${rows.length}`)
      assert.ok(rows.length > 150 && found / rows.length >= least)
    })

    test(`${name}, at most 1 % of the others are taken for one, and none is hard`, (t) => {
      const rows = of('alive', 'full').filter(({ wire }) => isOfPart(wire))
      const taken = rows.filter(({ stage, wire }) =>
        ['not_found', 'disabled', 'not_served'].includes(read(stage, wire).finding),
      )
      t.diagnostic(`${taken.length} of ${rows.length}`)
      assert.ok(rows.length > 250)
      assert.deepEqual(
        rows.filter(({ stage, wire }) => read(stage, wire).hard),
        [],
      )
      assert.ok(taken.length / rows.length <= 0.01, `${taken.length} of ${rows.length}`)
    })
  }

  test('at least 95 % of the full mailboxes are found', (t) => {
    const rows = of('full')
    const found = rows.filter(({ stage, wire }) => read(stage, wire).category === 'mailbox_full').length
    t.diagnostic(`${found} of ${rows.length}`)
    assert.ok(found / rows.length >= 0.95)
  })
})

test('a quoted reply means at RCPT what it means by itself, whoever quotes it', () => {
  const quoted: ((said: string) => string)[] = [
    (said) =>
      `550 5.1.1 <jo@example.net>: Recipient address rejected: undeliverable address: host in.example.net[10.0.0.2] said: ${said} (in reply to RCPT TO command)`,
    (said) => `550 Callout verification failed: ${said}`,
    (said) => `550 response to "RCPT TO:<jo@example.net>" from in.example.net [10.0.0.2] was: ${said}`,
    (said) =>
      `550 SMTP error from remote mail server after RCPT TO:<jo@example.net>: host in.example.net [10.0.0.2]: ${said}`,
    (said) => `554 SMTP error, RCPT TO: Host in.example.net(10.0.0.2) RCPT TO said ${said}`,
  ]
  const rows = KNOWN_REPLIES.filter(({ stage, wire }) => stage === 'rcpt' && /^5\d\d /.test(wire))
  assert.ok(rows.length > 300)
  for (const [at, { wire }] of rows.entries()) {
    const { category, hard } = read('rcpt', wire)
    // Each form of quotation is tested with many wordings.
    const said = quoted[at % quoted.length]!(wire)
    const found = read('rcpt', said)
    assert.deepEqual([found.category, found.hard], [category, hard], said)
  }
})
