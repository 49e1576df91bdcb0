// Registers passkeys (WebAuthn) of logged-in users, and logs users in with a passkey. A login with a passkey needs no
// address, because the authenticator knows the user.

import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { recalled } from '../lib/repeatable-run.ts'
import { Problem } from '../model/problem.ts'
import { findUser, type User } from '../store/access/accounts.ts'
import { keepToken, spendToken, takeToken } from '../store/access/one-time-tokens.ts'
import {
  addPasskey,
  findPasskey,
  listPasskeys,
  type Passkey,
  removePasskey,
  usePasskey,
} from '../store/access/passkeys.ts'
import { reading, type Store } from '../store/database/store.ts'
import { requireName } from './accounts.ts'
import { hashSecret } from './secrets.ts'
import { SignedTokens } from './signed-tokens.ts'

/** Loads the WebAuthn library on first use, because loading the library takes 30 MB and a tenth of a second. */
const webAuthn = () => import('@simplewebauthn/server')

/**
 * COSE identifiers of EdDSA, ES256 and RS256; every current authenticator supports at least one of these algorithms.
 */
const ALGORITHMS = [-8, -7, -257]
const CHALLENGE_MS = 5 * 60_000
const MAX_PASSKEYS = 20
const MAKING = 'passkey_making' as const

/** Placeholder for the user of a login by passkey, because the user is not known yet. */
const ANYBODY = ''

type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>

/**
 * Registers and verifies the passkeys of users. The parameter `origin` is always the origin of the requesting page,
 * which the HTTP server has checked.
 */
export class Passkeys {
  readonly #store: Store
  readonly #clock: Clock

  /**
   * Login challenges as signed tokens. A challenge is stored only after a client has answered the challenge, so that
   * strangers may request any number of challenges.
   */
  readonly #challenges: SignedTokens

  /** @param secret secret of the installation */
  constructor(store: Store, clock: Clock, secret: string) {
    this.#store = store
    this.#clock = clock
    this.#challenges = new SignedTokens(secret, 'passkey login')
  }

