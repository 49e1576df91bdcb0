// Local parts that select a domain in the DNS of the playground, for verification results that depend on a domain.

import type { Address } from '../model/address.ts'
import { steeringWord, steersServer } from '../model/test-inbox.ts'
import { STEERED_DOMAINS } from './resolver.ts'

/** IP address of the playground's mail host, and an IP address without a listener. */
export const PLAYGROUND_ADDRESSES = '127.0.0.1/32,127.0.0.2/32'

/**
 * Returns the domain to look up in the DNS for an address: the domain that the local part selects, such as `null_mx`,
 * or otherwise the domain of the address.
 */
export function steeredDestination({ email, domain }: Address): string {
  const word = steeringWord(email)
  return Object.hasOwn(STEERED_DOMAINS, word) ? (STEERED_DOMAINS[word] as string) : domain
}

/**
 * Returns the simulated delivery history of a steering address; `suppressed@…` counts as suppressed by a complaint. The
 * result for a steering address does not depend on earlier mail. Returns undefined for all other addresses, for which
 * the real delivery history is used.
 */
export function steered({
  email,
}: Address): { readonly own: { readonly finding: 'suppressed' } | undefined } | undefined {
  const word = steeringWord(email)
  if (word === 'suppressed') return { own: { finding: 'suppressed' } }
  return Object.hasOwn(STEERED_DOMAINS, word) || steersServer(word) ? { own: undefined } : undefined
}
