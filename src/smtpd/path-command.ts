// Reading MAIL FROM and RCPT TO: a path, in angle brackets or without, and the parameters after it, taken literally.

import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { Refusal } from './replies.ts'

export interface PathCommand {
  /** The text between the angle brackets, or without them. */
  readonly path: string
  /** By name, upper case; a name without a value has none. */
  readonly parameters: ReadonlyMap<string, string | undefined>
}

/** `esmtp-keyword ["=" esmtp-value]` (RFC 5321 §4.1.2); the value may be UTF-8 for the sake of its own refusal. */
const PARAMETER = /^([A-Za-z0-9][A-Za-z0-9-]*)(?:=([^\0-\x20=\x7f]+))?$/

/**
 * Clients put spaces around the colon and leave the angle brackets out, which the grammar does not have and nobody can
 * misread: without brackets a path has neither spaces nor brackets.
 */
const SYNTAX = {
  MAIL: /^MAIL +FROM *: *(?:<([^>]*)>|([^\s<>]+))(?: (.*))?$/is,
  RCPT: /^RCPT +TO *: *(?:<([^>]*)>|([^\s<>]+))(?: (.*))?$/is,
}
const WRONG = { MAIL: '5.1.7', RCPT: '5.1.3' }

/** Takes a command apart. Throws `Refusal` 501 when it has another form or a parameter twice. */
export function readPathCommand(verb: 'MAIL' | 'RCPT', line: Buffer): PathCommand {
  const match = SYNTAX[verb].exec(line.toString('utf8'))
  if (match === null) {
    const form = verb === 'MAIL' ? 'MAIL FROM:<address>' : 'RCPT TO:<address>'
    throw new Refusal(501, WRONG[verb], `Say ${form}`)
  }
  const parameters = new Map<string, string | undefined>()
  for (const written of (match[3] ?? '').split(' ').filter((part) => part !== '')) {
    const [, name, value] = PARAMETER.exec(written) ?? []
    if (name === undefined) throw new Refusal(501, '5.5.4', 'A parameter has another form than NAME=value')
    const key = name.toUpperCase()
    if (parameters.has(key)) throw new Refusal(501, '5.5.4', `The parameter ${key} is given twice`)
    parameters.set(key, value)
  }
  return { path: match[1] ?? match[2]!, parameters }
}

/** The address of a path. Throws `Refusal` 553 for non-ASCII without SMTPUTF8 (RFC 6531 §3.5), else `wrong`. */
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
