// The site of a destination: destinations that share mail hosts share one set of limits.

import { hash } from 'node:crypto'
import { getDomain } from 'tldts'
import type { Relay } from '../lib/route-settings.ts'

/** Maximum characters of a site; only a domain with deliberately confusing MX records needs more. */
const MAX_CHARACTERS = 255

/**
 * Returns the site of a destination: the registrable domains of all its mail hosts, sorted and joined by `+`. The site
 * of `gmail.com` and of every domain hosted there is `google.com`. The name of a host without a registrable domain is
 * used unchanged.
 */
export function siteOf(hostNames: readonly string[]): string {
  const domains = new Set(hostNames.map((name) => getDomain(name, { allowPrivateDomains: false }) ?? name))
  return [...domains].sort().join('+').slice(0, MAX_CHARACTERS)
}

/**
 * Returns the site of mail through a relay. Credentials are part of the site: the refusal of some credentials by a
 * relay says nothing about other credentials.
 */
export function siteOfRelay({ host, port, auth }: Pick<Relay, 'host' | 'port' | 'auth'>): string {
  const by = auth === undefined ? '' : `:${hash('sha256', `${auth.user}\0${auth.password}`).slice(0, 16)}`
  return `relay:${host}:${port}${by}`
}
