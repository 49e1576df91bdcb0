// Local parts for verification results that depend on a domain: they stand for domains in the DNS of the playground.

import type { Address } from '../model/address.ts'
import { STEERED_DOMAINS } from './resolver.ts'
import { steeringWord, steersServer } from './steering.ts'

/** Addresses of the built-in mail host, and one without a listener. */
export const PLAYGROUND_ADDRESSES = '127.0.0.1/32,127.0.0.2/32'

/**
 * Returns the domain that stands for an address in the DNS: its own, unless its local part says `null_mx` or the
 * like.
 */
export function steeredDestination({ email, domain }: Address): string {
  const word = steeringWord(email)
  return Object.hasOwn(STEERED_DOMAINS, word) ? (STEERED_DOMAINS[word] as string) : domain
}

/**
 * Returns the simulated delivery history of a steering address: `suppressed@…` has complained about mail of this
 * account. Undefined for other addresses, whose real history counts; the result for a steering word does not depend
 * on earlier mail.
 */
export function steered({
  email,
}: Address): { readonly own: { readonly finding: 'suppressed' } | undefined } | undefined {
  const word = steeringWord(email)
  if (word === 'suppressed') return { own: { finding: 'suppressed' } }
  return Object.hasOwn(STEERED_DOMAINS, word) || steersServer(word) ? { own: undefined } : undefined
}
