// Serves the files of the dashboard: hashed assets that never change, and the HTML page at every URL path that does not
// belong to the API.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { preferredLanguage } from '../http/preferred-language.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../model/problem.ts'

const BUILT = fileURLToPath(new URL('../../dashboard/dist', import.meta.url))

/** URL paths at which the HTML page of the dashboard is never served. */
const NOT_PAGES = /^\/(v1|api|docs|assets|healthz|readyz|metrics|playground\/mailbox|u)(\/|$)/

/** URL paths of the pages before the login, which are built as a separate program. */
const BEFORE_LOGIN = /^\/(login|first-run|invitation|forgotten-password|reset-password)$/

/** URL paths of the pages opened by a link that grants access without a login. */
const WITHOUT_LOGIN = /^\/(shared\/|shared-mails\/|dns-records$)/

/** Names of assets, plain and compressed, that contain a hash of the content. */
const NAMED_BY_CONTENT = /[-/][\w-]{7,8}\.(?:js|css)(?:\.br|\.gz)?$/

const YEAR_SECONDS = 365 * 24 * 3600

/** Page that is shown while the dashboard is being built, and reloads itself. */
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Postrider</title>
<meta http-equiv="refresh" content="1">
<p>The dashboard is being built, and will be here in a moment. If not, run <code>npm run build:dashboard</code>.</p></html>`

/**
 * Returns the Content-Security-Policy. Style elements need the nonce of the response, and scripts may come only from
 * this origin.
 */
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

/** Headers of every response of the dashboard, in addition to the Content-Security-Policy. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  // `no-referrer` is not used, because the form that fills a preview frame would then have the origin `null`.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

interface OfAsset {
  Params: { readonly name: string }
}

/** HTML documents in one language: `inside` for pages after the login, `outside` for pages before the login. */
interface Documents {
  readonly inside: string
  readonly outside: string
}

interface Built {
  readonly documents: ReadonlyMap<string, Documents>
  /** Names of all assets, excluding the compressed files. */
  readonly assets: ReadonlySet<string>
}

/**
 * Reads the build in this folder; returns undefined while the folder does not exist. The folder appears only when the
 * build is complete.
 */
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

/**
 * Follows a symbolic link to a folder that may not exist yet. The compiled program of a clone has such a link to the
 * build of the clone.
 */
function linked(folder: string): string {
  try {
    return resolve(dirname(folder), readlinkSync(folder))
  } catch {
    return folder
  }
}

/** True while `dashboard/build.ts` builds into a folder next to this one; the name of that folder ends in a process ID. */
function isBeingBuilt(folder: string): boolean {
  const target = linked(folder)
  const parent = dirname(target)
  return existsSync(parent) && readdirSync(parent).some((name) => name.startsWith(`${basename(target)}.`))
}

/** Cookie with the language chosen in the dashboard, set by dashboard/texts/language.ts. */
const CHOSEN = /(?:^|; ?)postrider_language=([a-z]{2})(?:;|$)/

/**
 * Serves the built dashboard. The build may finish after the node has started, because `npm start` in a clone does not
 * wait for the build.
 */
export class DashboardFiles {
  readonly #log: Log
  readonly #folder: string
  #found: Built | undefined
  /** True after the warning about a missing dashboard was logged. */
  #isReported = false

  constructor(log: Log, folder = BUILT) {
    this.#log = log
    this.#folder = folder
  }

  get #built(): Built | undefined {
    this.#found ??= builtIn(this.#folder)
    return this.#found
  }

  /** Adds the routes for the assets and for the page at /. */
  async addTo(server: FastifyInstance): Promise<void> {
    server.get('/', { schema: { hide: true } }, async (request, reply) => this.#show(request, reply))
    // The module for static files is loaded here, so that only nodes with a dashboard load it.
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
      // Only known assets are served, so that no other file of the directory can be read.
      if (!this.#built?.assets.has(name)) throw new Problem('not_found', 'There is nothing at this address.')
      return reply.sendFile(name)
    })
  }

  /**
   * Responds with the HTML page if a browser opens a URL path that belongs only to the dashboard. Returns true if a
   * response was sent.
   */
  readonly answers = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const [path = ''] = request.url.split('?', 1)
    const looking = request.method === 'GET' || request.method === 'HEAD'
    // Every client, not only browsers, gets the pages before the login, because the front page redirects clients
    // without a session to the login page.
    const wantsPage = BEFORE_LOGIN.test(path) || (request.headers.accept?.includes('text/html') ?? false)
    if (!looking || !wantsPage || NOT_PAGES.test(path)) return false
    this.#show(request, reply)
    return true
  }

  /**
   * Sends the HTML page. A browser without a session is redirected to the login immediately, and does not load the
   * program of the pages after the login.
   */
  #show({ url, headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ''] = url.split('?', 1)
    const beforeLogin = BEFORE_LOGIN.test(path)
    if (!beforeLogin && !WITHOUT_LOGIN.test(path) && !headers.cookie?.includes('postrider_session=')) {
      const login = path === '/' ? '/login' : `/login?to=${encodeURIComponent(url)}`
      return reply.headers(HEADERS).header('cache-control', 'no-store').redirect(login)
    }
    const documents = this.#documentsFor(headers)
    if (documents === undefined) {
      this.#reportMissing()
      reply.code(503).header('retry-after', '1')
    }
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

  /** Logs one warning when a page is requested while the dashboard is neither built nor being built. */
  #reportMissing(): void {
    if (this.#isReported || isBeingBuilt(this.#folder)) return
    this.#isReported = true
    this.#log.warn({}, 'The dashboard is not built; run "npm run build:dashboard".')
  }

  /**
   * Returns the documents in the language that the user chose in this browser, or otherwise in the preferred language
   * of the browser.
   */
  #documentsFor({ cookie, 'accept-language': accepted }: FastifyRequest['headers']): Documents | undefined {
    const documents = this.#built?.documents
    const [, chosen = ''] = CHOSEN.exec(cookie ?? '') ?? []
    return documents?.get(chosen) ?? documents?.get(preferredLanguage(accepted, documents, 'en'))
  }
}
