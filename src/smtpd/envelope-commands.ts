// Reads MAIL FROM and RCPT TO: a path, with or without angle brackets, and the parameters after it: of MAIL FROM the
// declared size and the requested extensions.

import { type Address, isAddress, parseAddress } from '../model/address.ts'
import { Refusal } from './replies.ts'

interface PathCommand {
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
function readPathCommand(verb: 'MAIL' | 'RCPT', line: Buffer): PathCommand {
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
function readEnvelopeAddress(path: string, smtpUtf8: boolean, wrong: (problem: string) => Refusal): Address {
  if (!smtpUtf8 && /[^\0-\x7f]/.test(path)) {
    throw new Refusal(553, '5.6.7', 'An address with non-ASCII characters needs SMTPUTF8 in MAIL FROM')
  }
  const address = parseAddress(path)
  if (isAddress(address)) return address
  throw wrong(`The address ${address.problem}`)
}

export interface MailFrom {
  readonly from: Address
  readonly smtpUtf8: boolean
  /** Size of the message in bytes, as declared. */
  readonly size: number | undefined
}

/** Reads a MAIL command. Throws `Refusal` for a parameter that cannot be honoured. */
export function readMailFrom(line: Buffer, maxMessageBytes: number): MailFrom {
  const { path, smtpUtf8, size } = readReversePath(line, maxMessageBytes)
  // A submitted message without a sender is refused, because no bounce can be sent to the null sender.
  if (path === '')
    throw new Refusal(550, '5.7.1', 'The null sender <> is not for submission; use your address')
  const wrong = (problem: string): Refusal => new Refusal(501, '5.1.7', problem)
  return { from: readEnvelopeAddress(path, smtpUtf8, wrong), smtpUtf8, size }
}

/** Reads a MAIL command with any sender, or the null sender. Throws `Refusal` for an invalid or unknown parameter. */
export function readReversePath(
  line: Buffer,
  maxMessageBytes: number,
): { readonly path: string } & Omit<MailFrom, 'from'> {
  const { path, parameters } = readPathCommand('MAIL', line)
  for (const [name, value] of parameters) {
    if (!Object.hasOwn(CHECKS, name))
      throw new Refusal(555, '5.5.4', `The parameter ${name} is not supported`)
    CHECKS[name]?.(value, maxMessageBytes)
  }
  const size = parameters.get('SIZE')
  return { path, smtpUtf8: parameters.has('SMTPUTF8'), size: size === undefined ? undefined : Number(size) }
}

const CHECKS: Record<string, (value: string | undefined, maxMessageBytes: number) => void> = {
  SIZE: checkSize,
  BODY(value) {
    // The values are those of RFC 6152 §2; BINARYMIME (RFC 3030) is not offered.
    if (!/^(?:7BIT|8BITMIME)$/i.test(value ?? '')) throw new Refusal(501, '5.5.4', 'BODY is 7BIT or 8BITMIME')
  },
  SMTPUTF8(value) {
    if (value !== undefined) throw new Refusal(501, '5.5.4', 'SMTPUTF8 takes no value')
  },
  AUTH(value) {
    // AUTH names the original submitter (RFC 4954 §5). A server must accept the parameter, which has no effect here.
    if (value === undefined) throw new Refusal(501, '5.5.4', 'AUTH takes a value')
  },
}

/** Checks the declared size (RFC 1870 §4, §6.1). */
function checkSize(value: string | undefined, maxMessageBytes: number): void {
  if (!/^\d{1,20}$/.test(value ?? '')) throw new Refusal(501, '5.5.4', 'SIZE is a number of bytes')
  if (Number(value) <= maxMessageBytes) return
  throw new Refusal(552, '5.3.4', `A message has at most ${maxMessageBytes} bytes`)
}

/**
 * Reads a RCPT command. Throws `Refusal` for a parameter that cannot be honoured. `<Postmaster>` without a domain means
 * the postmaster of `ownHost`, if given (RFC 5321 §4.5.1).
 */
export function readRcptTo(line: Buffer, smtpUtf8: boolean, ownHost?: string): Address {
  const { path: given, parameters } = readPathCommand('RCPT', line)
  const path = ownHost !== undefined && /^postmaster$/i.test(given) ? `${given}@${ownHost}` : given
  for (const name of parameters.keys()) {
    // DSN (RFC 3461) is not offered, so NOTIFY and ORCPT are refused like unknown parameters.
    throw new Refusal(555, '5.5.4', `The parameter ${name} is not supported`)
  }
  return readEnvelopeAddress(path, smtpUtf8, (problem) => new Refusal(553, '5.1.3', problem))
}

/**
 * Adds a recipient with the result of its lookup. Throws `Refusal` 452 for a recipient beyond the maximum `max` (RFC
 * 5321 §4.5.3.1.10); the earlier recipients remain.
 */
export function addRecipient<T>(recipients: Map<string, T>, { email }: Address, known: T, max: number): void {
  if (!recipients.has(email) && recipients.size >= max) {
    throw new Refusal(
      452,
      '4.5.3',
      `A transaction has at most ${max} recipients; send the rest in another transaction`,
    )
  }
  recipients.set(email, known)
}
