// Options of opening a connection.

import { isIP } from 'node:net'
import type { DaneDemand } from '../model/tlsa.ts'
import type { Credentials } from './auth.ts'
import type { Sources } from './dial.ts'
import type { Timeouts } from './timeouts.ts'
import { guardCredentials, guardName } from './wire-guard.ts'

/** Host to connect to, and the manner. */
export interface ConnectOptions {
  /** An IP address: the one that was checked is the one that is dialled. */
  readonly address: string
  /** Further addresses of the same host, any of which will do. */
  readonly otherAddresses?: readonly string[] | undefined
  readonly port: number
  /** The name of the MX or relay, for SNI, the certificate, and people. */
  readonly hostName: string
  /** Our name in EHLO. */
  readonly heloName: string
  /** Names of ours: a host that greets by one of them is ourselves (RFC 5321 §5.1). */
  readonly ownNames?: ReadonlySet<string> | undefined
  /** The addresses of ours to connect from; the system chooses when absent. */
  readonly sources?: Sources | undefined
  /** `opportunistic`: STARTTLS where it is offered (RFC 7435); `required`: or fail; `never`: plaintext. */
  readonly tls: 'opportunistic' | 'required' | 'never'
  /** The certificate must be valid for `hostName`. */
  readonly verifyCertificate?: boolean | undefined
  /** The certificate must be one of these. */
  readonly dane?: DaneDemand | undefined
  /** TLS from the first byte (RFC 8314), as relays have it on port 465; goes before `tls`. */
  readonly implicitTls?: boolean | undefined
  /** For a relay; given away only over TLS or to a loopback address. */
  readonly auth?: Credentials | undefined
  /** False: DATA even where CHUNKING is offered, for a host whose BDAT is known not to work. */
  readonly chunking?: boolean | undefined
  /** From which round trip on, in milliseconds, a message may go ahead of the answer to another; 5 unless told. */
  readonly aheadFromMs?: number | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Ends the opening, with the error `timeout` at the stage it has come to. */
  readonly signal?: AbortSignal | undefined
}

/** Throws a TypeError for options that cannot be meant. */
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
