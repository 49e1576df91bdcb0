// Logs users in with an address and a password, and with a code if the user has a second factor.

import { clientNetwork, clientPrefix } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { findUserByEmail, type User } from '../store/access/accounts.ts'
import { countLoginTry, forgetLoginTries, type TryCounter } from '../store/access/login-failures.ts'
import { reading, type Store } from '../store/database/store.ts'
import { loginAddress } from './accounts.ts'
import { logRefusal } from './audit.ts'
import type { HashPriority } from './hash-queue.ts'
import type { KnownDevices } from './known-devices.ts'
import type { SecondFactor } from './second-factor.ts'
import { hashSecret, inHashTurn, isPassword, requireRoomForPassword } from './secrets.ts'

/** Maximum number of failed attempts for one login from one known device or one network, summed over all nodes. */
const MAX_TRIES = 10
/**
 * Maximum number of failed attempts for one login from all unknown devices, because a stranger may have many networks.
 */
const MAX_TRIES_OF_STRANGERS = 100
const WINDOW_MS = 15 * 60_000
/**
 * Bucket of recent attempts from one network, which determine the priority of the network in the hash queue. One
 * attempt is forgotten every three minutes, so that guessing at the rate of `POSTRIDER_AUTH_FAILURE_RATE` lowers the
 * priority. The bucket of a login (`OF_LOGIN`) remembers an attempt for as long as the limit of the login counts the
 * attempt.
 */
const OF_NETWORK: Rate = { count: 20, perMs: 3_600_000 }
/**
 * Bucket of recent attempts from one address prefix. Attempts from many new networks within few prefixes therefore rank
 * after attempts of other strangers.
 */
const OF_PREFIX: Rate = { count: 1_000, perMs: 3_600_000 }
const OF_LOGIN: Rate = { count: MAX_TRIES_OF_STRANGERS, perMs: WINDOW_MS }

/** Credentials given in a login attempt. */
export interface LoginAttempt {
  readonly email: string
  readonly password: string
  /** Code of the authenticator app, or a recovery code; undefined if the user gave no code. */
  readonly code?: string | undefined
}

/** Client that attempts to log in. */
export interface Client {
  readonly address: string
  /** Token from the device cookie of a device that has logged in before. */
  readonly device?: string | undefined
}

/** Recent attempts of a stranger's network and of its prefix, before the attempt that has just arrived. */
export interface Arrival {
  readonly network: number
  readonly prefix: number
}

export interface LoginOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly secondFactor: SecondFactor
  readonly devices: KnownDevices
  /** Maximum rate of failed attempts per client network. */
  readonly failureRate: Rate
}

/** Logs users in. Responses and response times do not reveal to a stranger whether a user exists. */
export class Login {
  readonly #options: LoginOptions
  readonly #byAddress = new RateLimiter()
  /** Recent attempts of networks, prefixes and logins, which determine priorities and never cause a refusal. */
  readonly #tries = new RateLimiter()

  constructor(options: LoginOptions) {
    this.#options = options
  }

  /**
   * Counts an attempt before the login is known, so that a refusal costs no reading of the request body. Throws
   * `rate_limit_exceeded` if the hash queue would refuse the attempt: a network with recent failed attempts must precede
   * a waiting stranger whatever the login, a network without such attempts may precede by the login. Returns undefined
   * for a client with a device token, which may be a known device.
   */
  arrive({ address, device }: Client): Arrival | undefined {
    if (device !== undefined) return undefined
    const arrival = this.#arrivalFrom(address)
    requireRoomForPassword({ ...arrival, login: arrival.network > 0 ? Infinity : 0 })
    return arrival
  }

  /**
   * Returns the user, and whether a recovery code was used. Throws `authentication_failed`, `second_factor_required` if
   * only the code is missing, or `rate_limit_exceeded` after too many attempts.
   * @param arrival result of `arrive` for this attempt
   */
  async withPassword(
    { email, password, code }: LoginAttempt,
    client: Client,
    arrival?: Arrival,
  ): Promise<{ readonly user: User; readonly byRecoveryCode: boolean }> {
    const { store, clock, secondFactor } = this.#options
    const { address } = client
    const tries = this.#isKnown(email, client) ? [] : [...originsOf(address), ofLogin(email)]
    const priority =
      tries.length === 0 ? 'known' : this.#priorityOf(email, arrival ?? this.#arrivalFrom(address))
    requireRoomForPassword(priority)
    const look = async () => {
      const user = await reading(findUserByEmail(store.read, loginAddress(email)))
      if (!(await isPassword(password, user?.password_hash)) || user === undefined) {
        return this.#refused(user, address, 'password')
      }
      // An attempt with a correct password is removed from the buckets of the network, the prefix and the login.
      for (const { name, rate } of tries) this.#tries.charge(name, rate, clock.now(), -1)
      if (!(await secondFactor.isOn(user.id))) return { user, byRecoveryCode: false }
      if (code === undefined || code.trim() === '') {
        throw new Problem(
          'second_factor_required',
          'Give the code of the authenticator app, or a recovery code.',
        )
      }
      const taken = await secondFactor.take(user.id, code)
      if (taken === undefined) return this.#refused(user, address, 'code')
      return { user, byRecoveryCode: taken === 'recovery_code' }
    }
    return this.try(client, email, look, priority)
  }

