// Versions of objects: the ETag of a response, and the check of If-Match before a change (RFC 9110 §13.1.1).

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../model/problem.ts'
import type { Route } from './route.ts'

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
    if (versioned !== true) await requireMatch(request, async () => versionOf(await versioned(request)))
    const answer = await handler(request, reply)
    if (typeof answer === 'object' && answer !== null && answer !== reply)
      reply.header('etag', etagOf(versionOf(answer)))
    return answer
  }
}

/**
 * True for a change that applies only to the version that `If-Match` names. The handler then passes the object that it
 * has seen to its write, because another change may be committed after the comparison of the versions.
 */
export const isConditional = ({ headers }: FastifyRequest): boolean =>
  headers['if-match'] !== undefined && headers['if-match'].trim() !== '*'

/** Throws `changed_meanwhile` if `If-Match` names another version than the object that `find` returns. */
async function requireMatch({ headers }: FastifyRequest, find: () => Promise<object>): Promise<void> {
  const wanted = headers['if-match']
  if (wanted === undefined) return
  const present = etagOf(await find())
  if (wanted.trim() === '*' || tagsOf(wanted).includes(present)) return
  throw new Problem('changed_meanwhile', 'The object was changed meanwhile; retrieve it again.', {
    errors: [{ path: 'If-Match', code: 'changed_meanwhile', message: `The present version is ${present}.` }],
  })
}

/** Returns the entity tags of a header field; a weak tag never matches a change. */
const tagsOf = (text: string): readonly string[] => text.match(/(?:W\/)?"[^"]*"/g) ?? []
