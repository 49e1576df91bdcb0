// Shapes of the mail queue in the operator API.

import { Type } from 'typebox'
import { MESSAGE_STATUSES } from '../../model/message.ts'
import { MAX_NOTE_LENGTH, PUBLISHED_STATES, WAIT_KINDS } from '../../model/queue-state.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { closed, PageQuery, Timestamp } from './common.ts'
import { HeldView } from './message.ts'

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 300, description }))

const selection = {
  message_id: name('All recipients of this message'),
  destination: name('All for this recipient domain'),
  stream: name('All of this stream'),
  domain: name('All from this sending domain'),
  restored: name('All that this restore holds, by its time'),
}

export const WaitingQuery = Type.Object({ ...PageQuery, ...selection }, closed)

export const QueueActionBody = Type.Object(
  {
    ...selection,
    all: Type.Optional(Type.Literal(true, { description: 'The whole queue; instead of everything else' })),
  },
  {
    ...closed,
    description: 'Selects recipients; several members are combined with AND',
    examples: [{ destination: 'example.net' }],
  },
)

const pausable = {
  destination: name('The recipient domain'),
  stream: name('The stream'),
  domain: name('The sending domain'),
}

export const PauseBody = Type.Object(
  {
    ...pausable,
    note: Type.Optional(
      Type.String({
        maxLength: MAX_NOTE_LENGTH,
        description: 'Why; operators see it beside the pause, customers do not',
      }),
    ),
  },
  {
    ...closed,
    description: 'One of the three, and a note',
    examples: [{ destination: 'example.net', note: 'Their postmaster asked for a break' }],
  },
)

export const ResumeBody = Type.Object(
  {
    ...pausable,
    restored: name('The messages held by a restore, by its time'),
  },
  { ...closed, description: 'One of the four', examples: [{ destination: 'example.net' }] },
)

const Kind = Type.Enum(['destination', 'stream', 'domain', 'restored'])
const Note = Type.Union([Type.String(), Type.Null()], { description: 'Why, as the operator wrote it' })

export const QueueAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      destination: Type.String(),
      recipients: Type.Integer({ description: 'Queued recipients, active ones included' }),
      in_attempt: Type.Integer({ description: 'Recipients with an attempt under way' }),
      held: Type.Integer({ description: 'Recipients that a pause or a restore holds' }),
      oldest_message_id: Type.String(),
      oldest_at: Type.Unsafe<string>({ ...Timestamp, description: 'When the oldest was accepted' }),
      next_attempt_at: Type.Union([Timestamp, Type.Null()], {
        description: 'When the next one falls due; null while all are held',
      }),
      paused: Type.Boolean({ description: 'Whether the destination is paused' }),
      last_reply: Type.Union(
        [
          Type.Object({
            message_id: Type.String(),
            at: Timestamp,
            smtp_code: Type.Union([Type.Integer(), Type.Null()]),
            smtp_response: Type.Union([Type.String(), Type.Null()]),
            mx: Type.Union([Type.String(), Type.Null()]),
          }),
          Type.Null(),
        ],
        { description: 'Of the recipients that wait; null where none was attempted' },
      ),
    }),
    { description: 'The longest queue first' },
  ),
  paused: Type.Array(Type.Object({ kind: Kind, value: Type.String(), created_at: Timestamp, note: Note }), {
    description: 'All that is paused',
  }),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

export const WaitingAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      message_id: Type.String(),
      email: Type.String(),
      destination: Type.String(),
      domain: Type.String(),
      stream: Type.String(),
      status: Type.Enum([...RECIPIENT_STATUSES], { examples: ['deferred'] }),
      attempts: Type.Integer(),
      in_attempt: Type.Boolean(),
      state: Type.Enum([...PUBLISHED_STATES], {
        description:
          '`deferred` to its time, `active` in an attempt, `throttled` for want of a slot or by the rate of its stream, `held` until it is resumed; `suspect` and `quarantined` recipients are attempted with few or no others, since the process ended while they were active',
        examples: ['deferred'],
      }),
      waits_for: Type.Union(
        [Type.Object({ kind: Type.Enum([...WAIT_KINDS]), value: Type.String() }), Type.Null()],
        { description: 'Limit or hold that keeps a throttled or held recipient; null for all others' },
      ),
      held: Type.Union([Type.Object({ ...HeldView.properties, note: Note }), Type.Null()], {
        description: 'Who holds the recipient; null where an attempt will be made',
      }),
      next_attempt_at: Type.Union([Timestamp, Type.Null()], { description: 'Null while it is held' }),
      created_at: Timestamp,
      last_event_at: Timestamp,
      smtp_code: Type.Union([Type.Integer(), Type.Null()]),
      smtp_response: Type.Union([Type.String(), Type.Null()]),
    }),
    { description: 'The next due first' },
  ),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

export const QueueActionAnswer = Type.Object({
  recipients: Type.Integer({ description: 'Number of recipients changed' }),
})

export const HoldAnswer = Type.Object({ kind: Kind, value: Type.String(), paused: Type.Boolean() })

export const InspectedAnswer = Type.Object(
  { message_id: Type.String(), status: Type.Enum([...MESSAGE_STATUSES]) },
  {
    additionalProperties: true,
    description: 'The message, its recipients, and every attempt with its dialog',
  },
)