  /**
   * Writes a refused login to the audit log in the background, because waiting for the write would reveal that the user
   * exists.
   */
  #refused(user: User | undefined, address: string, wrong: 'password' | 'code'): undefined {
    if (user === undefined) return
    const { store, clock, log } = this.#options
    const who = { accountId: user.account_id, userId: user.id, actor: user.email }
    const action = { ...who, action: 'session.refuse', at: clock.now(), address, detail: { wrong } }
    logRefusal(action, store).catch((error: unknown) =>
      log.error({ err: error }, 'cannot write a refused login to the audit log'),
    )
  }

  /**
   * Confirms that the user knows the current password. Throws `validation_failed` for the field `current` if the
   * password is wrong, `rate_limit_exceeded` after too many attempts.
   */
  async confirmPassword({ email }: Pick<User, 'email'>, password: string, client: Client): Promise<void> {
    const look = async (): Promise<User | undefined> => {
      const user = await reading(findUserByEmail(this.#options.store.read, email))
      return (await isPassword(password, user?.password_hash)) ? user : undefined
    }
    const right = this.try(client, email, look, 'known')
    await right.catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'authentication_failed') throw error
      throw invalidFields([
        { path: 'current', code: 'wrong_password', message: 'This is not your password.' },
      ])
    })
  }

  /**
   * Runs one attempt to authenticate with a secret that could be guessed. The attempt is counted before its result is
   * known, so that an attacker gains nothing by concurrent attempts; the count is removed after a successful attempt.
   * @param email undefined if the address of the user is unknown
   * @param priority priority in the hash queue, for an attempt with a password. The attempt waits for its turn before
   * any access to the store, so that a displaced stranger costs little.
   */
  async try<T>(
    client: Client,
    email: string | undefined,
    look: () => Promise<T | undefined>,
    priority?: HashPriority,
  ): Promise<T> {
    const { clock, failureRate } = this.#options
    const now = clock.now()
    const from = clientNetwork(client.address)
    const taken = this.#byAddress.take(from, failureRate, now)
    if (!taken.allowed) throw tooMany(Math.max(1, taken.resetSeconds))
    const counters = email === undefined ? [] : this.#countersOf(email, client)
    const attempt = (): Promise<T> => this.#counted(counters, look)
    const found = await (priority === undefined ? attempt() : inHashTurn(priority, attempt))
    this.#byAddress.charge(from, failureRate, now, -1)
    await Promise.all(counters.map(({ name }) => this.#options.store.write(forgetLoginTries, { name })))
    return found
  }

  /** Counts an attempt in the store. Throws `authentication_failed` or `rate_limit_exceeded`. */
  async #counted<T>(counters: readonly TryCounter[], look: () => Promise<T | undefined>): Promise<T> {
    const { store, clock } = this.#options
    const now = clock.now()
    if (counters.length > 0) {
      const since = await store.write(countLoginTry, { counters, now, windowMs: WINDOW_MS })
      if (since !== null) throw tooMany(Math.max(1, Math.ceil((since + WINDOW_MS - now) / 1_000)))
    }
    const found = await look()
    if (found === undefined) {
      throw new Problem('authentication_failed', 'The address, the password or the code is wrong.')
    }
    return found
  }

  #isKnown(email: string, { device }: Client): boolean {
    return this.#options.devices.idOf(device, loginAddress(email)) !== undefined
  }

  /** Counts an attempt of a network and of its prefix, and returns the numbers of attempts before it. */
  #arrivalFrom(address: string): Arrival {
    const [network, prefix] = originsOf(address)
    return { network: this.#count(network), prefix: this.#count(prefix) }
  }

  /** Counts an attempt of a login, whether the user exists or not, and returns the resulting priority. */
  #priorityOf(email: string, arrival: Arrival): HashPriority {
    return { ...arrival, login: this.#count(ofLogin(email)) }
  }

  /** Counts an attempt in a bucket, and returns the number of recent attempts before it. */
  #count({ name, rate }: Tries): number {
    const { allowed, remaining } = this.#tries.take(name, rate, this.#options.clock.now())
    return allowed ? rate.count - remaining - 1 : rate.count
  }

  /**
   * Returns the attempt counters of a login: first the counter of the network, so that a network without attempts left
   * does not use up the attempts of other networks, then the total of all networks. A known device has a separate counter,
   * which strangers cannot use up.
   */
  #countersOf(email: string, { address, device }: Client): readonly TryCounter[] {
    const login = loginAddress(email)
    const known = this.#options.devices.idOf(device, login)
    if (known !== undefined) return [{ name: hashSecret(`login ${login} device ${known}`), max: MAX_TRIES }]
    const network = clientNetwork(address)
    return [
      { name: hashSecret(`login ${login} from ${network}`), max: MAX_TRIES },
      { name: hashSecret(`login ${login}`), max: MAX_TRIES_OF_STRANGERS },
    ]
  }
}

/** Bucket of recent login attempts. */
interface Tries {
  readonly name: string
  readonly rate: Rate
}

const originsOf = (address: string): readonly [Tries, Tries] => [
  { name: clientNetwork(address), rate: OF_NETWORK },
  { name: clientPrefix(address), rate: OF_PREFIX },
]

const ofLogin = (email: string): Tries => ({ name: hashSecret(loginAddress(email)), rate: OF_LOGIN })

const tooMany = (retryAfter: number): Problem =>
  new Problem('rate_limit_exceeded', 'Too many attempts; try again later, or log in with a passkey.', {
    retryAfter,
  })
