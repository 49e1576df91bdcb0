// Shapes of the explanation of why mail to an address did not arrive.

import { type Static, Type } from 'typebox'
import { FACT_KINDS, STEP_CODES, VERDICTS } from '../../explain/explanation.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { closed, nullable, Timestamp } from './common.ts'

export const ExplainQuery = Type.Object(
  {
    email: Type.String({
      ...{ minLength: 1, maxLength: 400, examples: ['ann@example.net'] },
      description: 'Address of the recipient; case-insensitive',
    }),
    message_id: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 100 },
        description: 'Explains only this message; by default the newest messages',
      }),
    ),
    subject: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200 },
        description: 'Words of the subject, or their beginnings; only the newest 200 messages are compared',
      }),
    ),
    after: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Explains only mail submitted at or after this time (RFC 3339). By default, and without `message_id` and `subject`, mail of the seven days before the newest message counts for the verdict',
      }),
    ),
    domain: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 300 },
        description: 'Only mail of this sending domain, by name or ID; by default of every domain of the key',
      }),
    ),
  },
  closed,
)

const FactView = Type.Object({
  at: nullable(Timestamp),
  fact: Type.Enum([...FACT_KINDS]),
  text: Type.String({ description: 'The fact as a sentence' }),
  values: Type.Record(Type.String(), Type.String(), {
    description: 'Values in the sentence, by name, such as `host`, `reply`, `category` and `stream`',
  }),
  refers_to: Type.Union([Type.String(), Type.Null()], {
    description: 'Path at which the object of the fact can be retrieved',
  }),
})

const StepView = Type.Object({
  code: Type.Enum([...STEP_CODES]),
  text: Type.String(),
  operation: Type.String({ description: 'Operation ID in the OpenAPI document' }),
  args: Type.Record(Type.String(), Type.Unknown(), { description: 'Arguments of the operation' }),
})

const ExplainedMessage = Type.Object({
  message_id: Type.String(),
  domain_id: Type.String(),
  domain: Type.String(),
  stream: Type.String(),
  subject: Type.String(),
  status: Type.Enum([...RECIPIENT_STATUSES], { description: 'Status of the recipient' }),
  verdict: Type.Enum([...VERDICTS]),
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
] as const

/** Returns the records that were looked at. */
export const lookedAt = (seesVerifications: boolean): (typeof SOURCES)[number][] =>
  SOURCES.filter((one) => seesVerifications || one !== 'verification')

export const ExplanationView = Type.Object({
  email: Type.String({ description: 'The address in its canonical spelling' }),
  asked: Type.Object(
    {
      message_id: nullable(Type.String()),
      subject: nullable(Type.String()),
      after: nullable(Timestamp),
      domain: nullable(Type.String()),
    },
    { description: 'The conditions of the request' },
  ),
  verdict: Type.Enum([...VERDICTS], {
    description:
      'The weightiest verdict about the mail in question. `erased`: the data were erased. `never_asked`: no message was submitted. `refused_at_the_door`: the request was refused. `cancelled`. `held`: the account, the owner of the domain or the operator holds the mail. `scheduled`: the sender chose a later time. `suppressed`: the address was on a suppression list. `bounced_afterwards`: a host accepted the message and returned it later. `refused`: a host refused the message. `given_up`: the attempts ended without a delivery. `waiting`: an attempt is in progress or follows. `delivered_by_receiver`: the receiving host accepted the message',
  }),
  sure: Type.Boolean({
    description:
      'False if messages in question have different verdicts, or if records of such messages may have been removed',
  }),
  summary: Type.String({ description: 'The verdict as a sentence' }),
  because: Type.Array(FactView, { description: 'Facts in order of weight, at most 20' }),
  next_step: Type.Union([StepView, Type.Null()], {
    description: 'Operation that may help; null if only time, the recipient or the operator can help',
  }),
  messages: Type.Array(ExplainedMessage, { description: 'The newest messages to the address, at most 10' }),
  looked_at: Type.Array(Type.Enum([...SOURCES]), {
    description: 'Records that the explanation is derived from',
  }),
})
export type ExplanationView = Static<typeof ExplanationView>
