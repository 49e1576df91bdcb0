// Site of a destination: destinations that share mail hosts share its limits.

import { getDomain } from 'tldts'

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

/** The site of everything that goes by a relay. */
export function siteOfRelay({ host, port }: { readonly host: string; readonly port: number }): string {
  return `relay:${host}:${port}`
}
