// Checks that a request comes from the dashboard's own pages, by header fields that browsers set and that other sites
// cannot change.

import type { FastifyRequest } from 'fastify'
import type { PublicUrl } from '../../lib/public-url.ts'
import { Problem } from '../../model/problem.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Throws 403 for a change that does not come from the origin of the public URL, or from the requested host if no public
 * URL is configured. A request of any method is refused if the browser says that another site caused the request,
 * because some GET requests consume a credit.
 */
export function requireOwnOrigin({ method, headers }: FastifyRequest, publicUrl: PublicUrl): void {
  const site = headers['sec-fetch-site']
  const foreign = site === 'cross-site' || site === 'same-site'
  const own =
    SAFE.has(method) || isOwn(headers.origin, publicUrl.isConfigured ? undefined : headers.host, publicUrl)
  if (own && !foreign) return
  throw new Problem(
    'origin_not_permitted',
    'The request does not come from the dashboard itself; open it at its own address and try again.',
  )
}

function isOwn(origin: string | undefined, host: string | undefined, publicUrl: PublicUrl): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false
  const given = new URL(origin)
  if (given.origin !== origin) return false
  return (
    origin === new URL(publicUrl.value).origin || (host !== undefined && given.host === host.toLowerCase())
  )
}

/** Returns the origin of the page that makes a change; the origin was checked before. */
export function originOf({ headers }: FastifyRequest): string {
  if (headers.origin === undefined) throw new Error('this request has no origin')
  return headers.origin
}
