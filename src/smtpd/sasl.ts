// Reads SMTP logins strictly: AUTH PLAIN and AUTH LOGIN.

import { isUtf8 } from 'node:buffer'
import { Refusal } from './replies.ts'

/** The mechanisms that the server offers. */
export const MECHANISMS = ['PLAIN', 'LOGIN'] as const

export interface UserAndPassword {
  readonly username: string
  readonly password: string
  /** Identity on whose behalf the client acts, if the client named an identity (RFC 4616 §2). */
  readonly authzid?: string
}

/** The prompts "Username:" and "Password:" in base64 (draft-murchison-sasl-login). */
const USERNAME_PROMPT = 'VXNlcm5hbWU6'
const PASSWORD_PROMPT = 'UGFzc3dvcmQ6'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Conducts the exchange of an AUTH command (RFC 4954 §4). `ask` sends a challenge and returns the client's response.
 * Throws `Refusal` for an invalid or cancelled exchange.
 */
export function exchange(
  line: Buffer,
  ask: (challenge: string) => Promise<string>,
): Promise<UserAndPassword> {
  const [, mechanism = '', initial, more] = line.toString('latin1').trim().split(/ +/)
  if (more !== undefined) throw new Refusal(501, '5.5.4', 'AUTH takes a mechanism and one initial response')
  switch (mechanism.toUpperCase()) {
    case 'PLAIN':
      return plain(initial, ask)
    case 'LOGIN':
      return login(initial, ask)
    default:
      throw new Refusal(504, '5.5.4', `The supported AUTH mechanisms are ${MECHANISMS.join(' and ')}`)
  }
}

/** Reads the authorization identity, the authentication identity and the password, separated by NUL (RFC 4616). */
async function plain(
  initial: string | undefined,
  ask: (challenge: string) => Promise<string>,
): Promise<UserAndPassword> {
  const message = initial === undefined ? decodeAnswer(await ask('')) : decodeInitial(initial)
  const [authzid, username, password, more] = message.split('\0')
  if (!username || !password || more !== undefined) {
    throw new Refusal(501, '5.5.2', 'AUTH PLAIN takes a user name and a password, each after a NUL')
  }
  return authzid ? { username, password, authzid } : { username, password }
}

async function login(
  initial: string | undefined,
  ask: (challenge: string) => Promise<string>,
): Promise<UserAndPassword> {
  const username = initial === undefined ? decodeAnswer(await ask(USERNAME_PROMPT)) : decodeInitial(initial)
  const password = decodeAnswer(await ask(PASSWORD_PROMPT))
  return { username, password }
}

/** Decodes an initial response; a single `=` is an empty response (RFC 4954 §4). */
const decodeInitial = (text: string): string => (text === '=' ? '' : decode(text))

function decodeAnswer(text: string): string {
  if (text === '*') throw new Refusal(501, '5.7.0', 'Login called off')
  return decode(text)
}

function decode(text: string): string {
  const bytes = BASE64.test(text) ? Buffer.from(text, 'base64') : undefined
  if (bytes === undefined || !isUtf8(bytes)) throw new Refusal(501, '5.5.2', 'This is not UTF-8 in base64')
  return bytes.toString('utf8')
}
