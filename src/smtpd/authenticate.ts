// Finds the credential for an SMTP login, and limits how often a client may guess passwords.

import { type CredentialRates, inWords } from '../access/credential-rates.ts'
import type { Credential, Credentials } from '../access/credentials.ts'
import { clientNetwork } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import { isId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { Problem } from '../model/problem.ts'
import { type Sender, senderOf } from '../submission/authorize.ts'
import { Refusal } from './replies.ts'
import type { UserAndPassword } from './sasl.ts'
import { type VendorLogin, vendorOfLogin } from './vendor-logins.ts'

/** The login of a session. The login keeps the password, because a credential can be found only by the password. */
export interface Login {
  /** The account of the credential. */
  readonly accountId: string
  /** The credential and its domain. */
  readonly keyId: string
  readonly domainId: string
  /** The other service in whose form the client has logged in; undefined for a login with an SMTP credential. */
  readonly vendor: VendorLogin | undefined
  /**
   * Returns the current permissions of the credential. Throws `Refusal` if the credential was revoked or expired, or no
   * longer permits the client.
   */
  sender(): Promise<Sender>
  /**
   * Counts the beginning of a message, and returns the same permissions as `sender`; throws `Problem` if the credential
   * exceeds its message rate.
   */
  beginMessage(): Promise<Sender>
}

export interface AuthenticatorOptions {
  readonly credentials: Credentials
  readonly rates: CredentialRates
  readonly clock: Clock
  readonly log: Log
  readonly authFailureRate: Rate
  /** Counts failed logins by client network. */
  readonly failures: RateLimiter
}

interface Found {
  readonly credential: Credential
  readonly sender: Sender
}

/** Checks logins for all sessions; failures are counted for each client network. */
export class Authenticator {
  readonly #options: AuthenticatorOptions

  constructor(options: AuthenticatorOptions) {
    this.#options = options
  }

  /**
   * Logs a client in. Throws `Refusal`: 535 for a wrong user name or password, and for a credential that may not be used
   * from the address of the client, 421 after too many failed logins, 454 if the store is unavailable.
   */
  async login(given: UserAndPassword, client: string): Promise<Login> {
    this.#requireTrust(client)
    const first = await this.#find(given)
    if (first === undefined) throw this.#failure(given.username, client, WRONG)
    const { credentials } = this.#options
    const refusal = this.#refusalOf(first.credential, client)
    if (refusal !== undefined) throw this.#failure(given.username, client, refusal)
    credentials.used(first.credential, client)
    const find = async (): Promise<Found> => {
      const found = await this.#find(given)
      if (found === undefined || this.#refusalOf(found.credential, client) !== undefined) {
        throw new Refusal(
          530,
          '5.7.0',
          'The credential was revoked or has expired; log in with another credential',
        )
      }
      credentials.used(found.credential, client)
      return found
    }
    return {
      accountId: first.sender.accountId,
      keyId: first.credential.id,
      domainId: first.sender.domainId,
      vendor: first.credential.kind === 'sending' ? vendorOfLogin(given) : undefined,
      sender: async () => (await find()).sender,
      beginMessage: async () => {
        const { credential, sender } = await find()
        const { allowed, rate } = this.#options.rates.take(credential)
        if (allowed) return sender
        throw new Problem('rate_limit_exceeded', `This credential may send ${inWords(rate, 'messages')}`)
      },
    }
  }

  #requireTrust(client: string): void {
    const { authFailureRate, clock } = this.#options
    const left = this.#options.failures.take(clientNetwork(client), authFailureRate, clock.now(), 0)
    if (left.remaining >= 1) return
    throw new Refusal(421, '4.7.0', 'Too many failed logins from your address; please try again later')
  }

  async #find(given: UserAndPassword): Promise<Found | undefined> {
    const { username, password, authzid } = given
    // The authorization identity of another user is not supported.
    if (authzid !== undefined && authzid !== username) return undefined
    try {
      const credential = await this.#options.credentials.find(password)
      const isOwn = credential?.kind === 'smtp' && credential.id === username
      // Clients of other services send a key, under the user name of the service.
      const isKey = credential?.kind === 'sending' && vendorOfLogin(given) !== undefined
      if (!isOwn && !isKey) return undefined
      const sender = senderOf(credential, credential.permittedRecipients)
      return sender && { credential, sender }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.#options.log.warn({ err: error }, 'an SMTP login cannot be checked')
      throw new Refusal(454, '4.7.0', 'The login cannot be checked right now; please try again')
    }
  }

  /** Returns the reason why a credential may not send mail from the address of a client; undefined if it may. */
  #refusalOf(credential: Credential, client: string): string | undefined {
    if (!this.#options.credentials.permits(credential, client)) {
      return `This credential may not be used from ${client}`
    }
    return credential.scopes.has('messages:send') ? undefined : 'This credential may not send mail'
  }

  #failure(username: string, client: string, text: string): Refusal {
    const { authFailureRate, clock, log } = this.#options
    this.#options.failures.take(clientNetwork(client), authFailureRate, clock.now())
    // People sometimes paste the password into the user name field, so a user name is logged only if it has the form of
    // a user name.
    const shown = isId('smtp', username) ? username : undefined
    log.info({ client, username: shown }, 'SMTP login failed')
    return new Refusal(535, '5.7.8', text)
  }
}

const WRONG = 'The user name or the password is wrong, or the credential was revoked'
