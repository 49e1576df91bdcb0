// Responses to a send request: accepted, refused, or the response to an earlier request.

import type { Warning } from '../model/finding.ts'
import { type FieldProblem, Problem, type ProblemCode } from '../model/problem.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Exhausted } from '../store/accepting/allowances.ts'
import type { Repeated } from '../store/requests/idempotency-keys.ts'

/** Response to an accepted request: 202 over HTTP, or 250 over SMTP. */
export interface Submitted {
  readonly message_id: string
  readonly status: 'queued' | 'scheduled'
  /** Findings of the check, if the guard was `warn`. */
  readonly warnings?: readonly Warning[]
}

/** Response to a refused request of a batch: the content of a `Problem` in a form that can be stored. */
export interface Refused {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly FieldProblem[]
}

export const answerTo = ({ message, detail }: AcceptMessage): Submitted => {
  const status = message.send_at === null ? 'queued' : 'scheduled'
  const answer = { message_id: message.id, status } as const
  return detail?.warnings === undefined ? answer : { ...answer, warnings: detail.warnings }
}

export const refused = ({ code, message, errors }: Problem): Refused => ({ code, detail: message, errors })

/** Returns the stored response to a repeated request. Throws `Problem` if the earlier request had another body. */
export function repeated<T>(result: Repeated): T {
  if (result.kind === 'replayed') return JSON.parse(result.response) as T
  throw new Problem('validation_failed', 'This Idempotency-Key was used with another body; use a new key.', {
    errors: [
      { path: 'Idempotency-Key', code: 'key_reused', message: 'The key belongs to another request body.' },
    ],
  })
}

/**
 * Returns the refusal of one message. If `left` is undefined, returns the refusal of all messages, because the
 * allowance is used up.
 */
export const allowanceExhausted = ({
  of,
  left,
  needed,
}: Pick<Exhausted, 'of'> & Partial<Exhausted>): Problem =>
  new Problem(
    'sending_allowance_exhausted',
    left
      ? `The sending allowance of the ${of} is too small for this message: ${left} left, ${needed} needed, one for each recipient; ask for more.`
      : `The sending allowance of the ${of} is used up; ask for more.`,
  )

/** Returns a refusal for a message of a batch without numbers, because the remaining allowance is not known yet. */
export const allowanceShort = (): Problem =>
  new Problem(
    'sending_allowance_exhausted',
    'The sending allowance of the account or of the stream is too small for all recipients of this message; ask for more.',
  )
