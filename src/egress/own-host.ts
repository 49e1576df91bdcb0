// The names and addresses by which other hosts would be this installation itself.

import { networkInterfaces } from 'node:os'
import type { SourcePool } from '../lib/route-settings.ts'

/** Marks by which a mail host is recognized as ourselves (RFC 5321 §5.1). */
export interface OwnHost {
  /** Names of ours, in MX records and in greetings. */
  readonly names: ReadonlySet<string>
  /** Addresses at which this node takes mail on the port of mail hosts. */
  readonly addresses: ReadonlySet<string>
}

export interface OwnHostOptions {
  readonly hostname: string
  readonly returnPathHost: string
  readonly sourceAddresses: readonly SourcePool[]
  /** Address at which this node takes mail for the installation itself, if it does. */
  readonly inbound: { readonly host: string; readonly port: number } | undefined
  readonly mxPort: number
}

/** Reads them from the settings, and from the machine's interfaces where the node listens on all of them. */
export const ownHostOf = (options: OwnHostOptions): OwnHost => ({
  names: namesOf(options),
  addresses: addressesOf(options),
})

/** A name without a dot, such as localhost, is every machine's. */
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
