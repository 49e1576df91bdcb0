// Endpoints that templates and layouts share: list, show, create, replace, delete and versions.

import type { FastifyRequest } from 'fastify'
import { type TObject, type TSchema, Type } from 'typebox'
import { describeAuditAction } from '../../access/audit.ts'
import { page } from '../../http/page.ts'
import type { IdPrefix } from '../../lib/ids.ts'
import type { FieldProblem } from '../../model/problem.ts'
import { type Read, reading } from '../../store/database/store.ts'
import type { Owner } from '../../store/messages/owner.ts'
import {
  listVersions,
  type NamedPage,
  type TemplateVersion,
} from '../../store/workspace/template-versions.ts'
import type { Aliased, Editing, Editor } from '../../templates/editing.ts'
import { senderOfRequest } from '../caller.ts'
import { NamedPageQuery, PageQuery } from '../contract/common.ts'
import { ReferenceParams, replacing, VersionList, VersionParams } from '../contract/template.ts'
import { listById, pageOfDomains } from '../domain-pages.ts'
import { seenBy } from '../if-match.ts'
import { defineRoute, type Present, paramsOf, type Route } from '../route.ts'
import { versionSummary } from './view.ts'

/** A stored template or layout. */
interface EditedRow {
  readonly id: string
  readonly name: string
  readonly version: number
}

/** Properties in which the endpoints of templates and layouts differ. */
export interface EditedNoun<Stored extends EditedRow, Input extends Aliased> {
  readonly word: 'template' | 'layout'
  readonly prefix: IdPrefix
  readonly editing: Editing<Stored, Input>
  readonly body: TObject
  readonly shape: TSchema
  readonly listShape: TSchema
  readonly versionShape: TSchema
  list(owner: Owner, page: NamedPage): Promise<Stored[]>
  view(stored: Stored): object
  summary(stored: Stored): object
  versionView(version: TemplateVersion): object
}

const refusals = [
  'malformed_request',
  'not_found',
  'conflict',
  'body_too_large',
  'validation_failed',
] as const

const querystring = Type.Object(PageQuery, { additionalProperties: false })

/** Returns all endpoints of templates, or all endpoints of layouts. */
export function editRoutes<Stored extends EditedRow, Input extends Aliased>(
  read: Read,
  noun: EditedNoun<Stored, Input>,
): Route[] {
  return [...documentRoutes(noun), ...versionRoutes(read, noun)]
}

function documentRoutes<Stored extends EditedRow, Input extends Aliased>(
  noun: EditedNoun<Stored, Input>,
): Route[] {
  const { word, editing, body, shape, view } = noun
  const url = `/v1/${word}s`
  const one = `${url}/:id_or_alias`
  const tags = [`${word === 'template' ? 'Templates' : 'Layouts'}`]
  const params = ReferenceParams
  /** Returns the object in the path with its version for `If-Match`. */
  const present = async (request: FastifyRequest) => {
    const stored = await editing.find(senderOfRequest(request), paramsOf(request).id_or_alias ?? '')
    return { shown: view(stored), seen: stored }
  }
  return [
    defineRoute({
      method: 'GET',
      url,
      schema: {
        tags,
        summary: `List ${word}s`,
        querystring: NamedPageQuery,
        response: { 200: noun.listShape },
      },
      refusals: ['malformed_request', 'validation_failed'],
      scope: 'templates:read',
      domains: 'all',
      handler: (request) =>
        pageOfDomains(request, request.query, {
          ...listById(noun.prefix, (owner, limit, cursor) =>
            reading(noun.list(owner, { limit, cursor, name: request.query.name })),
          ),
          view: noun.summary,
        }),
    }),
    defineRoute({
      method: 'POST',
      url,
      consequence: 'none',
      schema: { tags, summary: `Create a ${word}`, body, response: { 201: shape } },
      refusals,
      scope: 'templates:write',
      domains: 'one',
      body: { maxBytes: 'content' },
      audit: `${word}.create`,
      check: (request, fields) => problemsOf(noun, request, fields as Partial<Input>),
      async handler(request, reply) {
        const stored = await editing.create(editorOf(request), request.body)
        reply.code(201).header('location', `${url}/${stored.id}`)
        return view(stored)
      },
    }),
    defineRoute({
      method: 'GET',
      url: one,
      schema: { tags, summary: `Retrieve a ${word}`, params, response: { 200: shape } },
      refusals: ['not_found'],
      scope: 'templates:read',
      domains: 'one',
      versioned: true,
      async handler(request) {
        return view(await editing.find(senderOfRequest(request), request.params.id_or_alias))
      },
    }),
    defineRoute({
      method: 'PUT',
      url: one,
      consequence: 'none',
      schema: {
        tags,
        summary: `Replace a ${word}`,
        description:
          'Replaces all fields. Omitted fields become empty, except for `sample_model`. Messages that were accepted earlier are not affected.',
        params,
        body: replacing(body),
        response: { 200: shape },
      },
      refusals,
      scope: 'templates:write',
      domains: 'one',
      body: { maxBytes: 'content' },
      versioned: present,
      audit: `${word}.save`,
      check: (request, { replaces_version: _, ...fields }: { replaces_version?: number }) =>
        problemsOf(noun, request, fields as Partial<Input>),
      async handler(request) {
        const { replaces_version: replaces, ...input } = request.body as { replaces_version?: number }
        const seen = seenBy<Stored>(request)
        const reference = seen?.id ?? request.params.id_or_alias
        return view(await editing.replace(editorOf(request), reference, input as Input, replaces, seen))
      },
    }),
    removeRoute(noun, one, tags, present),
  ]
}

