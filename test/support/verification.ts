// Verification in tests: calls with the Verification key, and the mailboxes that were probed.

import type { Answer, TestApp } from './app.ts'
import type { MailHost } from './mail-host/mail-host.ts'
import type { HostScript } from './mail-host/script.ts'

/** Calls the API with the Verification key of the playground. */
export const callAsVerifier = (
  app: TestApp,
  method: string,
  path: string,
  body?: object | string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  app.call(method, path, body, { authorization: `Bearer ${app.playground.verification_key}`, ...headers })

/** Verifies an address and returns the detailed response. */
export const verify = (app: TestApp, email: string): Promise<Answer> =>
  callAsVerifier(app, 'GET', `/v1/verifyEmailDetailed?email=${encodeURIComponent(email)}`)

/** Returns the result of a verification in short form. */
export async function verdict(app: TestApp, email: string): Promise<string> {
  const { status, body } = await verify(app, email)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return `${body.result}/${body.internalResult}`
}

/** Returns the mailboxes that were probed at a mail host, in order. */
export const askedFor = (host: MailHost): string[] =>
  host.connections.flatMap(({ commands }) =>
    commands.flatMap((line) => /^RCPT TO:<(.*)>/.exec(line)?.[1] ?? []),
  )

/** Returns a script that accepts only these mailboxes. */
export const onlyMailboxes =
  (...locals: string[]): HostScript =>
  ({ verb, address }) =>
    verb !== 'RCPT' || locals.includes(address.slice(0, address.lastIndexOf('@')))
      ? undefined
      : '550 5.1.1 No such user'

/** Pattern of catch-all probe addresses. */
export const MADE_UP = /^[bcdfghjkmnpqrstvwxz2-9]{24}@/
