// Serves the reference at /docs: the page, its style, its script and its mark.

import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { KeptDocument } from '../kept-document.ts'
import type { OpenApiDocument } from './document.ts'
import { CONTENT_SECURITY_POLICY, referencePage } from './page.ts'

const FILES = [
  ['reference.css', 'text/css; charset=utf-8'],
  ['reference.js', 'text/javascript; charset=utf-8'],
  ['mark.svg', 'image/svg+xml'],
] as const

const hidden = { schema: { hide: true } }

/** Adds the routes. */
export function serveReference(
  server: FastifyInstance,
  url: () => string,
  document: () => Promise<OpenApiDocument>,
): void {
  const page = new KeptDocument('text/html; charset=utf-8', async () =>
    referencePage(await document(), url()),
  )
  server.get('/docs', hidden, (request, reply) => {
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
    return page.answer(request, reply)
  })
  server.get('/docs/', hidden, async (_request, reply) => reply.redirect('../docs', 308))
  for (const [name, type] of FILES) {
    const content = readFileSync(new URL(name, import.meta.url))
    server.get(`/docs/${name}`, hidden, async (_request, reply) => {
      reply.type(type).header('x-content-type-options', 'nosniff').header('cache-control', 'max-age=3600')
      return content
    })
  }
}
