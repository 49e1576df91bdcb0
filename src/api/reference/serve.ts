// Serves the reference at /docs: the page, its style, its script and its mark.

import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { answerKept, type Kept } from '../kept-document.ts'

const FILES = [
  ['reference.css', 'text/css; charset=utf-8'],
  ['reference.js', 'text/javascript; charset=utf-8'],
  ['mark.svg', 'image/svg+xml'],
] as const

/** Nothing but what the node itself serves, and no script but its own. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const hidden = { schema: { hide: true } }

/** Adds the routes. @param page the reference */
export function serveReference(server: FastifyInstance, page: () => Promise<Kept>): void {
  server.get('/docs', hidden, async (request, reply) => {
    const made = await page()
    reply
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
    return answerKept(made, 'text/html; charset=utf-8', request, reply)
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
