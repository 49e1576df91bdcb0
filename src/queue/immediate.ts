// Immediate delivery: converts a message that was accepted under a lease to the form that a claim returns.

import type { Lease } from '../model/lease.ts'
import type { SendRequest } from '../model/send-request.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Immediate } from '../store/queue/immediate.ts'
import type { Unattempted } from '../store/queue/leases.ts'
import type { Claimed } from '../store/queue/queue.ts'

/** An accepted message for immediate delivery: the recipients that are not suppressed, and the content. */
export interface ImmediateMessage {
  readonly lease: Lease
  readonly recipients: readonly Claimed[]
  readonly message: AcceptMessage
  /** The parsed form of `message.content`, if already available. */
  readonly request: SendRequest | undefined
}

/**
 * Returns the recipients of an accepted message in the form in which a claim returns recipients for a first attempt.
 */
export function immediate(
  accepted: AcceptMessage,
  found: Immediate,
  request?: SendRequest,
): ImmediateMessage {
  const { message, lease } = accepted
  if (lease === undefined) throw new Error(`${message.id} was accepted without a lease`)
  const recipients = found.positions.map((position) => {
    const { email, destination, startTag } = accepted.recipients[position]!
    return {
      messageId: message.id,
      position,
      accountId: message.account_id,
      domainId: message.domain_id,
      domainName: found.domainName,
      stream: message.stream,
      email,
      destination,
      startTag,
      attempt: 1,
      faults: 0,
      possibleDuplicate: false,
      createdAt: message.created_at,
      expiresAt: message.expires_at,
      size: message.size,
      tag: message.tag,
      recipientCount: accepted.recipients.length,
      requireTls: message.require_tls === 1,
      relayUrl: found.relayUrl,
      inboxId: message.inbox_id,
    }
  })
  return { lease, recipients, message: accepted, request }
}

/** Returns all recipients of a message for a release, in case the store has accepted the message under the lease. */
export const releaseOf = ({ message, recipients, lease }: AcceptMessage): Unattempted[] =>
  lease === undefined
    ? []
    : recipients.map((_, position) => ({
        ...{ messageId: message.id, position, domainId: message.domain_id },
        ...{ lease: lease.token, attempt: 1 },
      }))
