// The options for opening a connection.

import { isIP } from 'node:net'
import type { DaneDemand } from '../model/tlsa.ts'
import type { Credentials } from './auth.ts'
import type { Sources } from './dial.ts'
import type { Timeouts } from './timeouts.ts'
import { guardCredentials, guardName } from './wire-guard.ts'

/** Mail host to connect to, and the options of the connection. */
export interface ConnectOptions {
  /** IP address to dial, not a host name, so that only an address that was checked before is dialled. */
  readonly address: string
  /** Further IP addresses of the same host; a connection to any of the addresses suffices. */
  readonly otherAddresses?: readonly string[] | undefined
  readonly port: number
  /** Name of the MX or relay, for SNI, the certificate and the transcript. */
  readonly hostName: string
  /** EHLO name of this client. */
  readonly heloName: string
  /** Names of this installation: a host that greets with one of these names is this installation (RFC 5321 §5.1). */
  readonly ownNames?: ReadonlySet<string> | undefined
  /** Local addresses to connect from; undefined leaves the choice to the operating system. */
  readonly sources?: Sources | undefined
  /** `opportunistic`: STARTTLS where offered (RFC 7435); `required`: STARTTLS or failure; `never`: plaintext. */
  readonly tls: 'opportunistic' | 'required' | 'never'
  /** True if the certificate must be valid for `hostName`. */
  readonly verifyCertificate?: boolean | undefined
  /** DANE requirement that the certificate of the host must satisfy. */
  readonly dane?: DaneDemand | undefined
  /** True for TLS from the first byte (RFC 8314), as relays offer on port 465; overrides `tls`. */
  readonly implicitTls?: boolean | undefined
  /** Credentials for a relay; sent only over TLS or to a loopback address. */
  readonly auth?: Credentials | undefined
  /** False to use DATA even if the host offers CHUNKING, because BDAT is known to fail at this host. */
  readonly chunking?: boolean | undefined
  /**
   * Minimum round-trip time, in milliseconds, at which a message may be sent ahead of the reply to the previous
   * message; default 5.
   */
  readonly aheadFromMs?: number | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Aborts the opening of the connection, with the error `timeout` at the current stage. */
  readonly signal?: AbortSignal | undefined
}

/** Throws a TypeError for invalid options. */
export function guardOptions(options: ConnectOptions): void {
  for (const address of [options.address, ...(options.otherAddresses ?? [])]) {
    if (isIP(address) === 0) throw new TypeError(`Not an IP address: ${JSON.stringify(address)}`)
  }
  guardName(options.hostName)
  guardName(options.heloName)
  for (const source of [options.sources?.ipv4, options.sources?.ipv6]) {
    if (source?.heloName !== undefined) guardName(source.heloName)
  }
  if (options.auth !== undefined) guardCredentials(options.auth.user, options.auth.password)
}
