// Endpoints that add or remove one or many suppressed addresses.

import { Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import { bodyProblems } from '../../http/body-rule.ts'
import { invalidFields } from '../../model/problem.ts'
import { DEFAULT_STREAM } from '../../model/stream.ts'
import { readSuppressions, suppressionView } from '../../streams/suppression-csv.ts'
import type { SuppressionList } from '../../streams/suppression-list.ts'
import { senderOfRequest } from '../caller.ts'
import { tableFiles } from '../contract/body-files.ts'
import {
  AddBody,
  AddEntry,
  Added,
  AddListBody,
  AddTableQuery,
  RemoveBody,
  Removed,
  RemoveEntry,
  RemoveListBody,
  RemoveTableQuery,
  SuppressionView,
} from '../contract/suppression.ts'
import { defineRoute, type Route } from '../route.ts'
import { readEntries } from './entries.ts'

const tags = ['Suppressions']
/** Maximum size of a body in bytes, enough for 100,000 addresses with the other columns that services export. */
const MAX_BYTES = 32 * 1024 * 1024

export const suppressionChanges = (suppressing: SuppressionList): readonly Route[] => [
  addSuppressions(suppressing),
  removeSuppression(suppressing),
  removeSuppressions(suppressing),
]

const addSuppressions = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'POST',
    url: '/v1/suppressions',
    consequence: 'none',
    schema: {
      tags,
      summary: 'Suppress addresses',
      description:
        'Takes one address (`email`), or up to 100,000 addresses: in `suppressions`, or as `text/csv` or an XLSX workbook with a column `email` (or a similar name, or the name in `?column=`) and optional columns `stream` and `reason`. An address that is already suppressed keeps its first reason, except that a complaint replaces any other reason. Invalid entries are reported, and all other entries are added.',
      body: AddBody,
      bodies: {
        'application/json': AddBody,
        ...tableFiles(
          'email,stream,reason\nann@example.net,broadcast,unsubscribe\nbob@example.org,,manual\n',
        ),
      },
      querystring: AddTableQuery,
      response: { 200: Type.Union([Added, SuppressionView]), 201: SuppressionView },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    scope: 'suppressions:write',
    domains: 'one',
    // The handler parses a CSV, and checks the entries of a list one by one.
    body: { kinds: ['csv'], maxBytes: MAX_BYTES, problems: 'handler' },
    audit: 'suppression.create',
    async handler(request, reply) {
      const owner = senderOfRequest(request)
      if (typeof request.body === 'string') {
        const entries = await readSuppressions(request.body, request.query.column)
        describeAuditAction({ detail: { addresses: entries.length } })
        return suppressing.addAll(owner, entries)
      }
      const { suppressions, email, stream, reason } = request.body
      if (suppressions !== undefined && email === undefined) {
        refuseBesideEntries({ stream, reason })
        const given = await readEntries(request, AddListBody, AddEntry)
        describeAuditAction({ detail: { addresses: given.fitting.length } })
        return given.report(await suppressing.addAll(owner, given.fitting, given.misshapen))
      }
      const problems = [...bodyProblems(request)]
      if (email === undefined || suppressions !== undefined) {
        problems.push({ path: 'email', code: 'required', message: 'Give either email or suppressions.' })
      }
      // A value that is not a text is skipped, because its problem is already reported.
      const given = { email: textOf(email) ?? '', stream: textOf(stream), reason: textOf(reason) }
      describeAuditAction({
        target: given.email.slice(0, 400),
        detail: { stream: given.stream ?? DEFAULT_STREAM, reason: given.reason ?? 'manual' },
      })
      const { suppression, isNew } = await suppressing.add(owner, given, problems)
      reply.code(isNew ? 201 : 200)
      return suppressionView(suppression)
    },
  })

/** Refuses `stream` and `reason` next to a list of entries, because these fields would apply to none of the entries. */
function refuseBesideEntries(beside: Readonly<Record<string, unknown>>): void {
  const problems = Object.keys(beside)
    .filter((name) => beside[name] !== undefined)
    .map((path) => ({ path, code: 'not_together', message: `Give ${path} in each entry of suppressions.` }))
  if (problems.length > 0) throw invalidFields(problems)
}

const removeSuppressions = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'POST',
    url: '/v1/suppressions/remove',
    consequence: 'destruction',
    schema: {
      tags,
      summary: 'Remove many suppressions',
      description:
        'Takes JSON or a table, as for adding. Complaints are removed only with `force`. Invalid entries are reported, and all other addresses are removed.',
      body: RemoveBody,
      bodies: {
        'application/json': RemoveBody,
        ...tableFiles('email,stream\nann@example.net,broadcast\nbob@example.org,\n'),
      },
      querystring: RemoveTableQuery,
      response: { 200: Removed },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    scope: 'suppressions:write',
    domains: 'one',
    body: { kinds: ['csv'], maxBytes: MAX_BYTES, problems: 'handler' },
    audit: 'suppression.remove',
    async handler(request) {
      const owner = senderOfRequest(request)
      if (typeof request.body === 'string') {
        const { column, force = false } = request.query
        const entries = await readSuppressions(request.body, column)
        describeAuditAction({ detail: { addresses: entries.length } })
        return suppressing.removeAll(owner, entries, force)
      }
      const given = await readEntries(request, RemoveListBody, RemoveEntry)
      const { force = request.query.force ?? false } = request.body
      describeAuditAction({ detail: { addresses: given.fitting.length } })
      return given.report(await suppressing.removeAll(owner, given.fitting, force))
    },
  })

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const RemoveQuery = Type.Object(
  {
    stream: Type.Optional(
      Type.String({ maxLength: 100, description: 'Alias of the stream; default: transactional' }),
    ),
    force: Type.Optional(Type.Boolean({ description: 'True to remove a complaint as well' })),
  },
  { additionalProperties: false },
)

const removeSuppression = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'DELETE',
    url: '/v1/suppressions/:email',
    // Removing a single suppression has no consequence, because one suppression can be added again.
    consequence: 'none',
    schema: {
      tags,
      summary: 'Remove a suppression',
      params: Type.Object({ email: Type.String({ maxLength: 400 }) }),
      querystring: RemoveQuery,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found', 'conflict', 'validation_failed'],
    scope: 'suppressions:write',
    domains: 'one',
    audit: 'suppression.delete',
    async handler(request, reply) {
      const { email } = request.params
      const { stream, force = false } = request.query
      await suppressing.remove(senderOfRequest(request), { email, stream }, force)
      return reply.code(204).send()
    },
  })
