// Logging in with an address and a password, and with a code if the user has a second factor.

import { clientNetwork, clientPrefix } from '../lib/client-network.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Rate, RateLimiter } from '../lib/rate-limiter.ts'
import { invalidFields, Problem } from '../model/problem.ts'
import { findUserByEmail, type User } from '../store/access/accounts.ts'
import { countLoginTry, forgetLoginTries } from '../store/access/login-failures.ts'
import { reading, type Store } from '../store/database/store.ts'
import { loginAddress } from './accounts.ts'
import { logRefusal } from './audit.ts'
import type { HashPriority } from './hash-queue.ts'
import type { KnownDevices } from './known-devices.ts'
import type { SecondFactor } from './second-factor.ts'
import { hashSecret, isPassword, requireRoomForPassword } from './secrets.ts'

/** Maximum failed tries with one login from one known device, or from one network, over all nodes. */
const MAX_TRIES = 10
/** Maximum failed tries with one login from all unknown devices: a stranger may have many networks. */
const MAX_TRIES_OF_STRANGERS = 100
const WINDOW_MS = 15 * 60_000
/**
 * Recent tries, which determine the priority. Tries of a network are forgotten in three minutes, so that guesses at
 * the rate of `POSTRIDER_AUTH_FAILURE_RATE` are noticed; tries with a login count as long as they count against it.
 */
const OF_NETWORK: Rate = { count: 20, perMs: 3_600_000 }
/**
 * Tries of a prefix, which rank a crowd from many new networks of few prefixes after other strangers, from the first
 * tries on.
 */
const OF_PREFIX: Rate = { count: 1_000, perMs: 3_600_000 }
const OF_LOGIN: Rate = { count: MAX_TRIES_OF_STRANGERS, perMs: WINDOW_MS }

/** Input of a login. */
export interface LoginAttempt {
  readonly email: string
  readonly password: string
  /** Code of the authenticator app, or a recovery code. */
  readonly code?: string | undefined
}

/** Client of a login. */
export interface Client {
  readonly address: string
  /** Token of a device that has logged in before, from its cookie. */
  readonly device?: string | undefined
}

export interface LoginOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly secondFactor: SecondFactor
  readonly devices: KnownDevices
  /** Allowed failed tries per client address. */
  readonly failureRate: Rate
}

/** Logs users in. A stranger sees the same answers at the same speed whether a user exists or not. */
export class Login {
  readonly #options: LoginOptions
  readonly #byAddress = new RateLimiter()
  /** Tries of networks, prefixes and logins; used for the priority only, never to refuse. */
  readonly #tries = new RateLimiter()

  constructor(options: LoginOptions) {
    this.#options = options
  }

  /**
   * Returns the user, and whether a recovery code was used. Throws `authentication_failed`, `second_factor_required`
   * when only the code is missing, `rate_limit_exceeded` after too many tries.
   */
  async withPassword(
    { email, password, code }: LoginAttempt,
    client: Client,
  ): Promise<{ readonly user: User; readonly byRecoveryCode: boolean }> {
    const { store, clock, secondFactor } = this.#options
    const { address } = client
    const tries = this.#triesOf(email, client)
    const priority = this.#priorityOf(tries)
    requireRoomForPassword(priority)
    return this.try(client, email, async () => {
      const user = await reading(findUserByEmail(store.read, loginAddress(email)))
      if (!(await isPassword(password, user?.password_hash, priority)) || user === undefined) {
        return this.#refused(user, address, 'password')
      }
      // A successful login returns the tries to the budgets of the login and of its network.
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
    })
  }

  /** Logs the refusal for the account in the background: the time of a write would reveal that the user exists. */
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
   * Confirms that the user knows the current password. Throws `validation_failed` for the field `current` if it is
   * wrong, `rate_limit_exceeded` like a login.
   */
  async confirmPassword({ email }: Pick<User, 'email'>, password: string, client: Client): Promise<void> {
    const right = this.try(client, email, async () => {
      const user = await reading(findUserByEmail(this.#options.store.read, email))
      return (await isPassword(password, user?.password_hash, 'known')) ? user : undefined
    })
    await right.catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'authentication_failed') throw error
      throw invalidFields([
        { path: 'current', code: 'wrong_password', message: 'This is not your password.' },
      ])
    })
  }

  /**
   * Runs one try of something that can be guessed. The try counts before its result is known, so that concurrent
   * tries gain nothing; success takes the count back.
   * @param email undefined if no address is known
   */
  async try<T>(client: Client, email: string | undefined, look: () => Promise<T | undefined>): Promise<T> {
    const { store, clock, failureRate } = this.#options
    const now = clock.now()
    const from = clientNetwork(client.address)
    const taken = this.#byAddress.take(from, failureRate, now)
    if (!taken.allowed) throw tooMany(Math.max(1, taken.resetSeconds))
    const counters = email === undefined ? [] : this.#countersOf(email, client)
    // The networks are checked first, so that a network without tries left uses up none of the others.
    for (const { name, max } of counters) {
      const { tries, since } = await store.write(countLoginTry, { name, now, windowMs: WINDOW_MS })
      if (tries > max) throw tooMany(Math.max(1, Math.ceil((since + WINDOW_MS - now) / 1_000)))
    }
    const found = await look()
    if (found === undefined) {
      throw new Problem('authentication_failed', 'The address, the password or the code is wrong.')
    }
    this.#byAddress.charge(from, failureRate, now, -1)
    await Promise.all(counters.map(({ name }) => store.write(forgetLoginTries, { name })))
    return found
  }

  /** Returns the buckets that rank a stranger, whether the user exists or not; none for a known device. */
  #triesOf(email: string, { address, device }: Client): readonly Tries[] {
    const login = loginAddress(email)
    if (this.#options.devices.idOf(device, login) !== undefined) return []
    return [
      { name: clientNetwork(address), rate: OF_NETWORK },
      { name: clientPrefix(address), rate: OF_PREFIX },
      { name: hashSecret(login), rate: OF_LOGIN },
    ]
  }

  /** Counts a try, and returns the priority by the tries before it. */
  #priorityOf(tries: readonly Tries[]): HashPriority {
    const [network, prefix, login] = tries.map(({ name, rate }) => {
      const { allowed, remaining } = this.#tries.take(name, rate, this.#options.clock.now())
      return allowed ? rate.count - remaining - 1 : rate.count
    })
    return network === undefined || prefix === undefined || login === undefined
      ? 'known'
      : { network, prefix, login }
  }

  /**
   * Returns the counters of a login, the network before the total; a known device has its own, which strangers cannot
   * use up.
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

/** Bucket of recent tries. */
interface Tries {
  readonly name: string
  readonly rate: Rate
}

/** Key by which tries are counted, and the maximum in the window. */
interface TryCounter {
  readonly name: string
  readonly max: number
}

const tooMany = (retryAfter: number): Problem =>
  new Problem('rate_limit_exceeded', 'Too many attempts; try again later, or log in with a passkey.', {
    retryAfter,
  })
