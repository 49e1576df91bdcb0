// /inboxes/{inbox_id}/…: the paths of Mailpit and MailHog on a test inbox, for test suites that know these programs.

import { isIP } from 'node:net'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { hashSecret } from '../../access/secrets.ts'
import { InboxChanges } from '../../inboxes/inbox-changes.ts'
import { InboxFeed } from '../../inboxes/inbox-feed.ts'
import { InboxMails } from '../../inboxes/inbox-mails.ts'
import type { Clock } from '../../lib/clock.ts'
import { isId } from '../../lib/ids.ts'
import type { PublicUrl } from '../../lib/public-url.ts'
import type { Rate, RateLimiter } from '../../lib/rate-limiter.ts'
import { PROBLEMS, Problem } from '../../model/problem.ts'
import { PLAYGROUND_INBOX } from '../../model/test-inbox.ts'
import { reading, type Store } from '../../store/database/store.ts'
import { findInboxById, type TestInbox } from '../../store/inboxes/inboxes.ts'
import { type Authentication, basicLogin } from '../authenticate.ts'
import { type Compatible, pageNotFound } from './compatible.ts'
import { addMailHog } from './mailhog-pages.ts'
import { InboxSockets } from './mailpit-events.ts'
import { addMailpit } from './mailpit-pages.ts'

export interface CompatiblePagesOptions
  extends Pick<Compatible, 'openChecking' | 'hasSpamFilter' | 'threads'> {
  readonly store: Store
  readonly clock: Clock
  readonly authentication: Pick<Authentication, 'failure'>
  /** Limit of stored bytes of accounts without a separate limit; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
  /** Counts requests by inbox. */
  readonly limiter: RateLimiter
  /** Public URL of the playground, whose mailbox needs no login; undefined in production. */
  readonly playground: PublicUrl | undefined
}

/** Maximum rate of requests to one inbox. */
const RATE: Rate = { count: 50, perMs: 1_000 }

/** Adds the pages. Errors are plain text, as the clients expect. */
export const compatiblePages =
  (options: CompatiblePagesOptions): FastifyPluginAsync =>
  async (server) => {
    const { store } = options
    const stopping = new AbortController()
    const changes = new InboxChanges(store.read)
    const feed = new InboxFeed(store.read, changes)
    const sockets = new InboxSockets(feed)
    server.addHook('preClose', async () => {
      stopping.abort()
      await sockets.stop()
    })
    server.decorateRequest('inbox', null)
    const compatible: Compatible = {
      ...options,
      mails: new InboxMails(store.read, changes),
      stopping: stopping.signal,
    }
    await server.register(
      async (pages: FastifyInstance) => {
        pages.addHook('onRequest', async (request, reply) => logIn(options, request, reply))
        pages.addHook('onSend', async ({ inbox }) => {
          if (inbox !== null) await feed.catchUp(inbox)
        })
        pages.setErrorHandler(answerInText)
        sockets.addTo(pages)
        addMailpit(pages, compatible)
        addMailHog(pages, compatible)
      },
      { prefix: '/inboxes/:inbox_id' },
    )
  }

async function logIn(
  { store, clock, authentication, limiter, playground }: CompatiblePagesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { inbox_id: id = '' } = request.params as { readonly inbox_id?: string }
  const inbox = isId('inb', id) ? await reading(findInboxById(store.read, id)) : undefined
  if (inbox !== undefined && id === PLAYGROUND_INBOX && playground !== undefined) {
    await refusePublicNames(request, playground)
  } else if (inbox === undefined || !isLogin(request, inbox)) {
    reply.header('www-authenticate', 'Basic realm="Login"')
    throw authentication.failure(request, loginWanted())
  }
  const { allowed, resetSeconds } = limiter.take(`inbox ${id}`, RATE, clock.now())
  if (!allowed) {
    const retryAfter = Math.max(1, resetSeconds)
    throw new Problem('rate_limit_exceeded', 'An inbox takes 50 requests a second.', { retryAfter })
  }
  request.inbox = { accountId: inbox.account_id, inboxId: id }
}

const loginWanted = (): Problem =>
  new Problem('authentication_failed', 'Log in with the user name and the password of the inbox.')

/** True if the request has the user name and the password of the inbox. */
function isLogin(request: FastifyRequest, { id, password_hash }: TestInbox): boolean {
  const login = basicLogin(request)
  return login?.username === id && hashSecret(login.password) === password_hash
}

/**
 * Refuses requests to public host names, to prevent DNS rebinding: a malicious page with a host name that resolves to
 * this machine would have the same origin as the mailbox, which needs no login. IP addresses, names without a dot,
 * private names and the host of the public URL are allowed.
 */
async function refusePublicNames(request: FastifyRequest, publicUrl: PublicUrl): Promise<void> {
  const host = request.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (isIP(host) !== 0 || !host.includes('.') || PRIVATE_NAMES.test(host)) return
  if (new URL(await publicUrl.known()).hostname !== host) throw pageNotFound()
}

/** Reserved names that cannot be registered (RFC 6761, RFC 6762, RFC 9476 and `internal` of ICANN). */
const PRIVATE_NAMES = /\.(?:localhost|test|local|internal|lan|home\.arpa|alt)$/

/** Answers a refusal in plain text, with the status of its problem. */
function answerInText(error: Error, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof Problem)) throw error
  const { code, retryAfter } = error
  const { status } = PROBLEMS[code]
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  const text = status === 404 ? '404 page not found' : error.message
  return reply.code(status).type('text/plain; charset=utf-8').send(text)
}
