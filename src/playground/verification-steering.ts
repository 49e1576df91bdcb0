// Local parts that give a verification what only a domain can: they stand for domains that the playground's DNS knows.

import type { Address } from '../model/address.ts'
import { STEERED_DOMAINS } from './resolver.ts'
import { steeringWord } from './steering.ts'

/** Where the built-in mail server listens, and an address where nobody does. */
export const PLAYGROUND_ADDRESSES = '127.0.0.1/32,127.0.0.2/32'

/** The domain that stands for an address in the DNS: its own, unless its local part says `null_mx` or the like. */
export function steeredDestination({ email, domain }: Address): string {
  const word = steeringWord(email)
  return Object.hasOwn(STEERED_DOMAINS, word) ? (STEERED_DOMAINS[word] as string) : domain
}

/** What `suppressed@…` stands for: an address that this account's own mail was complained about at. */
export const steeredOwnMail = ({ email }: Address): 'suppressed' | undefined =>
  steeringWord(email) === 'suppressed' ? 'suppressed' : undefined
