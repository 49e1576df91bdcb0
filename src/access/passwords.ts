// Sets passwords, refuses short passwords, and ends the other sessions of the user.

import { invalidFields } from '../model/problem.ts'
import { setPassword } from '../store/access/people.ts'
import type { Store } from '../store/database/store.ts'
import { passwordProblems } from './accounts.ts'
import { hashPassword } from './secrets.ts'

/** Sets the password; ends all sessions of the user except `keepSession`. Throws `validation_failed`. */
export async function changePassword(
  store: Store,
  userId: string,
  password: string,
  keepSession: string | undefined,
): Promise<void> {
  const problems = passwordProblems(password)
  if (problems.length > 0) throw invalidFields(problems)
  await store.write(setPassword, { userId, passwordHash: await hashPassword(password), keepSession })
}
