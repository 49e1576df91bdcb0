// The line of the mail log about the end of an attempt.

import { formatTime } from '../lib/rfc3339.ts'
import type { MailLine } from '../model/mail-log.ts'
import type { RecordOutcome } from '../store/queue/outcomes.ts'

/**
 * Returns the line about an attempt that was written to the store. The text of the reply is left out, because a host
 * may quote the message in the text; the SMTP dialog of the attempt contains the text.
 */
export function attemptLine(ended: Omit<RecordOutcome, 'lease'>): MailLine {
  const { claimed, outcome, attempt, nextAttemptAt, now } = ended
  return {
    event: outcome.status,
    messageId: claimed.messageId,
    email: claimed.email,
    fields: {
      account_id: claimed.accountId,
      domain_id: claimed.domainId,
      stream: claimed.stream,
      attempt: claimed.attempt,
      mx: attempt.mx,
      address: attempt.address,
      source_address: attempt.source,
      tls: attempt.tls,
      smtp_code: attempt.reply?.code,
      smtp_enhanced: attempt.reply?.enhanced,
      category: outcome.category,
      hard: outcome.hard,
      stage: outcome.stage,
      duration_ms: attempt.durationMs,
      delay_ms: Math.max(0, now - claimed.createdAt),
      next_attempt_at: nextAttemptAt === null ? undefined : formatTime(nextAttemptAt),
    },
  }
}
