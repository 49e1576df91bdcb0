// Links to the DNS records of a domain, which expire and need no login: for the person who runs its DNS.

import type { Clock } from '../lib/clock.ts'
import { isId } from '../lib/ids.ts'
import type { Domain } from '../store/domains/domains.ts'
import { SignedTokens } from './signed-tokens.ts'

/** Lifetime of a link: long enough for a ticket at another department. */
const LIFETIME_MS = 14 * 86_400_000

/** A token, and when it expires, in milliseconds since the epoch. */
export interface RecordLink {
  readonly token: string
  readonly expiresAt: number
}

/** Domain that a token names. */
export interface SharedDomain {
  readonly accountId: string
  readonly domainId: string
  readonly expiresAt: number
}

/** Makes and reads the tokens of such links. A link shows what everybody may read in the DNS once it is published. */
export class RecordLinks {
  readonly #tokens: SignedTokens
  readonly #clock: Clock

  /** @param secret the installation's */
  constructor(secret: string, clock: Clock) {
    this.#tokens = new SignedTokens(secret, 'records of a domain')
    this.#clock = clock
  }

  make({ account_id: accountId, id }: Pick<Domain, 'account_id' | 'id'>): RecordLink {
    const expiresAt = this.#clock.now() + LIFETIME_MS
    const subject = `${accountId}.${id}`
    return { token: `${subject}.${this.#tokens.make(subject, expiresAt).toString('base64url')}`, expiresAt }
  }

  /** The domain of a token that was made here and has not expired; else undefined. */
  read(token: string): SharedDomain | undefined {
    const [accountId = '', domainId = '', rest = '', ...more] = token.split('.')
    if (more.length > 0 || !isId('acc', accountId) || !isId('dom', domainId)) return undefined
    const octets = Buffer.from(rest, 'base64url')
    // One spelling of each token: another one with the same octets is as wrong as any.
    if (octets.toString('base64url') !== rest) return undefined
    const read = this.#tokens.read(octets, `${accountId}.${domainId}`, this.#clock.now())
    return read && { accountId, domainId, expiresAt: read.expiresAt }
  }
}
