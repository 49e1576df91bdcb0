// Removal of transcripts: the other columns of the attempts are kept, and the disk space is freed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { claim, createOwner, finish, messageTo, NOW } from '../../../test/support/queued.ts'
import { DATABASES, openTestStore, settled } from '../../../test/support/store.ts'
import { acceptMessage } from '../accepting/accept-message.ts'
import type { Store } from '../database/store.ts'
import { recordOutcome } from '../queue/outcomes.ts'
import { removeOld } from './retention.ts'

const TRANSCRIPT = `0 connecting\n${'5 > RCPT TO:<you@receiver.example>\n'.repeat(24)}`
const MESSAGES = 300
const SWEEP = { kind: 'transcript', domainId: '', stream: '', keptMs: 1 } as const

const attemptsOf = ({ read }: Store) =>
  read.selectFrom('attempts').selectAll().orderBy('message_id').orderBy('number').execute()

async function usedPages({ read }: Store): Promise<number> {
  const pragma = async (name: string): Promise<number> => {
    const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(read)
    return Number(rows[0]?.[name])
  }
  return (await pragma('page_count')) - (await pragma('freelist_count'))
}

for (const database of DATABASES) {
  test(`transcripts are removed from attempts that stay otherwise unchanged, and their space is released, on ${database}`, async () => {
    const store = await openTestStore(database)
    try {
      const owner = await createOwner(store)
      const messages = Array.from({ length: MESSAGES }, () => messageTo(owner, ['you@receiver.example']))
      await Promise.all(messages.map((message) => store.write(acceptMessage, message)))
      const { recipients } = await claim(store)
      await Promise.all(
        recipients.map((held, index) =>
          index === 0
            ? finish(store, held, 'deferred', NOW + 1_000)
            : store.write(recordOutcome, {
                claimed: held,
                lease: held.lease,
                outcome: { status: 'delivered', reason: 'because' },
                attempt: { startedAt: NOW, durationMs: 5, mx: 'mx.test', transcript: TRANSCRIPT },
                nextAttemptAt: null,
                now: NOW + index,
              }),
        ),
      )
      await settled(store)
      const before = await attemptsOf(store)
      const pages = database === 'sqlite' ? await usedPages(store) : 0
      const now = Date.now() + 60_000
      const { removed } = await store.write(removeOld, {
        ...{ sweep: SWEEP, now, limit: 1_000, skippedAfter: undefined },
      })
      assert.equal(removed, MESSAGES - 1)
      const waiting = recipients[0]?.messageId
      assert.deepEqual(
        await attemptsOf(store),
        before.map((row) => (row.message_id === waiting ? row : { ...row, transcript: '' })),
      )
      if (database === 'sqlite') {
        const freed = (pages - (await usedPages(store))) * 4_096
        assert.ok(freed > 0.9 * MESSAGES * TRANSCRIPT.length, `${freed} bytes`)
      }
    } finally {
      await store.close()
    }
  })
}
