// Endpoints of the suppressions of a whole account, which apply to every domain and every stream.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import { bodyProblems } from '../../http/body-rule.ts'
import { nulProblems, readTime } from '../../http/filters.ts'
import { idCursor, page } from '../../http/page.ts'
import { invalidFields } from '../../model/problem.ts'
import { WHOLE_DOMAIN } from '../../model/suppression.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import { listSuppressions } from '../../store/workspace/suppression-list.ts'
import type { Suppression } from '../../store/workspace/suppressions.ts'
import { suppressionView } from '../../streams/suppression-csv.ts'
import type { SuppressionList } from '../../streams/suppression-list.ts'
import {
  AccountAddBody,
  AccountAddEntry,
  AccountAddListBody,
  AccountRemoveBody,
  AccountRemoveEntry,
  AccountSuppressionList,
  AccountSuppressionQuery,
  AccountSuppressionView,
  Added,
  Removed,
  RemoveListBody,
} from '../contract/suppression.ts'
import { defineRoute, type Route } from '../route.ts'
import { wholeAccountOf } from '../whole-account.ts'
import { readEntries } from './entries.ts'
import { addressFilter } from './list.ts'

const tags = ['Suppressions']
const URL = '/v1/account-suppressions'
/** Maximum size of a body in bytes, enough for 100,000 addresses. */
const MAX_BYTES = 32 * 1024 * 1024

export const accountSuppressionRoutes = (read: Read, suppressing: SuppressionList): readonly Route[] => [
  listOfAccount(read),
  add(suppressing),
  removeOne(suppressing),
  removeMany(suppressing),
]

const ownerOf = (request: FastifyRequest): Owner => wholeAccountOf(request, 'These suppressions apply to')

const viewOf = (suppression: Suppression) => {
  const { email, reason, created_at } = suppressionView(suppression)
  return { email, reason, created_at }
}

const listOfAccount = (read: Read) =>
  defineRoute({
    method: 'GET',
    url: URL,
    schema: {
      tags,
      summary: 'List suppressions of the account',
      description: 'Returns the addresses to which no domain of the account sends, newest first.',
      querystring: AccountSuppressionQuery,
      response: { 200: AccountSuppressionList },
    },
    refusals: ['malformed_request', 'validation_failed', 'domain_not_permitted'],
    scope: 'account:read',
    async handler(request) {
      const { reason, email, after, before, ...asked } = request.query
      const owner = ownerOf(request)
      const problems = nulProblems(request.query)
      const times = {
        after: readTime('after', after, problems),
        before: readTime('before', before, problems),
      }
      if (problems.length > 0) throw invalidFields(problems)
      const filter = { reason, ...addressFilter(email), ...times }
      const find = (limit: number, cursor: string | undefined): Promise<Suppression[]> =>
        reading(listSuppressions(read, owner, filter, limit, cursor))
      return page(asked, idCursor('sup'), find, ({ id }) => id, viewOf)
    },
  })

const add = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'POST',
    url: URL,
    consequence: 'none',
    schema: {
      tags,
      summary: 'Suppress addresses in the account',
      description:
        'Takes one address (`email`), or up to 100,000 addresses in `suppressions`. No domain of the account sends to the addresses, regardless of the stream. An address that is already suppressed keeps its first reason, except that a complaint replaces any other reason.',
      body: AccountAddBody,
      response: { 200: Type.Union([Added, AccountSuppressionView]), 201: AccountSuppressionView },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed', 'domain_not_permitted'],
    scope: 'account:write',
    // The handler checks the entries of a list one by one.
    body: { maxBytes: MAX_BYTES, problems: 'handler' },
    audit: 'suppression.create',
    async handler(request, reply) {
      const owner = ownerOf(request)
      const { suppressions, email, reason } = request.body
      if (suppressions !== undefined && email === undefined && reason === undefined) {
        const given = await readEntries(request, AccountAddListBody, AccountAddEntry)
        describeAuditAction({ detail: { addresses: given.fitting.length } })
        const entries = given.fitting.map(inAllStreams)
        return given.report(await suppressing.addAll(owner, entries, given.misshapen))
      }
      const problems = [...bodyProblems(request)]
      if (email === undefined || suppressions !== undefined) {
        problems.push({ path: 'email', code: 'required', message: 'Give either email or suppressions.' })
      }
      // A value that is not a text is skipped, because its problem is already reported.
      const one = { email: typeof email === 'string' ? email : '' }
      const because = typeof reason === 'string' ? { reason } : {}
      describeAuditAction({ target: one.email.slice(0, 400), detail: because })
      const added = await suppressing.add(owner, inAllStreams({ ...one, ...because }), problems)
      reply.code(added.isNew ? 201 : 200)
      return viewOf(added.suppression)
    },
  })

const inAllStreams = <Entry extends { readonly email: string }>(entry: Entry) => ({
  ...entry,
  stream: WHOLE_DOMAIN,
})

const removeMany = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'POST',
    url: `${URL}/remove`,
    consequence: 'destruction',
    schema: {
      tags,
      summary: 'Remove many suppressions of the account',
      description:
        'Complaints are removed only with `force`. Suppressions of single domains and streams stay.',
      body: AccountRemoveBody,
      response: { 200: Removed },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed', 'domain_not_permitted'],
    scope: 'account:write',
    body: { maxBytes: MAX_BYTES, problems: 'handler' },
    audit: 'suppression.remove',
    async handler(request) {
      const owner = ownerOf(request)
      const given = await readEntries(request, RemoveListBody, AccountRemoveEntry)
      const { force = false } = request.body
      describeAuditAction({ detail: { addresses: given.fitting.length } })
      return given.report(await suppressing.removeAll(owner, given.fitting.map(inAllStreams), force))
    },
  })

const removeOne = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'DELETE',
    url: `${URL}/:email`,
    // Removing a single suppression has no consequence, because one suppression can be added again.
    consequence: 'none',
    schema: {
      tags,
      summary: 'Remove a suppression of the account',
      params: Type.Object({ email: Type.String({ maxLength: 400 }) }),
      querystring: Type.Object(
        {
          force: Type.Optional(Type.Boolean({ description: 'True to remove a complaint as well' })),
        },
        { additionalProperties: false },
      ),
      response: { 204: Type.Null() },
    },
    refusals: ['not_found', 'conflict', 'validation_failed', 'domain_not_permitted'],
    scope: 'account:write',
    audit: 'suppression.delete',
    async handler(request, reply) {
      const { email } = request.params
      await suppressing.remove(ownerOf(request), inAllStreams({ email }), request.query.force ?? false)
      return reply.code(204).send()
    },
  })
