// The dashboard's files at /: hashed assets that never change, and the page at every address that is not the API's.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { preferredLanguage } from '../http/preferred-language.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'

const BUILT = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

/** Addresses at which the page is never shown. */
const NOT_PAGES = /^\/(v1|api|docs|assets|healthz|readyz|metrics|playground\/mailbox|u)(\/|$)/

/** Pages before the login, a program of their own. */
const BEFORE_LOGIN = /^\/(login|first-run|invitation|forgotten-password|reset-password)$/

/** Pages behind a link that grants access by itself. */
const WITHOUT_LOGIN = /^\/(shared\/|dns-records$)/

/** Assets whose names change with their content, and their compressed forms. */
const NAMED_BY_CONTENT = /-[\w-]{8}\.(?:js|css)(?:\.br|\.gz)?$/

const YEAR_SECONDS = 365 * 24 * 3600

/** Page that reloads itself until the dashboard is built. */
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Postrider</title>
<meta http-equiv="refresh" content="1">
<p>The dashboard is being built, and will be here in a moment. If not, run <code>npm run build:dashboard</code>.</p></html>`

/** Returns the policy: style elements need this answer's nonce, and scripts come only from this origin. */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Headers of every answer of the dashboard, in addition to the policy. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  // Same origin only; with `no-referrer`, the form that fills a preview's frame would come from the origin `null`.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

interface OfAsset {
  Params: { readonly name: string }
}

/** Documents of one language: pages behind the login, and pages before it. */
interface Documents {
  readonly inside: string
  readonly outside: string
}

interface Built {
  readonly documents: ReadonlyMap<string, Documents>
  /** Names of all assets, without their compressed forms. */
  readonly assets: ReadonlySet<string>
}

/** Reads the build in this folder; undefined while there is none. A build appears in the folder as a whole. */
function builtIn(folder: string): Built | undefined {
  if (!existsSync(folder)) return undefined
  const read = (language: string, name: string): string =>
    readFileSync(`${folder}/${language}/${name}`, 'utf8')
  const languages = readdirSync(folder).filter((name) => existsSync(`${folder}/${name}/outside.html`))
  return {
    documents: new Map(
      languages.map((language) => [
        language,
        { inside: read(language, 'index.html'), outside: read(language, 'outside.html') },
      ]),
    ),
    assets: new Set(readdirSync(`${folder}/assets`).filter((name) => !/\.(?:br|gz)$/.test(name))),
  }
}

/** Language chosen in the dashboard; dashboard/texts/language.ts stores it in this cookie. */
const CHOSEN = /(?:^|; ?)postrider_language=([a-z]{2})(?:;|$)/

/**
 * The built dashboard, from before the start of the node or since: `npm start` in a clone does not wait for the build.
 */
export class DashboardFiles {
  readonly #folder: string
  #found: Built | undefined

  constructor(log: Log, folder = BUILT) {
    this.#folder = folder
    if (this.#built !== undefined) return
    log.warn(
      {},
      'The dashboard is not built yet; where nothing is building it, run "npm run build:dashboard".',
    )
  }

  get #built(): Built | undefined {
    this.#found ??= builtIn(this.#folder)
    return this.#found
  }

  /** Adds the assets and the page at /. */
  async addTo(server: FastifyInstance): Promise<void> {
    server.get('/', { schema: { hide: true } }, async (request, reply) => this.#show(request, reply))
    // Loaded only if there are files to serve.
    const { default: fastifyStatic } = await import('@fastify/static')
    await server.register(fastifyStatic, {
      root: `${this.#folder}/assets`,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, path) {
        const hashed = NAMED_BY_CONTENT.test(path)
        reply.header('cache-control', hashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache')
        for (const [name, value] of Object.entries(HEADERS)) reply.header(name, value)
      },
    })
    server.get<OfAsset>('/assets/:name', { schema: { hide: true } }, async ({ params: { name } }, reply) => {
      // No other file of the directory can be reached.
      if (!this.#built?.assets.has(name)) throw new Problem('not_found', 'There is nothing at this address.')
      return reply.sendFile(name)
    })
  }

  /** Answers with the page if a browser opens an address that only the dashboard knows; returns whether it did. */
  readonly answers = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const [path = ''] = request.url.split('?', 1)
    const looking = request.method === 'GET' || request.method === 'HEAD'
    // The front page redirects clients without a session to these pages, so every client gets them.
    const wantsPage = BEFORE_LOGIN.test(path) || (request.headers.accept?.includes('text/html') ?? false)
    if (!looking || !wantsPage || NOT_PAGES.test(path)) return false
    this.#show(request, reply)
    return true
  }

  /** Shows a page. A browser without a session gets the login at once, without loading the pages behind it first. */
  #show({ url, headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ''] = url.split('?', 1)
    const beforeLogin = BEFORE_LOGIN.test(path)
    if (!beforeLogin && !WITHOUT_LOGIN.test(path) && !headers.cookie?.includes('postrider_session=')) {
      const login = path === '/' ? '/login' : `/login?to=${encodeURIComponent(url)}`
      return reply.headers(HEADERS).header('cache-control', 'no-store').redirect(login)
    }
    const documents = this.#documentsFor(headers)
    if (documents === undefined) reply.code(503).header('retry-after', '1')
    const document = (beforeLogin ? documents?.outside : documents?.inside) ?? NOT_BUILT
    const nonce = randomBytes(16).toString('base64')
    return reply
      .headers(HEADERS)
      .header('content-security-policy', contentSecurityPolicy(nonce))
      .header('cache-control', 'no-cache')
      .header('vary', 'accept-language, cookie')
      .type('text/html; charset=utf-8')
      .send(document.replaceAll('%csp-nonce%', nonce))
  }

  /** Returns the documents in the language that was chosen in this browser, otherwise in the one that it prefers. */
  #documentsFor({ cookie, 'accept-language': accepted }: FastifyRequest['headers']): Documents | undefined {
    const documents = this.#built?.documents
    const [, chosen = ''] = CHOSEN.exec(cookie ?? '') ?? []
    return documents?.get(chosen) ?? documents?.get(preferredLanguage(accepted, documents, 'en'))
  }
}
