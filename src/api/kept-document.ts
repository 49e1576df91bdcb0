// A document that is the same for all clients: made once, kept as octets, compressed once, and told by its hash.

import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { takesGzip } from './light-answers.ts'

/** Made when it is first asked for, since the endpoints that it tells of are known only then. */
export class KeptDocument {
  readonly #type: string
  readonly #make: () => Promise<string>
  #kept: Promise<ReturnType<typeof keep>> | undefined

  /** @param type its media type */
  constructor(type: string, make: () => Promise<string>) {
    this.#type = type
    this.#make = make
  }

  /** Answers with it, or with 304 where the client has it (RFC 9110 §13.1.2). */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#kept ??= this.#make().then(keep)
    const { plain, gzipped, etag } = await this.#kept
    reply.header('etag', etag).header('vary', 'accept-encoding').header('cache-control', 'no-cache')
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    reply.type(this.#type)
    if (!takesGzip(request)) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(gzipped)
  }
}

function keep(text: string) {
  const plain = Buffer.from(text)
  return { plain, gzipped: gzipSync(plain, { level: 9 }), etag: `"${hash('sha256', plain).slice(0, 32)}"` }
}
