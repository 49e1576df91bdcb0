// Shapes of the search across all domains, and of the details of one email address.

import { type Static, Type } from 'typebox'
import { RECIPIENT_STATUSES } from '../../model/recipient.ts'
import { recordOf } from '../../model/record-of.ts'
import { SUPPRESSION_REASONS } from '../../model/suppression.ts'
import { closed, nullable, PageQuery, Timestamp } from './common.ts'
import { MessageSummary } from './message.ts'

const Text = nullable(Type.String())

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        'Message ID, Message-ID header, address or its beginning, words of a subject, beginning of a tag, or part of the name or alias of a template',
    }),
  },
  closed,
)

/** Message with the ID of its domain, from any domain of the account. */
export const MessageOfDomain = Type.Object({ ...MessageSummary.properties, domain_id: Type.String() })
export type MessageOfDomain = Static<typeof MessageOfDomain>

export const SearchView = Type.Object({
  messages: Type.Array(MessageOfDomain),
  inbound: Type.Array(
    Type.Object({
      inbound_id: Type.String(),
      domain_id: Type.String(),
      from: Type.String(),
      subject: Type.String(),
      received_at: Timestamp,
    }),
  ),
  addresses: Type.Array(Type.String(), { description: 'Addresses in lower case' }),
  tags: Type.Array(Type.Object({ domain_id: Type.String(), tag: Type.String() })),
  templates: Type.Array(
    Type.Object({
      kind: Type.Enum(['template', 'layout']),
      id: Type.String(),
      domain_id: Type.String(),
      name: Type.String(),
      alias: Text,
    }),
  ),
})
export type SearchView = Static<typeof SearchView>

export const AddressMessagesQuery = Type.Object(PageQuery, closed)

export const AddressMessages = Type.Object({
  data: Type.Array(MessageOfDomain),
  next_cursor: nullable(Type.String()),
})
export type AddressMessages = Static<typeof AddressMessages>

export const AddressView = Type.Object({
  counts: Type.Partial(Type.Object(recordOf(RECIPIENT_STATUSES, () => Type.Integer()))),
  counted_all: Type.Boolean({ description: 'False if there are older messages that are not counted' }),
  suppressions: Type.Array(
    Type.Object({
      domain_id: nullable(Type.String({ description: 'Null for a suppression of the whole account' })),
      email: Type.String(),
      stream: Type.String(),
      reason: Type.Enum([...SUPPRESSION_REASONS]),
      message_id: Text,
      created_at: Timestamp,
    }),
  ),
  verifications: Type.Array(
    Type.Object({
      /** ID of the list verification; null for the verification of a single address. */
      verification_id: Text,
      name: Text,
      result: Text,
      reason: Text,
      created_at: Timestamp,
    }),
  ),
})
export type AddressView = Static<typeof AddressView>

export const DeferredView = Type.Object({
  data: Type.Array(
    Type.Object({
      domain_id: Type.String(),
      count: Type.Integer({
        description: 'Number of messages with a recipient that waits for another attempt; at most 1,000',
      }),
      complete: Type.Boolean({ description: 'False if there are more messages' }),
    }),
    { description: 'Domains with such messages, at most twenty' },
  ),
})
export type DeferredView = Static<typeof DeferredView>
