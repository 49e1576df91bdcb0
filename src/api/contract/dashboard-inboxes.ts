// Shapes of test inboxes in the dashboard API beyond the public API.

import { type Static, Type } from 'typebox'
import { nullable } from './common.ts'
import { InboxMail } from './inbox.ts'

export const InboxMailOrigin = Type.Object({
  signatures: Type.Array(
    Type.Object({
      result: Type.Enum(['pass', 'fail', 'permerror', 'temperror']),
      explanation: Type.String(),
      domain: Type.String(),
      selector: Type.String(),
      algorithm: Type.String(),
      key_name: Type.String({ description: 'DNS name of the public key' }),
      covers: Type.Array(Type.String(), { description: 'Signed header fields' }),
    }),
    { description: 'Results of the DKIM signatures, checked with the keys that are now in the DNS' },
  ),
  message: nullable(
    Type.Object(
      { message_id: Type.String(), domain_id: Type.String() },
      { description: 'The message that caused the mail' },
    ),
  ),
})
export type InboxMailOrigin = Static<typeof InboxMailOrigin>

/** Mail of a test inbox as a shared link shows it: without Bcc recipients, and without the header. */
export const SharedMailView = Type.Pick(InboxMail, [
  'mail_id',
  'received_at',
  'from',
  'to',
  'cc',
  'subject',
  'size',
  'html',
  'text',
  'incomplete',
  'attachments',
])
export type SharedMailView = Static<typeof SharedMailView>
