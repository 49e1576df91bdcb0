// Local parts that give a verification what only a domain can: they stand for domains that the playground's DNS knows.

import type { Address } from '../model/address.ts'
import { STEERED_DOMAINS } from './resolver.ts'
import { steeringWord, steersServer } from './steering.ts'

/** Addresses of the built-in mail host, and one without a listener. */
export const PLAYGROUND_ADDRESSES = '127.0.0.1/32,127.0.0.2/32'

/** The domain that stands for an address in the DNS: its own, unless its local part says `null_mx` or the like. */
export function steeredDestination({ email, domain }: Address): string {
  const word = steeringWord(email)
  return Object.hasOwn(STEERED_DOMAINS, word) ? (STEERED_DOMAINS[word] as string) : domain
}

/**
 * Simulated delivery history of a steering address: `suppressed@…` has complained about this account's mail. Undefined
 * for all others, whose real history counts; a steering word gives the same result after any mail to it.
 */
export function steered({
  email,
}: Address): { readonly own: { readonly finding: 'suppressed' } | undefined } | undefined {
  const word = steeringWord(email)
  if (word === 'suppressed') return { own: { finding: 'suppressed' } }
  return Object.hasOwn(STEERED_DOMAINS, word) || steersServer(word) ? { own: undefined } : undefined
}
