// Counts of replies on both databases, in steps and by hour: by provider, own address, category and code, with a bounded number of rows.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { claim, createOwner, type Held, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore } from '../../../test/support/store.ts'
import type { Attempt, Outcome } from '../../model/attempt.ts'
import type { Reply } from '../../model/reply.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import type { Owner } from '../messages/messages.ts'
import { recordBounce } from '../queue/bounces.ts'
import { recordOutcome } from '../queue/outcomes.ts'
import { readWholeLog } from './log-readers.ts'
import { OTHER, STEP_MS } from './reply-counts.ts'

const YAHOO = 'mta5.am0.yahoodns.net'
const DELIVERED: Outcome = { status: 'delivered', reason: 'ok' }
const DEFERRED: Outcome = { status: 'deferred', reason: 'later', category: 'rate_limited' }
const TSS04: Reply = { code: 421, enhanced: '4.7.0', text: '[TSS04] Messages from 192.0.2.8 deferred' }

for (const database of DATABASES) {
  describe(`counts of replies in ${database}`, () => {
    let store: Store
    let owner: Owner
    beforeEach(async () => {
      store = await openTestStore(database)
      owner = await createOwner(store)
    })
    afterEach(() => store.close())

    async function claimed(count: number): Promise<readonly Held[]> {
      const emails = Array.from({ length: count }, (_, index) => `r${index}@b.example`)
      for (let start = 0; start < count; start += 50)
        await store.write(acceptMessage, messageTo(owner, emails.slice(start, start + 50)))
      return (await claim(store)).recipients
    }

    const end = (held: Held, outcome: Outcome, more: Partial<Attempt>, now = NOW) =>
      store.write(recordOutcome, {
        ...{ claimed: held, lease: held.lease, outcome, now },
        attempt: { startedAt: NOW, durationMs: 5, transcript: '', mx: YAHOO, source: '192.0.2.7', ...more },
        nextAttemptAt: outcome.status === 'deferred' ? NOW : null,
      })

    const counts = async (table: 'reply_counts' | 'reply_hours' = 'reply_counts') => {
      await readWholeLog(store)
      const rows = await store.read
        .selectFrom(table)
        .selectAll()
        .where('domain_id', '=', owner.domainId)
        .orderBy('at')
        .orderBy('source')
        .orderBy('category')
        .orderBy('code')
        .execute()
      return rows.map(({ account_id, domain_id: _, stream, at, ...row }) => {
        assert.deepEqual([account_id, stream], [owner.accountId, 'transactional'])
        return [
          (Number(at) - NOW) / STEP_MS,
          ...Object.values(row).map((one) =>
            typeof one === 'string' && /^\d+$/.test(one) && one !== row.code ? Number(one) : one,
          ),
        ]
      })
    }

    test('name the provider, the own address and the code, and count each attempt once', async () => {
      const [a, b, c, d, e] = (await claimed(5)) as [Held, Held, Held, Held, Held]
      await end(a, DELIVERED, { tls: 'TLSv1.3', reply: { code: 250, text: 'ok' } })
      await end(b, DEFERRED, { source: '192.0.2.8', reply: TSS04 })
      await end(c, DEFERRED, { source: '192.0.2.8', reply: { code: 451, text: 'Greylisted, try later' } })
      await end(d, { status: 'deferred', reason: 'no host', category: 'dns' }, {
        mx: undefined,
        source: undefined,
      } as never)
      // A message that cannot be composed reaches no host.
      await end(e, { status: 'failed', reason: 'no', category: 'other' }, { mx: undefined } as never)
      const [again] = (await claim(store, { now: NOW + STEP_MS })).recipients.filter(
        ({ position }) => position === b.position,
      ) as [Held]
      await end(again, DELIVERED, { source: '192.0.2.8', reply: { code: 250, text: 'ok' } }, NOW + STEP_MS)
      const report = {
        type: 'bounced',
        category: 'mailbox_not_found',
        hard: true,
        reason: 'A report.',
      } as const
      await store.write(recordBounce, {
        ...{ messageId: a.messageId, position: a.position, now: NOW + STEP_MS },
        report: { ...report, smtpCode: 550, diagnostic: 'no', mx: YAHOO, finalRecipient: undefined },
      })
      const expected = [
        [0, '', '', 'dns', '', 1, 1, 0],
        [0, 'Yahoo', '192.0.2.7', '', '', 1, 1, 1],
        [0, 'Yahoo', '192.0.2.8', 'rate_limited', 'TSS04', 1, 1, 0],
        [0, 'Yahoo', '192.0.2.8', 'rate_limited', 'greylisted', 1, 1, 0],
        [1, 'Yahoo', '192.0.2.8', '', '', 1, 0, 0],
      ]
      assert.deepEqual(await counts(), expected)
      const [dns, first, limited, greylisted, second] = expected
      const later = [0, ...(second ?? []).slice(1)]
      assert.deepEqual(await counts('reply_hours'), [dns, first, later, limited, greylisted])
      const attempts = await store.read
        .selectFrom('attempts')
        .select(['number', 'source'])
        .where('position', '=', b.position)
        .orderBy('number')
        .execute()
      assert.deepEqual(
        attempts.map(({ number, source }) => [Number(number), source]),
        [
          [1, '192.0.2.8'],
          [2, '192.0.2.8'],
        ],
      )
    })

    test('have a bounded number of combinations in an hour, whatever a host replies', async () => {
      const held = await claimed(240)
      await Promise.all(
        held.map((one, index) =>
          end(
            one,
            DEFERRED,
            { reply: { code: 451, enhanced: `4.${index}.0`, text: 'x' } },
            NOW + (index % 12) * STEP_MS,
          ),
        ),
      )
      await readWholeLog(store)
      const rows = await store.read
        .selectFrom('reply_counts')
        .select(['provider', 'code', 'attempts'])
        .execute()
      const combinations = new Set(rows.map(({ provider, code }) => `${provider} ${code}`))
      assert.equal(combinations.size, 201)
      const sum = (some: typeof rows) => some.reduce((total, { attempts }) => total + Number(attempts), 0)
      assert.deepEqual([sum(rows), sum(rows.filter(({ code }) => code === OTHER))], [240, 40])
    })
  })
}
