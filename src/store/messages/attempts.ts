// The attempts of a message, as its account sees them.

import type { Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from './owner.ts'

/** An attempt with the address that it was made for. */
export type AttemptOfRecipient = Tables['attempts'] & { readonly email: string }

/** Of all recipients, oldest first. Empty when the owner has no such message. */
export const listAttempts = (read: Read, owner: Owner, messageId: string): Promise<AttemptOfRecipient[]> =>
  read
    .selectFrom('attempts')
    .innerJoin('recipients', (join) =>
      join
        .onRef('recipients.message_id', '=', 'attempts.message_id')
        .onRef('recipients.position', '=', 'attempts.position'),
    )
    .selectAll('attempts')
    .select('recipients.email')
    .where('attempts.message_id', '=', messageId)
    .where('attempts.account_id', '=', owner.accountId)
    .where('attempts.domain_id', '=', owner.domainId)
    .orderBy('attempts.started_at')
    .orderBy('attempts.position')
    .orderBy('attempts.number')
    .execute()
