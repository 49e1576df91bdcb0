// The attempts of a message for its account.

import type { Read } from '../database/dialect.ts'
import type { Tables } from '../database/schema.ts'
import type { Owner } from './owner.ts'

/** An attempt with the address of its recipient. */
export type AttemptOfRecipient = Tables['attempts'] & { readonly email: string }

/** Returns the attempts for all recipients, oldest first. Empty when the owner has no such message. */
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
