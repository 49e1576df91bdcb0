// Shapes of the mail queue in the operator API.

import { Type } from 'typebox'
import { LOOK_STATES } from '../../model/list-look.ts'
import { MESSAGE_STATUSES } from '../../model/message.ts'
import { MAX_NOTE_LENGTH, PUBLISHED_STATES, WAIT_KINDS } from '../../model/queue-state.ts'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'
import { HeldView } from './message.ts'

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 300, description }))

const selection = {
  message_id: name('Selects all recipients of this message'),
  destination: name('Selects all recipients of this recipient domain'),
  stream: name('Selects all recipients of this stream'),
  domain: name('Selects all recipients of messages from this sending domain'),
  restored: name('Time of a restore; selects all recipients that the restore holds'),
}

export const WaitingQuery = Type.Object({ ...PageQuery, ...selection }, closed)

export const QueueActionBody = Type.Object(
  {
    ...selection,
    all: Type.Optional(
      Type.Literal(true, { description: 'Selects the whole queue; must be the only member' }),
    ),
  },
  {
    ...closed,
    description: 'Selection of recipients; several members are combined with AND',
    examples: [{ destination: 'example.net' }],
  },
)

const pausable = {
  destination: name('Recipient domain'),
  stream: name('The stream'),
  domain: name('Sending domain'),
}

export const PauseBody = Type.Object(
  {
    ...pausable,
    note: Type.Optional(
      Type.String({
        maxLength: MAX_NOTE_LENGTH,
        description: 'Reason for the pause, shown to operators and not to customers',
      }),
    ),
  },
  {
    ...closed,
    description: 'Exactly one of destination, stream and domain, and a note',
    examples: [{ destination: 'example.net', note: 'Their postmaster asked for a break' }],
  },
)

export const ResumeBody = Type.Object(
  {
    ...pausable,
    restored: name('Time of the restore that holds the messages'),
  },
  {
    ...closed,
    description: 'Exactly one of destination, stream, domain and restored',
    examples: [{ destination: 'example.net' }],
  },
)

const Kind = Type.Enum(['destination', 'stream', 'domain', 'restored'])
const Note = Type.Union([Type.String(), Type.Null()], { description: 'Reason that the operator gave' })

export const QueueAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      destination: Type.String(),
      recipients: Type.Integer({ description: 'Number of queued recipients, including active recipients' }),
      in_attempt: Type.Integer({ description: 'Number of recipients with a running attempt' }),
      held: Type.Integer({ description: 'Number of recipients that a pause or a restore holds' }),
      oldest_message_id: Type.String(),
      oldest_at: Type.Unsafe<string>({
        ...Timestamp,
        description: 'Time at which the oldest recipient was accepted',
      }),
      next_attempt_at: Type.Union([Timestamp, Type.Null()], {
        description: 'Time of the next due attempt; null while all recipients are held',
      }),
      paused: Type.Boolean({ description: 'True if the destination is paused' }),
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
        {
          description: 'Last reply to one of the waiting recipients; null without an attempt',
        },
      ),
    }),
    { description: 'Longest queue first' },
  ),
  paused: Type.Array(Type.Object({ kind: Kind, value: Type.String(), created_at: Timestamp, note: Note }), {
    description: 'All current pauses',
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
          '`deferred`: waits for its next attempt. `active`: in an attempt. `throttled`: waits for a slot or for the rate limit of its stream. `held`: waits until the hold ends. `suspect`, `quarantined`: was active when the process ended, and is attempted with few or no other recipients',
        examples: ['deferred'],
      }),
      waits_for: Type.Union(
        [Type.Object({ kind: Type.Enum([...WAIT_KINDS]), value: Type.String() }), Type.Null()],
        {
          description:
            'Limit or hold that delays a throttled or held recipient; null for all other recipients',
        },
      ),
      held: Type.Union([Type.Object({ ...HeldView.properties, note: Note }), Type.Null()], {
        description: 'Hold that prevents attempts; null if there is no hold',
      }),
      next_attempt_at: Type.Union([Timestamp, Type.Null()], {
        description: 'Null while the recipient is held',
      }),
      created_at: Timestamp,
      last_event_at: Timestamp,
      smtp_code: Type.Union([Type.Integer(), Type.Null()]),
      smtp_response: Type.Union([Type.String(), Type.Null()]),
    }),
    { description: 'Recipients in the order of their next attempts' },
  ),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
})

export const QueueActionAnswer = Type.Object({
  recipients: Type.Integer({ description: 'Number of recipients changed' }),
})

export const SettingsAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name of the environment variable' }),
      value: Type.Union([Type.String(), Type.Null()], {
        description:
          'Value in force on this node; `set` for a setting that may contain a secret, null for none',
      }),
      source: Type.Enum(['environment', 'file', 'default']),
      default: Type.String({ description: 'Default in words' }),
      description: Type.String(),
    }),
  ),
  next_cursor: Type.Null(),
})

export const ListingsQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(Type.Enum([...LOOK_STATES], { description: 'Only lookups with this state' })),
  },
  closed,
)

export const ListingsAnswer = Type.Object({
  data: Type.Array(
    Type.Object({
      address: nullable(Type.String({ description: 'Public address of outgoing mail; null for a domain' })),
      domain: nullable(Type.String({ description: 'Sending domain; null for an address' })),
      zone: Type.String({ description: 'Zone of the block list' }),
      state: Type.Enum([...LOOK_STATES], {
        description:
          '`not_known`: the list refused, did not answer, or failed its test entries, so that its answers are not believed',
      }),
      since: Type.Unsafe<string>({ ...Timestamp, description: 'Time at which the state began' }),
      checked_at: Timestamp,
      answer: nullable(
        Type.String({ description: 'Answer of the list, or the reason why the state is not known' }),
      ),
      delist_url: nullable(
        Type.String({ description: 'Page for requesting the removal; null if the page is not known' }),
      ),
    }),
    { description: 'Listings first, then lookups without a result' },
  ),
  next_cursor: nullable(Type.String()),
})

export const HoldAnswer = Type.Object({ kind: Kind, value: Type.String(), paused: Type.Boolean() })

export const InspectedAnswer = Type.Object(
  { message_id: Type.String(), status: Type.Enum([...MESSAGE_STATUSES]) },
  {
    additionalProperties: true,
    description: 'Message with its recipients, and every attempt with its SMTP dialog',
  },
)