function removeRoute<Stored extends EditedRow, Input extends Aliased>(
  { word, editing }: EditedNoun<Stored, Input>,
  url: string,
  tags: readonly string[],
  present: (request: FastifyRequest) => Promise<Present>,
): Route {
  return defineRoute({
    method: 'DELETE',
    url,
    consequence: 'destruction',
    schema: { tags, summary: `Delete a ${word}`, params: ReferenceParams, response: { 204: Type.Null() } },
    refusals: ['not_found', 'conflict'],
    scope: 'templates:write',
    domains: 'one',
    versioned: present,
    audit: `${word}.delete`,
    async handler(request, reply) {
      const owner = senderOfRequest(request)
      const seen = seenBy<Stored>(request)
      const { id, name } = seen ?? (await editing.find(owner, paramsOf(request).id_or_alias ?? ''))
      describeAuditAction({ detail: { name } })
      await editing.remove(owner, id, seen)
      return reply.code(204).send()
    },
  })
}

async function problemsOf<Stored extends EditedRow, Input extends Aliased>(
  { editing }: EditedNoun<Stored, Input>,
  request: FastifyRequest,
  fields: Partial<Input>,
): Promise<readonly FieldProblem[]> {
  return besidesText(request, await editing.problemsOf(editorOf(request), fields))
}

/**
 * Returns the problems of a body. A missing part is not reported if the body has a `text` field: this field is then
 * invalid, and its problem is reported instead.
 */
export const besidesText = (
  { body }: FastifyRequest,
  problems: readonly FieldProblem[],
): readonly FieldProblem[] =>
  Object.hasOwn(body as object, 'text') ? problems.filter(({ code }) => code !== 'required') : problems

const isVersion = (cursor: string): boolean => /^[1-9]\d{0,8}$/.test(cursor)

function versionRoutes<Stored extends EditedRow, Input extends Aliased>(
  read: Read,
  { word, editing, shape, view, versionShape, versionView }: EditedNoun<Stored, Input>,
): Route[] {
  const url = `/v1/${word}s/:id_or_alias/versions`
  const tags = [`${word === 'template' ? 'Templates' : 'Layouts'}`]
  return [
    defineRoute({
      method: 'GET',
      url,
      schema: {
        tags,
        summary: `List the versions of a ${word}`,
        params: ReferenceParams,
        querystring,
        response: { 200: VersionList },
      },
      refusals: ['malformed_request', 'not_found', 'validation_failed'],
      scope: 'templates:read',
      domains: 'one',
      async handler(request) {
        const owner = senderOfRequest(request)
        const { id } = await editing.find(owner, request.params.id_or_alias)
        return page(
          request.query,
          isVersion,
          (limit, cursor) => {
            const before = cursor === undefined ? undefined : Number(cursor)
            return reading(listVersions(read, owner, id, limit, before))
          },
          (row) => String(row.version),
          versionSummary,
        )
      },
    }),
    defineRoute({
      method: 'GET',
      url: `${url}/:version`,
      schema: {
        tags,
        summary: `Retrieve a version of a ${word}`,
        params: VersionParams,
        response: { 200: versionShape },
      },
      refusals: ['not_found', 'validation_failed'],
      scope: 'templates:read',
      domains: 'one',
      async handler(request) {
        const owner = senderOfRequest(request)
        const { id } = await editing.find(owner, request.params.id_or_alias)
        return versionView(await editing.version(owner, id, Number(request.params.version)))
      },
    }),
    defineRoute({
      method: 'POST',
      url: `${url}/:version/restore`,
      consequence: 'none',
      schema: {
        tags,
        summary: `Restore a version of a ${word}`,
        description: 'Saves the content of the version as the newest version.',
        params: VersionParams,
        response: { 200: shape },
      },
      refusals: ['not_found', 'conflict', 'validation_failed'],
      scope: 'templates:write',
      domains: 'one',
      audit: `${word}.versions.restore`,
      async handler(request) {
        return view(
          await editing.restore(
            editorOf(request),
            request.params.id_or_alias,
            Number(request.params.version),
          ),
        )
      },
    }),
  ]
}

/** Returns the caller as the editor of a template or layout. */
function editorOf(request: FastifyRequest): Editor {
  const { accountId, domainId, keyId } = senderOfRequest(request)
  return { accountId, domainId, savedBy: keyId }
}
