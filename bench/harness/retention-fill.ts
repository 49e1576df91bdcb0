// Fills a store with its steady state: delivered messages of the whole retention time, of which only recent messages
// have contents and transcripts. The rows are written by the normal writes of the store.

import { beforeIdsOf } from '../../src/lib/ids.ts'
import { DELIVERED } from '../../src/model/attempt.ts'
import { acceptMessage } from '../../src/store/accepting/accept-message.ts'
import type { Store } from '../../src/store/database/store.ts'
import type { Owner } from '../../src/store/messages/messages.ts'
import { recordOutcome } from '../../src/store/queue/outcomes.ts'
import { messageTo } from '../../test/support/queued.ts'
import { requestBody } from './message.ts'
import { COUNTER } from './stamped.ts'

/** Number of concurrent writes, large enough for large commits. */
const AT_ONCE = 2_048

const REPLY = { code: 250, enhanced: '2.0.0', text: 'Ok: queued as 4bXc2h3JkLz1F9Q' }
/** Transcript of a delivery over TLS, as stored with each attempt. */
const TRANSCRIPT = [
  '0 connecting to mx.inbox-0.test [127.0.0.2]:25',
  '3 < 220 mx.inbox-0.test ESMTP',
  '3 > EHLO bench.test',
  '4 < 250-mx.inbox-0.test',
  '4 < 250-PIPELINING',
  '4 < 250-SIZE 36700160',
  '4 < 250-STARTTLS',
  '4 < 250-8BITMIME',
  '4 < 250 ENHANCEDSTATUSCODES',
  '4 > STARTTLS',
  '5 < 220 2.0.0 Ready to start TLS',
  '9 TLSv1.3, certificate not verified',
  '9 > EHLO bench.test',
  '10 < 250 mx.inbox-0.test, as before',
  '10 > MAIL FROM:<b+01KB6Y2M9Q3T7V1W5X0Z4A8C6E.0.1f2e3d4c5b@bounces.example.test> SIZE=4210 BODY=8BITMIME',
  '10 > RCPT TO:<customer-123456@inbox-0.test>',
  '10 > DATA',
  '11 < 250 2.1.0 Ok',
  '11 < 250 2.1.5 Ok',
  '11 < 354 End data with <CR><LF>.<CR><LF>',
  '11 > (4210 bytes of message)',
  '14 < ',
].join('\n')

/** Messages of the past: their times, and the times from which contents and transcripts are stored. */
export interface Past {
  readonly owner: Owner
  readonly from: number
  readonly stepMs: number
  readonly count: number
  readonly contentsFrom: number
  readonly transcriptsFrom: number
}

/** Accepts the messages of the past and records them as delivered, oldest first. */
export async function fillPast(store: Store, past: Past, destinations: readonly string[]): Promise<void> {
  for (let first = 0; first < past.count; first += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, past.count - first) }, (_, index) => first + index)
    const messages = indexes.map((index) => messageAt(past, index, destinations))
    await Promise.all(messages.map((message) => store.write(acceptMessage, message)))
    await Promise.all(
      messages.map(({ message, recipients: [recipient] }) =>
        end(store, {
          ...{ message_id: message.id, account_id: message.account_id, domain_id: message.domain_id },
          ...{ destination: recipient?.destination ?? '', stream: message.stream, size: message.size },
          ...{ tag: message.tag, email: recipient?.email ?? '', at: message.created_at },
          transcript: message.created_at < past.transcriptsFrom ? '' : TRANSCRIPT,
        }),
      ),
    )
  }
}

/** Records all queued messages as delivered, without an SMTP dialog. */
export async function endWaiting(store: Store): Promise<void> {
  const waiting = await store.read
    .selectFrom('queue')
    .innerJoin('recipients', (join) =>
      join
        .onRef('recipients.message_id', '=', 'queue.message_id')
        .onRef('recipients.position', '=', 'queue.position'),
    )
    .innerJoin('messages', (join) =>
      join.onRef('messages.domain_id', '=', 'queue.domain_id').onRef('messages.id', '=', 'queue.message_id'),
    )
    .select(['queue.message_id', 'queue.account_id', 'queue.domain_id', 'queue.destination'])
    .select(['queue.stream', 'queue.size', 'recipients.email', 'messages.tag', 'messages.created_at as at'])
    .execute()
  await Promise.all(waiting.map((row) => end(store, { ...row, at: Number(row.at), transcript: TRANSCRIPT })))
}

interface Ended {
  readonly message_id: string
  readonly account_id: string
  readonly domain_id: string
  readonly destination: string
  readonly stream: string
  readonly size: number
  readonly tag: string | null
  readonly email: string
  readonly at: number
  readonly transcript: string
}

const end = (store: Store, row: Ended): Promise<boolean> =>
  store.write(recordOutcome, {
    claimed: {
      ...{ messageId: row.message_id, position: 0, accountId: row.account_id, domainId: row.domain_id },
      ...{ domainName: 'example.test', stream: row.stream, email: row.email, destination: row.destination },
      ...{ startTag: 0, attempt: 1, faults: 0, possibleDuplicate: false, createdAt: row.at, expiresAt: null },
      ...{ size: row.size, tag: row.tag, recipientCount: 1, requireTls: false, relayUrl: null },
      inboxId: null,
    },
    lease: '',
    outcome: DELIVERED,
    attempt: {
      ...{ startedAt: row.at + 20, durationMs: 15, mx: `mx.${row.destination}`, address: '127.0.0.2' },
      ...{ tls: 'TLSv1.3', reply: REPLY, transcript: row.transcript },
    },
    nextAttemptAt: null,
    now: row.at + 35,
  })

function messageAt(
  { owner, from, stepMs, contentsFrom }: Past,
  index: number,
  destinations: readonly string[],
) {
  const at = from + index * stepMs
  const destination = destinations[index % destinations.length] as string
  const counter = index.toString().padStart(COUNTER.length, '0')
  const content = at < contentsFrom ? '' : requestBody(destination).replaceAll(COUNTER, counter)
  const { message, ...rest } = messageTo(owner, [`customer-${counter}@${destination}`], { content })
  return {
    ...rest,
    message: {
      ...message,
      id: `${beforeIdsOf('msg', at)}${index.toString().padStart(16, '0')}`,
      created_at: at,
      from_email: 'receipts@example.test',
      from_name: 'Example Coffee',
      subject: `Your receipt for order ${counter}`,
      tag: 'receipt',
      metadata: JSON.stringify({ order: counter }),
      size: content.length,
    },
  }
}
