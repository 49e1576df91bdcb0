// Answers that are asked for again and again: compressed, and left out where the client has them already.

import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const compressed = promisify(gzip)

/** Shorter ones would not get smaller. */
const MIN_COMPRESSED = 1_024
/** Longer ones are downloads, which are made and sent in pieces or seldom asked for. */
const MAX_HASHED = 2_000_000

/**
 * Gives answers to GET an ETag, says 304 to a client that has the same one (RFC 9110 §13.1.2), and compresses JSON.
 * Only for answers that hold no secret beside what others wrote: their length would tell of it.
 */
export function answerConditionally(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' || reply.statusCode !== 200) return payload
    if (typeof payload !== 'string' || payload.length > MAX_HASHED) return payload
    if (!/^application\/json\b/.test(String(reply.getHeader('content-type')))) return payload
    const etag = `W/"${hash('sha256', payload, 'base64url').slice(0, 22)}"`
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

/** True if the client wants its answers compressed with gzip. */
export const takesGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers['accept-encoding'] ?? '')
