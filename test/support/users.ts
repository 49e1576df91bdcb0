// Dashboard users whose password is cheap to check: a stored hash contains its own cost parameters. Only tests about
// the cost use the real cost parameters.

import { argon2Sync, randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { createUser, type User } from '../../src/store/access/accounts.ts'
import type { Store } from '../../src/store/database/store.ts'

/** Minimum cost parameters of argon2id. */
const COST = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 }

/** Returns the stored form of a password like `hashPassword`, but with minimum cost. */
export function cheapHash(password: string): string {
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', { message: password, nonce, ...COST })
  const cost = `${COST.memory},${COST.passes},${COST.parallelism}`
  return `argon2id$${cost}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

/** Creates a dashboard user; throws if the e-mail address already has a user. */
export async function addUser(
  store: Store,
  { password, ...user }: Pick<User, 'account_id' | 'email' | 'name' | 'role'> & { readonly password: string },
  clock: Clock = systemClock,
): Promise<User> {
  const made: User = {
    ...user,
    id: newId('usr', clock.now()),
    password_hash: cheapHash(password),
    created_at: clock.now(),
  }
  if (!(await store.write(createUser, made))) throw new Error(`the user ${user.email} exists already`)
  return made
}
