// Second factors of users: TOTP codes of an authenticator app (RFC 6238), and recovery codes, each valid once in place
// of a TOTP code.

import { hash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Clock } from '../lib/clock.ts'
import { newRandomBytes } from '../lib/ids.ts'
import { recalled } from '../lib/repeatable-run.ts'
import { Sealing } from '../lib/sealing.ts'
import { Problem } from '../model/problem.ts'
import type { User } from '../store/access/accounts.ts'
import {
  beginTotp,
  confirmTotp,
  findTotp,
  removeTotp,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeTotpStep,
} from '../store/access/second-factors.ts'
import type { SealedText } from '../store/database/secrets.ts'
import { reading, type Store } from '../store/database/store.ts'

const RECOVERY_CODES = 10
/**
 * Number of time steps by which the clock of the app may differ: codes of the previous and the next step are accepted.
 */
const WINDOW = 1
/** Alphabet of base32 (RFC 4648) in lower case. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

type Whose = Pick<User, 'id' | 'account_id'>

/** Sets up, verifies and removes the second factors of users. */
export class SecondFactor {
  readonly #store: Store
  readonly #clock: Clock
  readonly #sealing: Sealing

  /** @param secret secret of the installation */
  constructor(store: Store, clock: Clock, secret: string) {
    this.#store = store
    this.#clock = clock
    this.#sealing = new Sealing(secret, 'totp')
  }

  /**
   * Returns a new secret for an authenticator app, to be confirmed by a first code; the secret is shown only once.
   * Throws `conflict` if an authenticator app is already set up.
   */
  async begin(user: Whose, email: string): Promise<{ readonly secret: string; readonly url: string }> {
    const secret = new Secret({ buffer: new Uint8Array(newRandomBytes(20)).buffer })
    const begun = await this.#store.write(beginTotp, {
      user_id: user.id,
      account_id: user.account_id,
      secret: this.#store.secrets.seal(this.#sealing.seal(secret.base32, user.id), user.id),
      created_at: this.#clock.now(),
      confirmed_at: null,
      last_step: null,
    })
    if (!begun) {
      throw new Problem(
        'conflict',
        'An authenticator app is set up already; remove it first to set up another.',
      )
    }
    return { secret: secret.base32, url: totpOf(secret.base32, email).toString() }
  }

  /** Turns the second factor on if the code is correct, and returns the recovery codes, which are shown only once. */
  async confirm(user: Whose, code: string): Promise<readonly string[]> {
    const totp = await recalled(() => reading(findTotp(this.#store.read, user.id)))
    if (totp === undefined || totp.confirmed_at !== null) {
      throw new Problem('conflict', 'The setup of the authenticator app has expired; start again.')
    }
    const step = this.#stepOf(user.id, totp.secret, code)
    if (step === undefined) throw wrongCode()
    const { codes, hashes } = newCodes(user.id)
    const item = { userId: user.id, accountId: user.account_id, hashes, step, now: this.#clock.now() }
    if (!(await this.#store.write(confirmTotp, item))) throw wrongCode()
    return codes
  }

  /** Replaces the recovery codes. Throws `conflict` without an authenticator app. */
  async renewRecoveryCodes(user: Whose): Promise<readonly string[]> {
    if (!(await this.isOn(user.id))) {
      throw new Problem('conflict', 'Recovery codes belong to an authenticator app; set one up first.')
    }
    const { codes, hashes } = newCodes(user.id)
    await this.#store.write(replaceRecoveryCodes, { userId: user.id, accountId: user.account_id, hashes })
    return codes
  }

  async isOn(userId: string): Promise<boolean> {
    const totp = await reading(findTotp(this.#store.read, userId))
    return totp !== undefined && totp.confirmed_at !== null
  }

  /** Consumes a code of the authenticator app or a recovery code, and returns its kind; undefined for a wrong code. */
  async take(userId: string, code: string): Promise<'totp' | 'recovery_code' | undefined> {
    const given = code.replace(/[\s-]/g, '').toLowerCase()
    if (!/^\d{6}$/.test(given)) {
      const taken = await this.#store.write(takeRecoveryCode, { userId, hash: hashCode(userId, given) })
      return taken ? 'recovery_code' : undefined
    }
    const totp = await reading(findTotp(this.#store.read, userId))
    const step = totp === undefined ? undefined : this.#stepOf(userId, totp.secret, given)
    if (step === undefined) return undefined
    return (await this.#store.write(takeTotpStep, { userId, step })) ? 'totp' : undefined
  }

  /** Removes the second factor; returns false if the user had none. */
  remove(userId: string): Promise<boolean> {
    return this.#store.write(removeTotp, { userId })
  }

  /** Returns the time step of a code; undefined if the code belongs to none of the accepted time steps. */
  #stepOf(userId: string, kept: SealedText, code: string): number | undefined {
    const timestamp = this.#clock.now()
    const secret = this.#sealing.open(this.#store.secrets.open(kept, userId), userId)
    const totp = totpOf(secret, '')
    const delta = totp.validate({ token: code.replace(/\s/g, ''), timestamp, window: WINDOW })
    return delta === null ? undefined : totp.counter({ timestamp }) + delta
  }
}

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: 'Postrider', label: label || 'Postrider', secret, digits: 6, period: 30 })

const wrongCode = (): Problem =>
  new Problem('validation_failed', 'The code is wrong or has expired; enter the current code of the app.', {
    errors: [{ path: 'code', code: 'wrong_code', message: 'Enter the current code of the app.' }],
  })

/** Generates recovery codes of 80 random bits each, for which a plain hash suffices. */
function newCodes(userId: string): { readonly codes: readonly string[]; readonly hashes: readonly string[] } {
  const plain = Array.from({ length: RECOVERY_CODES }, () =>
    Array.from(newRandomBytes(16), (byte) => BASE32[byte & 31]).join(''),
  )
  return {
    codes: plain.map((code) => code.replace(/.{4}(?=.)/g, '$&-')),
    hashes: plain.map((code) => hashCode(userId, code)),
  }
}

const hashCode = (userId: string, code: string): string => hash('sha256', `${userId} ${code}`)
