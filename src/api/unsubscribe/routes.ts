// GET and POST /u/{token}: the target of unsubscribe links in broadcast mail. Only a POST changes anything (RFC 8058).

import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_STRANGERS_BODY } from '../../http/body-rule.ts'
import { preferredLanguage } from '../../http/preferred-language.ts'
import type { Clock } from '../../lib/clock.ts'
import { readUnsubscribeToken, unsubscribeToken } from '../../model/unsubscribe-link.ts'
import { reading, type Store } from '../../store/database/store.ts'
import {
  broadcastStreams,
  findUnsubscribeLink,
  type LinkedStream,
  resubscribe,
  unsubscribe,
} from '../../store/workspace/unsubscribe.ts'
import { type PageState, unsubscribePage } from './page.ts'
import { LANGUAGES } from './words.ts'

interface OfLink {
  Params: { readonly token: string }
}

export interface UnsubscribeOptions {
  readonly store: Store
  readonly clock: Clock
  /** Secret of the unsubscribe tokens. */
  readonly secret: string
}

/** Adds the unsubscribe page, which needs no key, sets no cookie and stores nothing about its visitors. */
export const unsubscribePages =
  ({ store, clock, secret }: UnsubscribeOptions): FastifyPluginAsync =>
  async (server) => {
    // Bodies of any type are accepted, because mail programs send a form, a multipart form or no body (RFC 8058 §3.1).
    server.removeAllContentTypeParsers()
    server.addHook('onRequest', (request, _reply, done) => {
      // The media type is replaced, because Fastify would refuse an invalid media type before it calls a parser.
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

    /** Returns the page state of a link, with all streams of the sender that have sent mail to the recipient. */
    const shown = async (kind: Shown['kind'], linked: LinkedStream | undefined): Promise<PageState> => {
      if (linked === undefined) return { kind: 'unknown' }
      return { kind, linked, streams: await streamsOf(linked) }
    }
    const streamsOf = async ({ domainId, email }: LinkedStream): Promise<LinkedStream[]> => {
      const aliases = await reading(broadcastStreams(store.read, domainId))
      const found = await Promise.all(
        aliases.map((stream) =>
          reading(findUnsubscribeLink(store.read, unsubscribeToken(secret, { domainId, stream, email }))),
        ),
      )
      return found.filter((one) => one !== undefined)
    }

    server.get<OfLink>('/u/:token', hidden, async (request, reply) => {
      const token = tokenOf(request)
      const linked = token === undefined ? undefined : await reading(findUnsubscribeLink(store.read, token))
      return show(request, reply, await shown(linked?.left ? 'left' : 'ask', linked))
    })

    server.post<OfLink>('/u/:token', hidden, async (request, reply) => {
      const token = tokenOf(request)
      if (token === undefined) return show(request, reply)
      const form = new URLSearchParams(String(request.body ?? ''))
      const follow = (write: typeof unsubscribe, token: string) =>
        store.write(write, { token, now: clock.now() })
      if (form.get('action') === 'choose') {
        const linked = await reading(findUnsubscribeLink(store.read, token))
        const keep = new Set(form.getAll('keep'))
        const wasShown = new Set(form.getAll('shown'))
        for (const { stream, domainId, email, suppressed, canReturn } of linked === undefined
          ? []
          : await streamsOf(linked)) {
          // A stream that was added after the page was opened is not part of the recipient's choice.
          if (wasShown.size > 0 && !wasShown.has(stream)) continue
          const its = unsubscribeToken(secret, { domainId, stream, email })
          if (!keep.has(stream) && !suppressed) await follow(unsubscribe, its)
          if (keep.has(stream) && canReturn) await follow(resubscribe, its)
        }
        const after = await reading(findUnsubscribeLink(store.read, token))
        return show(request, reply, await shown('chosen', after))
      }
      const linked = await follow(form.get('action') === 'undo' ? resubscribe : unsubscribe, token)
      return show(request, reply, await shown(linked?.suppressed ? 'left' : 'back', linked))
    })
  }

type Shown = Exclude<PageState, { readonly kind: 'unknown' }>

const hidden = { schema: { hide: true } }

function show(
  request: FastifyRequest,
  reply: FastifyReply,
  state: PageState = { kind: 'unknown' },
): FastifyReply {
  const language = preferredLanguage(request.headers['accept-language'], LANGUAGES, 'en')
  const { html, policy } = unsubscribePage(language, state)
  return reply
    .code(state.kind === 'unknown' ? 404 : 200)
    .type('text/html; charset=utf-8')
    .header('content-language', language)
    .header('vary', 'accept-language')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-robots-tag', 'noindex')
    .send(html)
}
