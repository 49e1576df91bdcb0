// Logging in: with an address and a password.

import { Problem } from '../model/problem.ts'
import { findUserByEmail, type User } from '../store/accounts.ts'
import { reading, type Store } from '../store/store.ts'
import { isPassword } from './secrets.ts'

/** What somebody gives who wants in. */
export interface LoginAttempt {
  readonly email: string
  readonly password: string
  /** Of the authenticator app, or a recovery code. */
  readonly code?: string | undefined
}

/** Lets people in. What a stranger learns, and how long it takes, is the same whether there is such a user or not. */
export class Login {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** The user behind it. Throws `authentication_failed`. */
  async withPassword({ email, password }: LoginAttempt): Promise<User> {
    const user = await reading(findUserByEmail(this.#store.read, email.trim().toLowerCase()))
    const right = await isPassword(password, user?.password_hash)
    if (user === undefined || !right) {
      throw new Problem('authentication_failed', 'The address or the password is wrong.')
    }
    return user
  }
}
