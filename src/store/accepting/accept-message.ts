// Accepts messages in one durable write: a message is stored completely or not at all.

import type { Lease } from '../../model/lease.ts'
import { type ContentFormat, searchableMetadata } from '../../model/message.ts'
import type { MessageOrigin } from '../../model/message-origin.ts'
import type { RecipientRole } from '../../model/recipient.ts'
import { subjectWords, wordList } from '../../model/subject-words.ts'
import type { AcceptedDetail } from '../../model/tracking.ts'
import { firstState } from '../../model/triage.ts'
import type { Database } from '../database/dialect.ts'
import { insertRows } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { together } from '../database/together.ts'
import { eventOf, keepEvents, type NewEvent, scheduledEvent } from '../messages/history.ts'
import type { Message } from '../messages/messages.ts'
import { findImmediate, type Immediate } from '../queue/immediate.ts'
import { leased } from '../queue/leases.ts'
import { furtherTagWord, messageIdWord, metadataWord } from '../readers/message-words.ts'
import {
  claimIdempotencyKeys,
  type IdempotencyClaim,
  type Repeated,
  releaseIdempotencyKeys,
} from '../requests/idempotency-keys.ts'
import { markStreamsUsed, type StreamRules } from '../workspace/stream-rules.ts'
import { findListed, type Suppression, suppressedEvent } from '../workspace/suppressions.ts'
import { keepUnsubscribeLinks, type UnsubscribeLink } from '../workspace/unsubscribe.ts'
import { type Exhausted, takeAllowances } from './allowances.ts'

/** A validated message, as the submission code passes it to the store. */
export interface AcceptMessage {
  readonly message: Omit<
    Message,
    | 'status'
    | 'recipient_count'
    | 'updated_at'
    | 'words'
    | 'resend_of'
    | 'message_id_header'
    | 'origin'
    | 'tags'
  >
  /** ID of the message whose content this message sends again. */
  readonly resendOf?: string | undefined
  /** Message-ID that the sender set; undefined if the Message-ID is derived from the ID of the message. */
  readonly messageIdHeader?: string | undefined
  readonly origin?: MessageOrigin | undefined
  /** All tags, if the message has more than one. */
  readonly tags?: readonly string[] | undefined
  readonly format: ContentFormat
  readonly content: string | Uint8Array
  /** Detail of the `accepted` events. */
  readonly detail?: AcceptedDetail | undefined
  /** ID of the bulk if `content` is a delta of the bulk's base content. */
  readonly bulkId?: string
  readonly recipients: readonly {
    readonly role: RecipientRole
    readonly email: string
    readonly name: string | null
    readonly destination: string
    /** Start tag of fair queueing: recipients with lower values come first. */
    readonly startTag: number
    /** Token of the recipient's unsubscribe link. */
    readonly unsubscribeToken?: string
  }[]
  /**
   * True to store the message only if no list of the account has one of its recipients; otherwise the result is
   * `listed`.
   */
  readonly unlisted?: boolean
  /** True if the message counts against an allowance of the account. */
  readonly counted: boolean
  /** Settings of the stream. */
  readonly streamRules?: StreamRules
  readonly idempotency:
    | { readonly key: string; readonly bodyHash: string; readonly response: string }
    | undefined
  /** Lease for immediate delivery by this node, which has reserved a slot for each recipient. */
  readonly lease?: Lease | undefined
}

/** A recipient that was suppressed when its message was accepted. */
export interface SuppressedRecipient {
  readonly messageId: string
  readonly email: string
  /** Cause of the suppression, such as `hard_bounce`. */
  readonly suppression: string
}

export type Accepted =
  | {
      readonly kind: 'accepted'
      /** The suppressed recipients of the message, if there are any. */
      readonly suppressed?: readonly SuppressedRecipient[]
      /** Data for an immediate delivery attempt; undefined if the message waits in the queue. */
      readonly immediate?: Immediate | undefined
    }
  | Repeated
  /** Nothing was stored, because a list of the account has a recipient of a message that is `unlisted`. */
  | { readonly kind: 'listed' }
  | ({ readonly kind: 'allowance_exhausted' } & Exhausted)

/**
 * Stores messages with their recipients, content and first events. Each message is stored completely or not at all.
 * Suppressed recipients have their final status from the start and do not use an allowance.
 *
 * @param whole true to accept no message if an allowance is too small for all messages
 */