  list(userId: string): Promise<Passkey[]> {
    return reading(listPasskeys(this.#store.read, userId))
  }

  /**
   * Returns the browser options for a new passkey. Throws `conflict` if the page has no host name, or if the user has
   * too many passkeys.
   */
  async optionsForMaking(
    user: Pick<User, 'id' | 'email' | 'name'>,
    origin: string,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const existing = await recalled(() => this.list(user.id))
    if (existing.length >= MAX_PASSKEYS) {
      throw new Problem('conflict', `A user has at most ${MAX_PASSKEYS} passkeys; remove one first.`)
    }
    const { generateRegistrationOptions } = await webAuthn()
    const options = await recalled(() =>
      generateRegistrationOptions({
        rpName: 'Postrider',
        rpID: relyingParty(origin),
        userName: user.email,
        userID: new TextEncoder().encode(user.id),
        userDisplayName: user.name ?? user.email,
        supportedAlgorithmIDs: ALGORITHMS,
        excludeCredentials: existing.map(({ credential_id: id, transports }) => ({
          id,
          transports: JSON.parse(transports) as Transports,
        })),
        // A passkey replaces the password and the code, so the authenticator has to store the identity of the user and
        // to verify the user.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      }),
    )
    const now = this.#clock.now()
    const token = { hash: hashSecret(options.challenge), purpose: MAKING, user_id: user.id }
    await this.#store.write(keepToken, { token: { ...token, expires_at: now + CHALLENGE_MS }, now })
    return options
  }

  /**
   * Stores the passkey that the browser has created. Throws `validation_failed` if the response of the browser does not
   * match the challenge.
   */
  async add(
    user: Pick<User, 'id' | 'account_id'>,
    origin: string,
    response: RegistrationResponseJSON,
    name: string,
  ): Promise<Passkey> {
    const kept = requireName(name)
    const { verifyRegistrationResponse } = await webAuthn()
    // The WebAuthn library reports an error of the store as an invalid response, so the error of the store is kept.
    let failure: unknown
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) =>
        this.#takeChallenge(challenge, user.id).catch((error: unknown) => {
          failure = error
          throw error
        }),
      expectedOrigin: origin,
      expectedRPID: relyingParty(origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch((cause: Error) => {
      throw failure ?? notTaken(cause)
    })
    if (!verified.verified) throw notTaken(undefined)
    const { id, publicKey, counter, transports } = verified.registrationInfo.credential
    const now = this.#clock.now()
    const passkey: Passkey = {
      id: newId('pky', now),
      user_id: user.id,
      account_id: user.account_id,
      credential_id: id,
      public_key: Buffer.from(publicKey),
      counter,
      transports: JSON.stringify(transports ?? []),
      name: kept,
      created_at: now,
      last_used_at: null,
    }
    if (!(await this.#store.write(addPasskey, passkey))) {
      throw new Problem('conflict', 'This passkey is registered already.')
    }
    return passkey
  }

  remove(userId: string, id: string): Promise<boolean> {
    return this.#store.write(removePasskey, { userId, id })
  }

  /** Returns the browser options for a login with a passkey; the options name no user. */
  async optionsForLogin(origin: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await webAuthn()
    const options = await generateAuthenticationOptions({
      rpID: relyingParty(origin),
      userVerification: 'required',
      challenge: new Uint8Array(this.#challenges.make(ANYBODY, this.#clock.now() + CHALLENGE_MS)),
    })
    return options
  }

  /** Returns the user whose passkey has signed the response; undefined if the response is invalid. */
  async userOf(origin: string, response: AuthenticationResponseJSON): Promise<User | undefined> {
    // A credential ID that is not base64url belongs to no user, and some databases reject such an ID.
    if (!/^[\w-]+$/.test(response.id)) return undefined
    const passkey = await reading(findPasskey(this.#store.read, response.id))
    if (passkey === undefined) return undefined
    const { verifyAuthenticationResponse } = await webAuthn()
    let answered: { readonly id: string; readonly expiresAt: number } | undefined
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => {
        const token = Buffer.from(challenge, 'base64url')
        answered = this.#challenges.read(token, ANYBODY, this.#clock.now())
        return answered !== undefined
      },
      expectedOrigin: origin,
      expectedRPID: relyingParty(origin),
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
        transports: JSON.parse(passkey.transports) as Transports,
      },
    }).catch(() => undefined)
    if (!verified?.verified || answered === undefined || !(await this.#spend(answered))) return undefined
    const counter = verified.authenticationInfo.newCounter
    const use = { id: passkey.id, before: passkey.counter, counter, now: this.#clock.now() }
    if (!(await this.#store.write(usePasskey, use))) return undefined
    return reading(findUser(this.#store.read, passkey.account_id, passkey.user_id))
  }

  /** Consumes the challenge of a login; returns false if the challenge was already consumed on any node. */
  #spend({ id, expiresAt }: { readonly id: string; readonly expiresAt: number }): Promise<boolean> {
    const token = {
      hash: hashSecret(id),
      purpose: 'passkey_login',
      user_id: null,
      expires_at: expiresAt,
    } as const
    return this.#store.write(spendToken, { token, now: this.#clock.now() })
  }

  async #takeChallenge(challenge: string, userId: string): Promise<boolean> {
    const now = this.#clock.now()
    const taken = await this.#store.write(takeToken, { hash: hashSecret(challenge), purpose: MAKING, now })
    return taken?.userId === userId
  }
}

/**
 * Returns the host name of a page, which is the WebAuthn relying party ID of the page. Throws `conflict` for a page
 * opened by IP address.
 */
function relyingParty(origin: string): string {
  const { hostname, port } = new URL(origin)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return hostname
  const instead = port === '' ? 'its name' : `http://localhost:${port}`
  throw new Problem(
    'conflict',
    `Passkeys need a host name; open the dashboard at ${instead} instead of ${hostname}.`,
  )
}

const notTaken = (cause: unknown): Problem =>
  new Problem('validation_failed', 'The passkey could not be verified; try again.', {
    cause,
    errors: [{ path: 'response', code: 'invalid_passkey', message: 'Start again.' }],
  })
