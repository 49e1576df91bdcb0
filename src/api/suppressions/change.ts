// The endpoints that put addresses on the suppression lists and take them off, one or many at once.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { WORKBOOK_TYPE } from '../../lib/workbook-writer.ts'
import { invalidFields } from '../../model/problem.ts'
import { readSuppressions, suppressionView } from '../../streams/suppression-csv.ts'
import type { SuppressionList } from '../../streams/suppression-list.ts'
import { bodyProblems } from '../body.ts'
import { senderOfRequest } from '../caller.ts'
import { AddBody, Added, RemoveBody, Removed, SuppressionView } from '../contract/suppression.ts'
import { defineRoute, type Route } from '../route.ts'

const tags = ['Suppressions']
const key = 'sending'
/** A hundred thousand addresses with what other services export beside them. */
const MAX_BYTES = 32 * 1024 * 1024

export const suppressionChanges = (suppressing: SuppressionList): readonly Route[] => [
  addSuppressions(suppressing),
  removeSuppression(suppressing),
  removeSuppressions(suppressing),
]

const TableQuery = Type.Object(
  {
    column: Type.Optional(
      Type.String({
        ...{ minLength: 1, maxLength: 200 },
        description: 'Of a table: the column with the addresses, where it has no usual name such as `email`',
      }),
    ),
  },
  { additionalProperties: false },
)

const addSuppressions = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'POST',
    url: '/v1/suppressions',
    schema: {
      tags,
      summary: 'Suppress addresses',
      description:
        'One address (`email`), or up to 100,000: in `suppressions`, or as `text/csv` or an XLSX workbook with a column `email` (or alike, or the one that `?column=` names) and, where they are wanted, `stream` and `reason`. An address that is suppressed already keeps its first reason, but that a complaint replaces any other. Invalid entries are reported, and the others are added.',
      consumes: ['application/json', 'text/csv', WORKBOOK_TYPE],
      body: AddBody,
      querystring: TableQuery,
      response: { 200: Type.Union([Added, SuppressionView]), 201: SuppressionView },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    key,
    // A CSV is looked at here.
    body: { kinds: ['csv'], maxBytes: MAX_BYTES, problems: 'handler' },
    audit: 'suppression.create',
    async handler(request, reply) {
      const owner = senderOfRequest(request)
      if (typeof request.body === 'string') {
        return suppressing.addAll(owner, await readSuppressions(request.body, request.query.column))
      }
      const { suppressions, email, stream, reason } = request.body
      if (suppressions !== undefined && email === undefined) {
        requireShape(request)
        return suppressing.addAll(owner, suppressions)
      }
      const told = [...bodyProblems(request)]
      if (email === undefined || suppressions !== undefined) {
        told.push({ path: 'email', code: 'required', message: 'Give either email or suppressions.' })
      }
      // A value that is no text has been reported already, and is skipped.
      const given = { email: textOf(email) ?? '', stream: textOf(stream), reason: textOf(reason) }
      const { suppression, isNew } = await suppressing.add(owner, given, told)
      reply.code(isNew ? 201 : 200)
      return suppressionView(suppression)
    },
  })

const removeSuppressions = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'POST',
    url: '/v1/suppressions/remove',
    schema: {
      tags,
      summary: 'Remove many suppressions',
      description: 'JSON, or a table as for adding. Those of a complaint stay without `force`.',
      consumes: ['application/json', 'text/csv', WORKBOOK_TYPE],
      body: RemoveBody,
      querystring: TableQuery,
      response: { 200: Removed },
    },
    refusals: ['malformed_request', 'body_too_large', 'validation_failed'],
    key,
    body: { kinds: ['csv'], maxBytes: MAX_BYTES, problems: 'handler' },
    audit: 'suppression.remove',
    async handler(request) {
      const owner = senderOfRequest(request)
      if (typeof request.body === 'string') {
        return suppressing.removeAll(owner, await readSuppressions(request.body, request.query.column), false)
      }
      requireShape(request)
      const { suppressions, force = false } = request.body
      return suppressing.removeAll(owner, suppressions, force)
    },
  })

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function requireShape(request: FastifyRequest): void {
  const problems = bodyProblems(request)
  if (problems.length > 0) throw invalidFields(problems)
}

const RemoveQuery = Type.Object(
  {
    stream: Type.Optional(Type.String({ maxLength: 100, description: 'Default: transactional' })),
    force: Type.Optional(Type.Boolean({ description: 'A complaint too' })),
  },
  { additionalProperties: false },
)

const removeSuppression = (suppressing: SuppressionList) =>
  defineRoute({
    method: 'DELETE',
    url: '/v1/suppressions/:email',
    schema: {
      tags,
      summary: 'Remove a suppression',
      params: Type.Object({ email: Type.String({ maxLength: 400 }) }),
      querystring: RemoveQuery,
      response: { 204: Type.Null() },
    },
    refusals: ['not_found', 'conflict', 'validation_failed'],
    key,
    audit: 'suppression.delete',
    async handler(request, reply) {
      const { email } = request.params
      const { stream, force = false } = request.query
      await suppressing.remove(senderOfRequest(request), { email, stream }, force)
      return reply.code(204).send()
    },
  })
