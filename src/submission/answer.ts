// The responses to a send request: accepted, refused, or the response to an earlier request.

import { type FieldProblem, Problem, type ProblemCode } from '../model/problem.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Exhausted } from '../store/accepting/allowances.ts'
import type { Repeated } from '../store/requests/idempotency-keys.ts'

/** The response to an accepted request: 202 over HTTP, or 250 over SMTP. */
export interface Submitted {
  readonly message_id: string
  readonly status: 'queued' | 'scheduled'
}

/** The response to a refused request of a batch: the content of a `Problem`, in a form that can be stored. */
export interface Refused {
  readonly code: ProblemCode
  readonly detail: string
  readonly errors: readonly FieldProblem[]
}

export const answerTo = ({ message }: AcceptMessage): Submitted => ({
  message_id: message.id,
  status: message.send_at === null ? 'queued' : 'scheduled',
})

export const refused = ({ code, message, errors }: Problem): Refused => ({ code, detail: message, errors })

/** Returns the stored response to a repeated request. Throws `Problem` if the earlier request had another body. */
export function repeated<T>(result: Repeated): T {
  if (result.kind === 'replayed') return JSON.parse(result.response) as T
  throw new Problem('validation_failed', 'This Idempotency-Key was used with another body; use a new key.', {
    errors: [{ path: 'Idempotency-Key', code: 'key_reused', message: 'It belongs to another request body.' }],
  })
}

/**
 * Returns the refusal of one message; if `left` is undefined, the refusal of all messages after the end of the
 * allowance.
 */
export const allowanceExhausted = ({
  of,
  left,
  needed,
}: Pick<Exhausted, 'of'> & Partial<Exhausted>): Problem =>
  new Problem(
    'sending_allowance_exhausted',
    left
      ? `The sending allowance of the ${of} does not reach for this message: ${left} left, ${needed} needed, one for each recipient; ask for more.`
      : `The sending allowance of the ${of} is used up; ask for more.`,
  )

/** Returns a refusal of a message of a batch; the refusal is written before the remaining allowance is known. */
export const allowanceShort = (): Problem =>
  new Problem(
    'sending_allowance_exhausted',
    'The sending allowance of the account or of the stream does not reach for all recipients of this message; ask for more.',
  )
