// Answers of the doors to a send request: accepted, refused, or a repeat of an earlier answer.

import { type FieldProblem, Problem, type ProblemCode } from '../model/problem.ts'
import type { AcceptMessage } from '../store/accepting/accept-message.ts'
import type { Exhausted } from '../store/accepting/allowances.ts'
import type { Repeated } from '../store/requests/idempotency-keys.ts'

/** The answer 202 over HTTP, 250 over SMTP. */
export interface Submitted {
  readonly message_id: string
  readonly status: 'queued' | 'scheduled'
}

/** The answer to one of many requests that was refused: the content of a `Problem`, in a form that can be kept. */
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

/** The answer to a request that came before. Throws `Problem` when it was another one. */
export function repeated<T>(result: Repeated): T {
  if (result.kind === 'replayed') return JSON.parse(result.response) as T
  throw new Problem('validation_failed', 'This Idempotency-Key was used with another body; use a new key.', {
    errors: [{ path: 'Idempotency-Key', code: 'key_reused', message: 'It belongs to another request body.' }],
  })
}

/** The refusal of one message, or of what follows where nothing is left. */
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

/** The refusal of a message of a batch, which is written before it is known how much is left. */
export const allowanceShort = (): Problem =>
  new Problem(
    'sending_allowance_exhausted',
    'The sending allowance of the account or of the stream does not reach for all recipients of this message; ask for more.',
  )
