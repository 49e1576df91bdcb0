// Answers that clients request repeatedly: compressed, and left out for a client that already has them.

import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'

const compressed = promisify(gzip)

/** Shorter answers would not become smaller. */
const MIN_COMPRESSED = 1_024
/** Longer answers are downloads, which are sent as streams or seldom requested. */
const MAX_HASHED = 2_000_000

/**
 * Adds an ETag to answers to GET, answers 304 to a client with the same ETag (RFC 9110 §13.1.2), and compresses JSON.
 * Only for answers that do not combine a secret with text of strangers: the compressed length would reveal the secret.
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

/** Returns whether the client accepts answers compressed with gzip. */
export const takesGzip = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(headers['accept-encoding'] ?? '')
