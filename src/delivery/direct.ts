// A message that was accepted under a lease, in the form in which a claim would have brought it.

import type { Direct } from '../store/direct.ts'
import type { Returned } from '../store/leases.ts'
import type { AcceptMessage } from '../store/messages.ts'
import type { Claimed } from '../store/queue.ts'

/** A message that goes at once: those of its recipients who are not suppressed, and what they are to receive. */
export interface Arrived {
  readonly recipients: readonly Claimed[]
  readonly message: AcceptMessage
}

/** Its recipients as claimed for their first attempt. */
export function arrived(accepted: AcceptMessage, { positions, domainName, relayUrl }: Direct): Arrived {
  const { message, lease } = accepted
  if (lease === undefined) throw new Error(`${message.id} was accepted without a lease`)
  const recipients = positions.map((position) => {
    const { email, destination } = accepted.recipients[position]!
    return {
      messageId: message.id,
      position,
      accountId: message.account_id,
      domainId: message.domain_id,
      domainName,
      stream: message.stream,
      email,
      destination,
      attempt: 1,
      faults: 0,
      possibleDuplicate: false,
      ...lease,
      createdAt: message.created_at,
      expiresAt: message.expires_at,
      size: message.size,
      recipientCount: accepted.recipients.length,
      requireTls: message.require_tls,
      relayUrl,
    }
  })
  return { recipients, message: accepted }
}

/** All its recipients, as they are handed back if the store has them under that lease. */
export const underLease = ({ message, recipients, lease }: AcceptMessage): Returned[] =>
  lease === undefined
    ? []
    : recipients.map((_, position) => ({
        ...{ messageId: message.id, position, domainId: message.domain_id },
        ...{ lease: lease.lease, attempt: 1 },
      }))
