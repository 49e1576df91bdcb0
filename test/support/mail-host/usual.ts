// The usual answers of a scripted mail host: without a script, the mail host behaves well.

import { type HostConnection, type MailHostOptions, usualExtensions } from './script.ts'

/** State of a session on which the usual answer depends. */
export interface SessionState {
  readonly options: MailHostOptions
  readonly connection: HostConnection
  /** True if a MAIL command was accepted. */
  readonly hasSender: boolean
  /** Number of accepted RCPT commands. */
  readonly recipients: number
}

/** Returns the usual answer to a command, with lines separated by `\n`. */
export function usualAnswer(verb: string, argument: string, state: SessionState): string {
  const { options, connection, hasSender } = state
  switch (verb) {
    case 'EHLO':
      return options.ehlo === false ? '500 5.5.1 What?' : ehlo(state)
    case 'HELO':
      return '250 mx.test'
    case 'STARTTLS':
      return options.tls && !connection.tls ? '220 2.0.0 Go ahead' : '502 5.5.1 No'
    case 'AUTH':
      return auth(argument, options)
    case 'MAIL':
      if (options.auth && !connection.authenticated) return '530 5.7.0 Authentication required'
      return hasSender ? '503 5.5.1 Nested MAIL' : '250 2.1.0 Ok'
    case 'RCPT':
      return hasSender ? '250 2.1.5 Ok' : '503 5.5.1 MAIL first'
    case 'DATA':
      return withoutRecipients(state) ?? '354 Go ahead'
    case 'BDAT':
      if (options.bdat === false) return '500 5.5.1 What?'
      return withoutRecipients(state) ?? bdat(argument)
    case 'RSET':
    case 'NOOP':
      return '250 2.0.0 Ok'
    case 'QUIT':
      return '221 2.0.0 Bye'
    default:
      return '500 5.5.1 What?'
  }
}

function ehlo({ options, connection }: SessionState): string {
  const lines = ['mx.test', ...(options.extensions ?? usualExtensions)]
  if (options.tls && !connection.tls) lines.push('STARTTLS')
  if (options.auth) lines.push(`AUTH ${(options.authMechanisms ?? ['PLAIN', 'LOGIN']).join(' ')}`)
  return lines.map((line, i) => `250${i === lines.length - 1 ? ' ' : '-'}${line}`).join('\n')
}

function auth(argument: string, { auth: credentials }: MailHostOptions): string {
  const [mechanism, response] = argument.split(' ')
  if (mechanism?.toUpperCase() === 'LOGIN') return '334 VXNlcm5hbWU6'
  const right = Buffer.from(`\0${credentials?.user}\0${credentials?.password}`).toString('base64')
  return response === right ? '235 2.7.0 Welcome' : '535 5.7.8 Wrong credentials'
}

function withoutRecipients({ hasSender, recipients }: SessionState): string | undefined {
  if (!hasSender) return '503 5.5.1 MAIL first'
  return recipients === 0 ? '554 5.5.1 No valid recipients' : undefined
}

function bdat(argument: string): string {
  return / LAST$/i.test(argument)
    ? '250 2.0.0 Ok: queued'
    : `250 2.0.0 ${Number.parseInt(argument, 10)} bytes`
}
