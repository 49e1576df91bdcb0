// Compresses responses that clients request repeatedly, and omits the body for a client that already has the response.

import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const compressed = promisify(gzip)

/** Minimum length of a compressed response; compression does not make shorter responses smaller. */
const MIN_COMPRESSED = 1_024
/**
 * Maximum length of a response with an ETag. Longer responses are downloads, which are sent as streams or seldom
 * requested again.
 */
const MAX_HASHED = 2_000_000

/**
 * Adds an ETag to responses to GET, responds 304 to a client with the same ETag (RFC 9110 §13.1.2), and compresses
 * JSON. Must not be used for responses that combine a secret with text that strangers can choose, because the
 * compressed length would reveal the secret.
 */
export function answerConditionally(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' || reply.statusCode !== 200) return payload
    if (typeof payload !== 'string' || payload.length > MAX_HASHED) return payload
    if (!/^application\/json\b/.test(String(reply.getHeader('content-type')))) return payload
    // An object with versions has an ETag of its own.
    const etag = reply.getHeader('etag') ?? `W/"${hash('sha256', payload, 'base64url').slice(0, 22)}"`
    reply.header('etag', etag).header('vary', 'accept-encoding')
    if (request.headers['if-none-match'] === etag) {
      reply.code(304).removeHeader('content-type')
      return ''
    }
    if (payload.length < MIN_COMPRESSED || !takesGzip(request)) return payload
    reply.header('content-encoding', 'gzip').removeHeader('content-length')
    return compressed(payload)
  })
}

/** True if the client accepts responses compressed with gzip. */
export const takesGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers['accept-encoding'] ?? '')
