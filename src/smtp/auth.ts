// SMTP authentication at a relay.

import { expectClass } from './greeting.ts'
import type { StageFailure } from './stage.ts'
import type { Wire } from './wire.ts'

/** Credentials of this installation at a relay. */
export interface Credentials {
  readonly user: string
  readonly password: string
}

/**
 * Authenticates (RFC 4954) with AUTH PLAIN (RFC 4616), or with AUTH LOGIN if the relay does not offer PLAIN; the
 * transcript masks secrets.
 */
export async function authenticate(
  wire: Wire,
  credentials: Credentials,
  mechanisms: readonly string[],
  timeoutMs: number,
): Promise<StageFailure | undefined> {
  const { user, password } = credentials
  if (mechanisms.includes('PLAIN')) {
    const response = base64(`\0${user}\0${password}`)
    const done = await wire.command(`AUTH PLAIN ${response}`, timeoutMs, 'AUTH PLAIN ********')
    return expectClass(wire, 'auth', done, 2)
  }
  if (!mechanisms.includes('LOGIN')) {
    return {
      stage: 'auth',
      error: { code: 'no-auth', message: 'The relay offers neither AUTH PLAIN nor LOGIN' },
    }
  }
  const askUser = await wire.command('AUTH LOGIN', timeoutMs)
  const refused = expectClass(wire, 'auth', askUser, 3)
  if (refused !== undefined) return refused
  const askPassword = await wire.command(base64(user), timeoutMs, '********')
  const failure = expectClass(wire, 'auth', askPassword, 3)
  if (failure !== undefined) return failure
  return expectClass(wire, 'auth', await wire.command(base64(password), timeoutMs, '********'), 2)
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
