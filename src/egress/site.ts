// Site of a destination: destinations that share mail hosts share its limits.

import { hash } from 'node:crypto'
import { getDomain } from 'tldts'
import type { Relay } from '../lib/relay.ts'

/** Characters of a site; only a domain whose MX records are meant to confuse needs more. */
const MAX_CHARACTERS = 255

/**
 * The site of a destination: the registrable domains of all its mail hosts, sorted and joined by `+`. So `gmail.com`
 * and every domain hosted there are `google.com`. A host without a registrable domain stands for itself.
 */
export function siteOf(hostNames: readonly string[]): string {
  const domains = new Set(hostNames.map((name) => getDomain(name, { allowPrivateDomains: false }) ?? name))
  return [...domains].sort().join('+').slice(0, MAX_CHARACTERS)
}

/** The site of what goes by a relay with the same credentials: one that refuses these says nothing of others. */
export function siteOfRelay({ host, port, auth }: Pick<Relay, 'host' | 'port' | 'auth'>): string {
  const by = auth === undefined ? '' : `:${hash('sha256', `${auth.user}\0${auth.password}`).slice(0, 16)}`
  return `relay:${host}:${port}${by}`
}
