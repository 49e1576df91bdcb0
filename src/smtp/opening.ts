// Opens a connection up to the point where the host is ready for MAIL: greeting, EHLO, TLS and authentication.

import { isIPv4 } from 'node:net'
import { authenticate } from './auth.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { Extensions } from './extensions.ts'
import { awaitGreeting, sayHello } from './greeting.ts'
import type { StageFailure } from './stage.ts'
import type { Timeouts } from './timeouts.ts'
import { encrypt, startTls, type TlsState } from './tls.ts'
import type { Wire } from './wire.ts'

/** Runs greeting, EHLO, TLS and authentication, in that order. */
export async function open(
  wire: Wire,
  options: ConnectOptions,
  timeouts: Timeouts,
): Promise<{ extensions: Extensions; tls: TlsState | undefined } | StageFailure> {
  const tlsOptions = {
    hostName: options.hostName,
    verify: options.verifyCertificate ?? false,
    dane: options.dane,
    replyMs: timeouts.starttls,
    handshakeMs: timeouts.handshake,
  }
  let tls: TlsState | undefined
  if (options.implicitTls) {
    const encrypted = await encrypt(wire, tlsOptions)
    if ('error' in encrypted) return { stage: 'connect', error: encrypted.error }
    tls = encrypted.state
  }
  const refused = await awaitGreeting(wire, options.ownNames, timeouts)
  if (refused !== undefined) return refused
  let extensions = await sayHello(wire, options, timeouts)
  if ('stage' in extensions) return extensions
  if (tls === undefined && options.tls !== 'never') {
    const started = extensions.startTls ? await startTls(wire, tlsOptions) : undefined
    if (started !== undefined && 'state' in started) {
      tls = started.state
      // The extensions that the host announced in plaintext are discarded after STARTTLS (RFC 3207 §4.2).
      extensions = await sayHello(wire, options, timeouts)
      if ('stage' in extensions) return extensions
    } else if (options.tls === 'required' || started?.declined === false) {
      return (
        started?.failure ?? {
          stage: 'starttls',
          error: { code: 'no-tls', message: 'STARTTLS is not offered' },
        }
      )
    }
  }
  const failure = await login(wire, options, extensions, tls, timeouts)
  return failure ?? { extensions, tls }
}

async function login(
  wire: Wire,
  options: ConnectOptions,
  extensions: Extensions,
  tls: TlsState | undefined,
  timeouts: Timeouts,
): Promise<StageFailure | undefined> {
  if (options.auth === undefined) return undefined
  if (tls === undefined && !isLoopback(options.address)) {
    return { stage: 'auth', error: { code: 'no-tls', message: 'No password is sent without TLS' } }
  }
  return authenticate(wire, options.auth, extensions.authMechanisms, timeouts.auth)
}

function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : address === '::1'
}