export async function acceptMessage(
  db: Database,
  items: readonly AcceptMessage[],
  whole = false,
): Promise<Accepted[]> {
  const [results, { suppressions, listed }, immediate] = await together(
    claimKeys(db, items),
    suppressionsOf(db, items),
    findImmediate(db, items),
  )
  const refused = refuseListed(items, listed, results)
  const counts = items.flatMap((item, index) => {
    const count = item.recipients.length - (suppressions[index]?.size ?? 0)
    return results[index]?.kind === 'accepted' ? [[item, count] as const] : []
  })
  const exhausted = await takeAllowances(db, new Map(counts), whole)
  const unclaimed = [...exhausted.keys(), ...refused].flatMap((item) => claimOf(item) ?? [])
  await releaseIdempotencyKeys(db, unclaimed)
  const messages: Message[] = []
  const contents: Tables['message_contents'][] = []
  const recipients: Tables['recipients'][] = []
  const queued: Tables['queue'][] = []
  const events: NewEvent[] = []
  for (const [index, item] of items.entries()) {
    if (results[index]?.kind !== 'accepted') continue
    const suppressed = suppressions[index] as ReadonlyMap<number, Suppression>
    const allowance = exhausted.get(item)
    if (allowance !== undefined) {
      results[index] = { kind: 'allowance_exhausted', ...allowance }
      continue
    }
    const { id, account_id, domain_id, created_at, send_at, stream, tag, size } = item.message
    const domain = immediate.get(item)
    const lease = domain === undefined ? undefined : item.lease
    const status = send_at === null ? 'queued' : 'scheduled'
    const words = wordsOf(item)
    messages.push({
      ...item.message,
      words,
      resend_of: item.resendOf ?? null,
      message_id_header: item.messageIdHeader ?? null,
      origin: item.origin === undefined ? null : JSON.stringify(item.origin),
      tags: item.tags === undefined ? null : JSON.stringify(item.tags),
      status: suppressed.size === item.recipients.length ? 'suppressed' : status,
      recipient_count: item.recipients.length,
      updated_at: created_at,
    })
    const content = typeof item.content === 'string' ? Buffer.from(item.content) : item.content
    const { format, bulkId: bulk_id = null } = item
    contents.push({ message_id: id, account_id, domain_id, format, content, bulk_id })
    const storedBytes = bulk_id === null ? size : content.length
    const inboxId = item.message.inbox_id
    const owner = { messageId: id, accountId: account_id, domainId: domain_id, inboxId }
    for (const [position, recipient] of item.recipients.entries()) {
      const suppression = suppressed.get(position)
      recipients.push({
        message_id: id,
        position,
        account_id,
        domain_id,
        role: recipient.role,
        email: recipient.email,
        name: recipient.name,
        destination: recipient.destination,
        status: suppression === undefined ? status : 'suppressed',
        attempts: 0,
        last_event_at: created_at,
        smtp_code: null,
        smtp_response: null,
        mx: null,
      })
      if (suppression === undefined) queued.push(queuedRow(item, position, lease))
      const { email } = recipient
      const row = { ...owner, stream, email, tag }
      const first = position === 0 ? { ...row, words, size: storedBytes } : row
      events.push(eventOf(first, 'accepted', created_at, item.detail ?? {}))
      if (suppression !== undefined) events.push(suppressedEvent(row, suppression, created_at))
      else if (send_at !== null) events.push(scheduledEvent(row, send_at, created_at))
      else if (lease !== undefined) events.push(eventOf(row, 'sending', created_at, { attempt: 1 }))
    }
    if (domain !== undefined || suppressed.size > 0) results[index] = resultOf(item, domain, suppressed)
  }
  const accepted = items.filter((_, index) => results[index]?.kind === 'accepted')
  await together(
    insertRows(db, 'messages', messages),
    insertRows(db, 'message_contents', contents),
    insertRows(db, 'recipients', recipients),
    insertRows(db, 'queue', queued),
    keepEvents(db, events),
    markStreamsUsed(db, accepted),
    keepUnsubscribeLinks(db, accepted.flatMap(linksOf)),
  )
  return results
}
acceptMessage.auditTarget = ({ message }: { readonly message: { readonly id: string } }): string => message.id

acceptMessage.isJson = true
acceptMessage.line = 'accepting' as const
acceptMessage.bytesIn = 'content'

/** Returns the suppressed recipients of all accepted messages. */
export const suppressedIn = (results: readonly Accepted[]): SuppressedRecipient[] =>
  results.flatMap((result) => (result.kind === 'accepted' ? (result.suppressed ?? []) : []))

/** Returns the result of an accepted message; `domain` is given for a message that is delivered immediately. */
function resultOf(
  item: AcceptMessage,
  domain: Omit<Immediate, 'positions'> | undefined,
  suppressed: ReadonlyMap<number, Suppression>,
): Accepted {
  const positions = [...item.recipients.keys()].filter((position) => !suppressed.has(position))
  return {
    kind: 'accepted',
    ...(domain === undefined ? {} : { immediate: { ...domain, positions } }),
    ...(suppressed.size === 0 ? {} : { suppressed: suppressedRecipients(item, suppressed) }),
  }
}

