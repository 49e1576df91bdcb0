// Names and addresses by which a mail host is recognised as this installation.

import { networkInterfaces } from 'node:os'
import type { SourcePool } from '../lib/route-settings.ts'

/** Names and addresses of this installation (RFC 5321 §5.1). */
export interface OwnHost {
  /** Names of this installation in MX records and greetings. */
  readonly names: ReadonlySet<string>
  /** IP addresses at which this node accepts mail on the port of mail hosts (`mxPort`). */
  readonly addresses: ReadonlySet<string>
}

export interface OwnHostOptions {
  readonly hostname: string
  readonly returnPathHost: string
  readonly sourceAddresses: readonly SourcePool[]
  /** Address and port at which this node accepts mail for the installation; undefined if the node accepts no mail. */
  readonly inbound: { readonly host: string; readonly port: number } | undefined
  readonly mxPort: number
}

/**
 * Reads the names and addresses of this installation from the settings, and adds the addresses of all network
 * interfaces if the node listens on all interfaces.
 */
export const ownHostOf = (options: OwnHostOptions): OwnHost => ({
  names: namesOf(options),
  addresses: addressesOf(options),
})

/**
 * Returns the names of this installation. Names without a dot are left out, because every machine has such a name
 * (localhost).
 */
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
