// Shapes of messages that go beyond the public API, and of sending one again.

import { type Static, Type } from 'typebox'
import { Timestamp } from './common.ts'

const Text = Type.Union([Type.String(), Type.Null()])

export const AttemptView = Type.Object({
  email: Type.String(),
  number: Type.Integer({ description: 'From 1, of this recipient' }),
  started_at: Timestamp,
  duration_ms: Type.Integer(),
  status: Type.Enum(['delivered', 'deferred', 'bounced', 'failed']),
  reason: Type.String(),
  mx: Text,
  address: Text,
  tls: Text,
  smtp_code: Type.Union([Type.Integer(), Type.Null()]),
  smtp_enhanced: Text,
  smtp_response: Text,
  transcript: Type.String({ description: 'The dialog, line by line' }),
})
export type AttemptView = Static<typeof AttemptView>

export const AttemptListView = Type.Object({
  data: Type.Array(AttemptView, { description: 'Oldest first' }),
})
export type AttemptListView = Static<typeof AttemptListView>

export const ResendBody = Type.Object(
  {
    recipients: Type.Optional(
      Type.Array(Type.String({ maxLength: 400 }), {
        minItems: 1,
        maxItems: 50,
        description: 'Some of its recipients; without it all of them',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ResendBody = Static<typeof ResendBody>
