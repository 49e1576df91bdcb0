// The names and addresses by which other hosts are recognised as this installation.

import { networkInterfaces } from 'node:os'
import type { SourcePool } from '../lib/route-settings.ts'

/** Names and addresses of this installation (RFC 5321 §5.1). */
export interface OwnHost {
  /** Names of this installation in MX records and greetings. */
  readonly names: ReadonlySet<string>
  /** Addresses at which this node accepts mail on the port of mail hosts. */
  readonly addresses: ReadonlySet<string>
}

export interface OwnHostOptions {
  readonly hostname: string
  readonly returnPathHost: string
  readonly sourceAddresses: readonly SourcePool[]
  /** Address at which this node accepts mail for the installation, if it does. */
  readonly inbound: { readonly host: string; readonly port: number } | undefined
  readonly mxPort: number
}

/**
 * Reads the names and addresses from the settings, and from the network interfaces if the node listens on all of
 * them.
 */
export const ownHostOf = (options: OwnHostOptions): OwnHost => ({
  names: namesOf(options),
  addresses: addressesOf(options),
})

/** Names without a dot, such as localhost, are left out: every machine has them. */
function namesOf({ hostname, returnPathHost, sourceAddresses }: OwnHostOptions): ReadonlySet<string> {
  const helos = sourceAddresses.flatMap((pool) => pool.addresses.map((source) => source.heloName))
  const names = [hostname, returnPathHost, ...helos].filter((name) => name?.includes('.'))
  return new Set(names as string[])
}

function addressesOf({ inbound, mxPort }: OwnHostOptions): ReadonlySet<string> {
  if (inbound === undefined || inbound.port !== mxPort) return new Set()
  if (inbound.host !== '0.0.0.0' && inbound.host !== '::') return new Set([inbound.host])
  return new Set(Object.values(networkInterfaces()).flatMap((list) => list?.map((one) => one.address) ?? []))
}
