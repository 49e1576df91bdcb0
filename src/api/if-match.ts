// Versions of objects: the ETag of a response, and the check of If-Match before a change (RFC 9110 §13.1.1).

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { changedMeanwhile } from '../model/problem.ts'
import type { Present, Route } from './route.ts'

/** Versions that the changes under `If-Match` have seen. */
const seenVersions = new WeakMap<FastifyRequest, unknown>()

/**
 * Returns the stored version of the object that a change under `If-Match` has seen; undefined for a change that applies
 * to any version. The handler passes the version to its write, because another change may be committed after the
 * comparison of the ETag.
 */
export const seenBy = <Version>(request: FastifyRequest): Version | undefined =>
  seenVersions.get(request) as Version | undefined

/** Returns the ETag of an object, which changes with every property of the given part of the object. */
const etagOf = (object: object): string =>
  `"${hash('sha256', JSON.stringify(object), 'base64url').slice(0, 22)}"`

/**
 * Returns the handler of an endpoint with versions: the response has the ETag of its object, and a change under
 * `If-Match` is refused unless the header field names the present version. Returns the handler of any other endpoint
 * unchanged.
 */
export function withVersions({
  handler,
  versioned,
  versionOf = (object) => object,
}: Pick<Route, 'handler' | 'versioned' | 'versionOf'>): Route['handler'] {
  if (versioned === undefined) return handler
  return async (request, reply) => {
    if (versioned !== true) await requireMatch(request, () => versioned(request), versionOf)
    const answer = await handler(request, reply)
    if (typeof answer === 'object' && answer !== null && answer !== reply)
      reply.header('etag', etagOf(versionOf(answer)))
    return answer
  }
}

/** Throws `changed_meanwhile` if `If-Match` names another version than the object that `find` returns. */
async function requireMatch(
  request: FastifyRequest,
  find: () => Promise<Present>,
  versionOf: (object: object) => object,
): Promise<void> {
  const wanted = request.headers['if-match']
  if (wanted === undefined) return
  const { shown, seen } = await find()
  if (wanted.trim() === '*') return
  const present = etagOf(versionOf(shown))
  if (!tagsOf(wanted).includes(present)) throw changedMeanwhile(`The present version is ${present}.`)
  seenVersions.set(request, seen)
}

/** Returns the entity tags of a header field; a weak tag never matches a change. */
const tagsOf = (text: string): readonly string[] => text.match(/(?:W\/)?"[^"]*"/g) ?? []
