// Shapes of the explanation of why mail to an address did not arrive.

import { type Static, Type } from 'typebox'
import { type FactKind, STEP_CODES, VERDICTS } from '../../explain/explanation.ts'
import type { RecipientStatus } from '../../model/recipient.ts'
import { closed, nullable, Timestamp } from './common.ts'

export const ExplainQuery = Type.Object(
  {
    email: Type.String({
      ...{ minLength: 1, maxLength: 400, examples: ['ann@example.net'] },
      description: 'Address of the recipient; case-insensitive',
    }),
    message_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    subject: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200 },
        description: 'Words of the subject, or their beginnings',
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Submitted at or after this time (RFC 3339)',
      }),
    ),
    domain: Type.Optional(
      Type.String({ ...{ minLength: 1, maxLength: 300 }, description: 'Sending domain, by name or ID' }),
    ),
  },
  closed,
)

/** Verdict about one message, and about all mail in question. */
export const VerdictName = Type.Enum([...VERDICTS])

const FactView = Type.Object({
  at: nullable(Timestamp),
  fact: Type.Unsafe<FactKind>({ type: 'string', description: 'Kind of the fact, such as `suppressed`' }),
  text: Type.String({ description: 'The fact as a sentence' }),
  values: Type.Record(Type.String(), Type.String(), {
    description: 'Values in the sentence, such as `host`, `reply` and `stream`',
  }),
  refers_to: nullable(Type.String()),
})

const StepView = Type.Object({
  code: Type.Enum([...STEP_CODES]),
  text: Type.String(),
  operation: Type.String({ description: 'Operation ID' }),
  args: Type.Record(Type.String(), Type.Unknown()),
})

const ExplainedMessage = Type.Object({
  message_id: Type.String(),
  domain_id: Type.String(),
  domain: Type.String(),
  stream: Type.String(),
  subject: Type.String(),
  status: Type.Unsafe<RecipientStatus>({ type: 'string', description: 'Status of the recipient' }),
  verdict: VerdictName,
  created_at: Timestamp,
})

/** Records that an explanation is derived from. */
const SOURCES = [
  'messages',
  'recipients',
  'attempts',
  'suppressions',
  'domain',
  'queue',
  'requests',
  'verification',
  'bulk rows',
  'inbound bounces',
]

/** Returns the records that were looked at. */
export const lookedAt = (seesVerifications: boolean): string[] =>
  SOURCES.filter((one) => seesVerifications || one !== 'verification')

export const ExplanationView = Type.Object({
  email: Type.String(),
  asked: Type.Object({
    message_id: nullable(Type.String()),
    subject: nullable(Type.String()),
    after: nullable(Timestamp),
    domain: nullable(Type.String()),
  }),
  verdict: VerdictName,
  sure: Type.Boolean({
    description: 'False if messages have different verdicts, or if records may have been removed',
  }),
  summary: Type.String({ description: 'The verdict as a sentence' }),
  because: Type.Array(FactView, { description: 'Facts in order of weight, at most 20' }),
  next_step: Type.Union([StepView, Type.Null()], {
    description: 'Operation that may help; null if only time, the recipient or the operator can help',
  }),
  messages: Type.Array(ExplainedMessage, { description: 'The newest messages, at most 10' }),
  looked_at: Type.Array(Type.String()),
})
export type ExplanationView = Static<typeof ExplanationView>