const suppressedRecipients = (
  { message, recipients }: AcceptMessage,
  suppressed: ReadonlyMap<number, Suppression>,
): SuppressedRecipient[] =>
  [...suppressed].map(([position, { reason }]) => ({
    messageId: message.id,
    email: (recipients[position] as AcceptMessage['recipients'][number]).email,
    suppression: reason,
  }))

/** Returns the search words of a message, each with a leading space. */
const wordsOf = ({ message, messageIdHeader, tags = [] }: AcceptMessage): string =>
  wordList([
    ...subjectWords(message.subject),
    ...(messageIdHeader === undefined ? [] : [messageIdWord(messageIdHeader)]),
    ...tags.slice(1).map(furtherTagWord),
    ...(message.metadata === null ? [] : searchableMetadata(JSON.parse(message.metadata)).map(metadataWord)),
  ])

/** Returns the queue row of a recipient: leased if `lease` is given, otherwise waiting. */
function queuedRow(
  { message, recipients, streamRules }: AcceptMessage,
  position: number,
  lease: Lease | undefined,
): Tables['queue'] {
  const { id, account_id, domain_id, stream, size, created_at: acceptedAt, send_at: sendAt } = message
  const { destination, startTag } = recipients[position]!
  const isPaced = streamRules?.paced ?? false
  const { state, dueAt } = firstState({ acceptedAt, sendAt, isPaced }, startTag)
  return {
    message_id: id,
    position,
    account_id,
    domain_id,
    destination,
    stream,
    size,
    state,
    waits_for: '',
    start_tag: startTag,
    due_at: lease === undefined ? dueAt : null,
    lease: null,
    lease_until: null,
    active_since: null,
    renewed: 0,
    attempts: 0,
    faults: 0,
    possible_duplicate: 0,
    ...(lease === undefined ? {} : leased(lease, acceptedAt)),
  }
}

/** Returns the unsubscribe links of a message. */
const linksOf = ({ message, recipients }: AcceptMessage): UnsubscribeLink[] =>
  recipients.flatMap(({ email, unsubscribeToken: token }, position) => {
    if (token === undefined) return []
    const { id: message_id, account_id, domain_id, stream, created_at } = message
    return [{ token, account_id, domain_id, stream, email, message_id, position, created_at }]
  })

/**
 * Returns for each message the suppressions of its recipients, by the position of the recipient, and the indices of the
 * messages with a recipient on any list of the account.
 */
async function suppressionsOf(
  db: Database,
  items: readonly AcceptMessage[],
): Promise<{
  readonly suppressions: ReadonlyMap<number, Suppression>[]
  readonly listed: ReadonlySet<number>
}> {
  const all = items.flatMap(
    ({ message: { account_id: accountId, domain_id: domainId, stream }, recipients }) =>
      recipients.map(({ email }) => ({ accountId, domainId, stream, email })),
  )
  const { byIndex, onAnyList } = await findListed(db, all)
  const listed = new Set<number>()
  let index = 0
  const suppressions = items.map(({ recipients }, item) => {
    const own = new Map<number, Suppression>()
    for (const position of recipients.keys()) {
      if (onAnyList.has(index)) listed.add(item)
      const suppression = byIndex.get(index++)
      if (suppression !== undefined) own.set(position, suppression)
    }
    return own
  })
  return { suppressions, listed }
}

/** Marks and returns the messages that are `unlisted` and have a recipient on a list. */
function refuseListed(
  items: readonly AcceptMessage[],
  listed: ReadonlySet<number>,
  results: Accepted[],
): AcceptMessage[] {
  const refused = [...listed].filter((index) => items[index]?.unlisted && results[index]?.kind === 'accepted')
  for (const index of refused) results[index] = { kind: 'listed' }
  return refused.flatMap((index) => items[index] ?? [])
}

/** Returns the claim of a message on its idempotency key; undefined without an idempotency key. */
const claimOf = ({ message, idempotency }: AcceptMessage): IdempotencyClaim | undefined =>
  idempotency && {
    keyId: message.key_id,
    messageId: message.id,
    now: message.created_at,
    ...idempotency,
  }

/**
 * Claims the idempotency keys of all messages. The result of a message that repeats an earlier request is not
 * `accepted`.
 */
async function claimKeys(db: Database, items: readonly AcceptMessage[]): Promise<Accepted[]> {
  const results: Accepted[] = items.map(() => ({ kind: 'accepted' }))
  const withKey = items.flatMap((item, index) => {
    const claim = claimOf(item)
    return claim === undefined ? [] : [{ index, claim }]
  })
  const claimed = await claimIdempotencyKeys(
    db,
    withKey.map(({ claim }) => claim),
  )
  for (const [at, { index }] of withKey.entries()) results[index] = claimed[at] as Accepted
  return results
}
