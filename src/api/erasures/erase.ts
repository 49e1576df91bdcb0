// POST /v1/erasures: erases all data that a domain stores about an email address.

import { Type } from 'typebox'
import { MAX_SMALL_BODY } from '../../http/body-rule.ts'
import { readAddress } from '../../http/filters.ts'
import type { FieldProblem } from '../../model/problem.ts'
import type { Receipt } from '../../operator/erasure.ts'
import type { Owner } from '../../store/messages/owner.ts'
import { KeyedSemaphore } from '../../threads/keyed-semaphore.ts'
import { senderOfRequest } from '../caller.ts'
import { Timestamp } from '../contract/common.ts'
import { defineRoute } from '../route.ts'

/** Erases all data about an email address from a domain. */
export type Erase = (owner: Owner, email: string) => Promise<Receipt>

/**
 * Endpoint that erases all data about an email address. Each account runs one erasure at a time, because an erasure
 * reads every inbound message of the domain.
 */
export const eraseAddress = (erase: Erase) => {
  const turns = new KeyedSemaphore(1)
  return defineRoute({
    method: 'POST',
    url: '/v1/erasures',
    consequence: 'destruction',
    schema: {
      tags: ['Erasures'],
      summary: 'Erase an address',
      description:
        'Removes all data that the domain stores under an address: messages, recipients, events, attempts, contents, links, and inbound messages from or to the address. If a message has other recipients, only its content and the rows of this recipient are removed. Suppressions are kept as a hash. Texts that merely quote the address are not searched: deliveries of webhooks, with responses that may quote payloads, are removed after seven days, and the audit log is kept. The address matches case-insensitively; a tag has to match exactly. An erasure cannot be undone.',
      body: Type.Object(
        { email: Type.String({ minLength: 1, maxLength: 1_000, description: 'Email address' }) },
        {
          additionalProperties: false,
          description: 'Address to erase',
          examples: [{ email: 'jo@example.net' }],
        },
      ),
      response: {
        200: Type.Object(
          {
            erased_at: Timestamp,
            rows: Type.Record(Type.String(), Type.Integer(), {
              description:
                'Number of rows, by table, that were removed or from which the address was removed',
            }),
            kept: Type.Record(Type.String(), Type.String(), {
              description:
                'Tables with rows that may quote the address and are kept, with the time after which these rows are removed',
            }),
          },
          { description: 'Receipt of the erasure' },
        ),
      },
    },
    refusals: ['malformed_request', 'conflict', 'body_too_large', 'validation_failed'],
    scope: 'erasures:write',
    domains: 'one',
    body: { maxBytes: MAX_SMALL_BODY },
    audit: 'erasure.create',
    check(_, { email }) {
      const problems: FieldProblem[] = []
      readAddress('email', email?.trim(), problems)
      return problems
    },
    async handler(request) {
      const sender = senderOfRequest(request)
      const done = await turns.acquire(sender.accountId)
      try {
        const { erased_at, rows, kept } = await erase(sender, request.body.email)
        return { erased_at, rows: { ...rows }, kept: { ...kept } }
      } finally {
        done?.()
      }
    },
  })
}
