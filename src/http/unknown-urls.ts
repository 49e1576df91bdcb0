// Responds to requests for URLs without an endpoint, and suggests the endpoint that was probably meant.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { editDistance, nearest } from '../lib/nearest.ts'
import { Problem } from '../model/problem.ts'

/** Base path of all addresses that are suggested. */
const BASE = '/v1'
/** Maximum length of a path for which an address is searched. */
const MAX_PATH = 200

/** Responds to a request for a URL without an endpoint; returns false if there is no response. */
export type Otherwise = (request: FastifyRequest, reply: FastifyReply) => boolean

/**
 * Responds 404 before any body is read, and 405 with `Allow` for a method that the URL does not allow (RFC 9110
 * §15.5.6). Must be called before the endpoints are added.
 */
export function refuseUnknown(server: FastifyInstance, otherwise: Otherwise = () => false): void {
  const known: { readonly method: string; readonly pattern: RegExp }[] = []
  const urls = new Set<string>()
  server.addHook('onRoute', ({ method, url }) => {
    urls.add(url)
    const pattern = new RegExp(`^${url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)
    for (const one of [method].flat()) known.push({ method: one, pattern })
  })
  const refuse = (request: FastifyRequest, reply: FastifyReply): Problem => {
    const [path = ''] = request.url.split('?', 1)
    const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return nothingAt(path, urls)
    const allowed = methods.join(', ')
    reply.header('allow', allowed)
    return new Problem(
      'method_not_allowed',
      `There is no ${request.method} at this address; it takes ${allowed}.`,
    )
  }
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) done()
    else if (!otherwise(request, reply)) done(refuse(request, reply))
  })
}

/** Returns the problem of a path without an endpoint, with the address that was probably meant. */
function nothingAt(path: string, urls: ReadonlySet<string>): Problem {
  const meant = nearestAddress(path, urls)
  const question = meant === undefined ? '' : `; did you mean ${meant}?`
  return new Problem('not_found', `There is nothing at this address${question || '.'}`)
}

/**
 * Returns the URL of the endpoint that a path most likely means, such as `/v1/messages` for `/v1/message`, `/messages`,
 * `/api/v1/messages` or `/v1/v1/messages`; undefined if there is none. Parameters of the path stay as names in braces.
 *
 * @param urls URLs of the known endpoints, with parameters such as `:message_id`
 */
function nearestAddress(path: string, urls: Iterable<string>): string | undefined {
  if (path.length > MAX_PATH) return undefined
  const steps = path.split('/').filter((step) => step !== '')
  const given = steps.slice(steps.lastIndexOf(BASE.slice(1)) + 1)
  let best: string | undefined
  let bestDistance = Number.POSITIVE_INFINITY
  for (const url of urls) {
    if (!url.startsWith(`${BASE}/`)) continue
    const distance = distanceOf(given, url.slice(BASE.length + 1).split('/'))
    if (distance === undefined || distance >= bestDistance) continue
    best = url
    bestDistance = distance
  }
  return best?.replace(/:(\w+)/g, '{$1}')
}

/** Returns the number of differing letters in the fixed steps; undefined if a step differs too much. */
function distanceOf(given: readonly string[], known: readonly string[]): number | undefined {
  if (given.length !== known.length) return undefined
  let sum = 0
  for (const [index, step] of known.entries()) {
    if (step.startsWith(':')) continue
    const word = given[index] ?? ''
    if (nearest(word, [step]) === undefined) return undefined
    sum += editDistance(word.toLowerCase(), step.toLowerCase())
  }
  return sum
}
