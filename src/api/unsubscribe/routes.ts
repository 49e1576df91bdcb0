// GET and POST /u/{token}: where the links in broadcast mail lead. Only a POST changes anything (RFC 8058).

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../lib/clock.ts'
import { readUnsubscribeToken } from '../../model/unsubscribe-link.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { findUnsubscribeLink, resubscribe, unsubscribe } from '../../store/workspace/unsubscribe.ts'
import { MAX_STRANGERS_BODY } from '../body.ts'
import { CONTENT_SECURITY_POLICY, type PageState, unsubscribePage } from './page.ts'
import { preferredLanguage } from './words.ts'

interface OfLink {
  Params: { readonly token: string }
}

export interface UnsubscribeOptions {
  readonly store: Store
  readonly clock: Clock
  /** Makes the tokens. */
  readonly secret: string
}

/** Adds the page. It wants no key, sets no cookie and stores nothing about its visitors. */
export const unsubscribePages =
  ({ store, clock, secret }: UnsubscribeOptions): FastifyPluginAsync =>
  async (server) => {
    // A mail program sends a form, a multipart one or nothing (RFC 8058 §3.1); any other body is no reason to refuse.
    server.removeAllContentTypeParsers()
    server.addHook('onRequest', (request, _reply, done) => {
      // A text that is no media type at all is refused before any parser is asked.
      if (request.headers['content-type'] !== undefined)
        request.headers['content-type'] = 'application/octet-stream'
      done()
    })
    server.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: MAX_STRANGERS_BODY },
      (_request, body, done) => done(null, body),
    )
    const tokenOf = (request: FastifyRequest<OfLink>): string | undefined =>
      readUnsubscribeToken(secret, request.params.token)

    server.get<OfLink>('/u/:token', hidden, async (request, reply) => {
      const token = tokenOf(request)
      const linked = token === undefined ? undefined : await reading(findUnsubscribeLink(store.read, token))
      return show(request, reply, linked && { kind: linked.left ? 'left' : 'ask', linked })
    })

    server.post<OfLink>('/u/:token', hidden, async (request, reply) => {
      const token = tokenOf(request)
      const undo = new URLSearchParams(String(request.body ?? '')).get('action') === 'undo'
      const item = { token: token ?? '', now: clock.now() }
      const linked =
        token === undefined ? undefined : await store.write(undo ? resubscribe : unsubscribe, item)
      return show(request, reply, linked && { kind: linked.suppressed ? 'left' : 'back', linked })
    })
  }

const hidden = { schema: { hide: true } }

function show(
  request: FastifyRequest,
  reply: FastifyReply,
  state: PageState = { kind: 'unknown' },
): FastifyReply {
  const language = preferredLanguage(request.headers['accept-language'])
  return reply
    .code(state.kind === 'unknown' ? 404 : 200)
    .type('text/html; charset=utf-8')
    .header('content-language', language)
    .header('vary', 'accept-language')
    .header('cache-control', 'no-store')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-robots-tag', 'noindex')
    .send(unsubscribePage(language, state))
}
