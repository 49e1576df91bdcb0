// Fills a store with the messages of a busy month: accepts the messages like the service, and then sets their final
// states by SQL.

import { beforeIdsOf } from '../../src/lib/ids.ts'
import { acceptMessage } from '../../src/store/accepting/accept-message.ts'
import type { Store } from '../../src/store/database/store.ts'
import type { Owner } from '../../src/store/messages/messages.ts'
import { messageTo } from '../../test/support/queued.ts'

/** Number of concurrent writes, large enough for large commits. */
const AT_ONCE = 2_048
const SPAN_MS = 30 * 86_400_000
const NAMES = ['Ann', 'Bob', 'Carla', 'Dimitri', 'Eve', 'Faruk', 'Grace', 'Hiroshi']

/** Properties of the stored messages from which the measurement derives the ID of each message. */
export interface Filled {
  readonly owner: Owner
  /** Creation time of the first message; later messages follow at equal intervals of `stepMs`. */
  readonly from: number
  readonly stepMs: number
}

/** Returns the address of the recipient of the message with this number. */
export const addressOf = (index: number): string => `user${index % 200_000}@d${index % 5_000}.example`
export const idOf = ({ from, stepMs }: Filled, index: number): string =>
  `${beforeIdsOf('msg', from + index * stepMs)}${index.toString().padStart(16, '0')}`

/** Accepts `count` messages of the playground's domain, with creation times spread over the last thirty days. */
export async function fillMonth(store: Store, count: number): Promise<Filled> {
  const { id, account_id } = await store.read
    .selectFrom('domains')
    .select(['id', 'account_id'])
    .executeTakeFirstOrThrow()
  const owner = { accountId: account_id, domainId: id }
  const stepMs = Math.floor(SPAN_MS / count)
  const filled = { owner, from: Date.now() - count * stepMs, stepMs }
  for (let first = 0; first < count; first += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) =>
      messageOf(filled, first + index),
    )
    await Promise.all(batch.map((message) => store.write(acceptMessage, message)))
  }
  return filled
}

function messageOf(filled: Filled, index: number) {
  const at = filled.from + index * filled.stepMs
  const { message, ...rest } = messageTo(filled.owner, [addressOf(index)])
  return {
    ...rest,
    message: {
      ...message,
      id: idOf(filled, index),
      created_at: at,
      stream: index % 2_000 === 5 ? 'broadcast' : 'transactional',
      tag: tagOf(index),
      subject: subjectOf(index),
    },
  }
}

function tagOf(index: number): string | null {
  if (index === 500_000) return 'once'
  if (index % 50 === 1) return 'password-reset'
  return index % 3 === 0 ? 'receipt' : null
}

function subjectOf(index: number): string {
  if (index % 200_000 === 11) return 'A postcard from Zanzibar'
  if (index % 2 === 0) return `Your receipt for order ${100_000 + index}`
  return index % 4 === 1
    ? `Welcome to the shop, ${NAMES[index % NAMES.length]}`
    : `${NAMES[index % NAMES.length]}, your parcel is on its way`
}

/**
 * Returns SQL statements that set the states at the end of a month: most messages are delivered, one in 100 is bounced,
 * one in 10,000 is deferred, and the last 50 are still queued.
 */
export function endings(filled: Filled, count: number): string[] {
  const index = (createdAt: string): string => `((${createdAt} - ${filled.from}) / ${filled.stepMs})`
  const ofMessage = index('created_at')
  const last = count - 50
  const isEnded = `message_id < '${idOf(filled, last)}'`
  const ofRecipient = index('last_event_at')
  const undelivered = (number: string): string => `case
    when ${number} % 100 = 0 then 'bounced' when ${number} % 100000 = 7 then 'failed'
    when ${number} % 1000 = 3 then 'cancelled' when ${number} % 1000 = 503 then 'suppressed' end`
  return [
    `update messages set status = ${undelivered(ofMessage)}
     where ${ofMessage} < ${last} and ${undelivered(ofMessage)} is not null`,
    `update recipients set status = coalesce(${undelivered(ofRecipient)},
       case when ${ofRecipient} % 10000 = 9 then 'deferred' else 'delivered' end)
     where ${isEnded}`,
    `update queue set state = 'deferred', attempts = 1, due_at = start_tag + 864000000
     where ${isEnded} and (select status from recipients where recipients.message_id = queue.message_id) = 'deferred'`,
    `delete from queue where ${isEnded} and attempts = 0`,
    `update message_counts set delivered = accepted * 97 / 100, bounced = accepted / 100,
       deferred = accepted / 20, took_6 = accepted * 60 / 100, took_9 = accepted * 30 / 100, took_14 = accepted * 7 / 100`,
  ]
}
