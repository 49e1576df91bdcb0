// Reads MAIL FROM and RCPT TO: a path, with or without angle brackets, and the parameters after it.

import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { Refusal } from './replies.ts'

export interface PathCommand {
  /** The text of the path, without angle brackets. */
  readonly path: string
  /** Values by parameter name in upper case; undefined for a parameter without a value. */
  readonly parameters: ReadonlyMap<string, string | undefined>
}

/**
 * A parameter: `esmtp-keyword ["=" esmtp-value]` (RFC 5321 §4.1.2). A value in UTF-8 matches too, so that such a value
 * gets its own refusal.
 */
const PARAMETER = /^([A-Za-z0-9][A-Za-z0-9-]*)(?:=([^\0-\x20=\x7f]+))?$/

/**
 * Some clients put spaces around the colon, or omit the angle brackets. The grammar allows neither, but such a command
 * is unambiguous, because a path without brackets contains neither spaces nor brackets.
 */
const SYNTAX = {
  MAIL: /^MAIL +FROM *: *(?:<([^>]*)>|([^\s<>]+))(?: (.*))?$/is,
  RCPT: /^RCPT +TO *: *(?:<([^>]*)>|([^\s<>]+))(?: (.*))?$/is,
}
const WRONG = { MAIL: '5.1.7', RCPT: '5.1.3' }

/** Maximum length of a path that `pathIn` returns. */
const MAX_PATH = 400

/** Returns the path of a command that may be malformed, as the client has written it; undefined without a path. */
export function pathIn(verb: 'MAIL' | 'RCPT', line: Buffer): string | undefined {
  const [, bracketed, bare] = SYNTAX[verb].exec(line.toString('utf8')) ?? []
  const path = bracketed ?? bare
  return path === undefined || path.length > MAX_PATH ? undefined : path
}

/** Splits a command into path and parameters. Throws `Refusal` 501 for another form or a repeated parameter. */
export function readPathCommand(verb: 'MAIL' | 'RCPT', line: Buffer): PathCommand {
  const match = SYNTAX[verb].exec(line.toString('utf8'))
  if (match === null) {
    const form = verb === 'MAIL' ? 'MAIL FROM:<address>' : 'RCPT TO:<address>'
    throw new Refusal(501, WRONG[verb], `Say ${form}`)
  }
  const parameters = new Map<string, string | undefined>()
  for (const written of (match[3] ?? '').split(' ').filter((part) => part !== '')) {
    const [, name, value] = PARAMETER.exec(written) ?? []
    if (name === undefined) throw new Refusal(501, '5.5.4', 'A parameter does not have the form NAME=value')
    const key = name.toUpperCase()
    if (parameters.has(key)) throw new Refusal(501, '5.5.4', `The parameter ${key} is given twice`)
    parameters.set(key, value)
  }
  return { path: match[1] ?? match[2]!, parameters }
}

/**
 * Returns the address of a path. Throws `Refusal` 553 for a non-ASCII address without SMTPUTF8 (RFC 6531 §3.5), and
 * `wrong` for any other invalid address.
 */
export function readEnvelopeAddress(
  path: string,
  smtpUtf8: boolean,
  wrong: (problem: string) => Refusal,
): Address {
  if (!smtpUtf8 && /[^\0-\x7f]/.test(path)) {
    throw new Refusal(553, '5.6.7', 'An address with non-ASCII characters needs SMTPUTF8 in MAIL FROM')
  }
  const address = parseAddress(path)
  if (isAddress(address)) return address
  throw wrong(`The address ${address.problem}`)
}
