// Document that is the same for all clients. The document is created and compressed once, kept as bytes, and identified
// by a hash.

import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takesGzip } from './conditional-get.ts'

/** Document in plain and compressed form, which can be sent to another thread. */
export interface Kept {
  readonly plain: Uint8Array
  readonly gzipped: Uint8Array
  readonly etag: string
}

/** Creates a document from a text; the compression takes some milliseconds. */
export function kept(text: string): Kept {
  const plain = Buffer.from(text)
  return { plain, gzipped: gzipSync(plain, { level: 9 }), etag: `"${hash('sha256', plain).slice(0, 32)}"` }
}

/**
 * Responds with a document, or with 304 if the client already has the document (RFC 9110 §13.1.2).
 *
 * @param type media type of the document
 */
export function answerKept(
  { plain, gzipped, etag }: Kept,
  type: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.header('etag', etag).header('vary', 'accept-encoding').header('cache-control', 'no-cache')
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.type(type)
  if (!takesGzip(request)) return reply.send(bufferOf(plain))
  return reply.header('content-encoding', 'gzip').send(bufferOf(gzipped))
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)
