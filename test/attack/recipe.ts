// Types of attack recipes and of the service under attack.

import type { Store } from '../../src/store/database/store.ts'
import type { Receiver } from '../support/crash/receiver.ts'
import type { DnsHost, DnsZone } from '../support/dns-host.ts'
import type { TestStorage } from '../support/store.ts'
import type { Tenant } from '../support/tenant.ts'

/** Number of responses that the attacker received, by kind, such as `202`, `503` or `closed`. */
export type Answered = Readonly<Record<string, number>>

/** Upper limits of the measured effects of an attack. */
export interface Bounds {
  readonly peakRssMiB: number
  /** Time from a send request of another tenant to the response with status 202. */
  readonly sendP99Ms: number
  /** Time from a send request of another tenant to the arrival of the message at the recipient's mail host. */
  readonly deliveryP99Ms: number
  /** Response time of another tenant's request for its five newest messages. */
  readonly readP99Ms: number
  /** Response time of a `/healthz` request on a new connection. */
  readonly healthP99Ms: number
}

/** A running service under attack. */
export interface Attacked {
  /** Base URL of the HTTP listener, without `/v1`. */
  readonly url: string
  /** Base URL of the admin listener, which serves the metrics. */
  readonly adminUrl: string
  readonly smtpPort: number
  readonly smtpsPort: number
  readonly inboundPort: number
  readonly dataDir: string
  /** Tenant whose credentials the attacker uses. */
  readonly attacker: Tenant
  /** Second tenant whose credentials the attacker uses. */
  readonly accomplice: Tenant
  /** Users of the honest tenant; their password hashes have the same cost as in production. */
  readonly people: readonly { readonly email: string; readonly password: string }[]
  /** DNS server whose records the recipe may change during the attack. */
  readonly dns: DnsHost
  /**
   * Mail host that accepts mail for every domain without another MX record in the recipe's zone. All mail hosts listen
   * on the port of the sink.
   */
  readonly sink: Receiver
  /**
   * Runs a load generator in a child process; resolves to the counts of its responses. `file` is a module of
   * `test/attack/loads/` that calls `answerAttack`; `given` must be serializable.
   */
  load(file: string, given: object): Promise<Answered>
}

/** Store of a service that has not been started yet, and the attacker's tenant in this store. */
export interface FilledPlace {
  readonly store: Store
  readonly storage: TestStorage
  readonly attacker: Tenant
}

/** Definition of one attack; `test/attack/recipes/<name>.ts` exports its definition as `recipe`. */
export interface Recipe {
  /** Description of the attack in one sentence. */
  readonly sentence: string
  /** Settings of the attacked service, in addition to the usual settings. */
  readonly settings?: Readonly<Record<string, string>>
  /** DNS records in addition to the usual records; 127.0.0.1 is the address of the sink. */
  readonly zone?: DnsZone
  /** Fills the attacker's account before the service starts. */
  readonly fill?: (place: FilledPlace) => Promise<void>
  /** Bounds that replace the usual bounds; the recipe explains the reason. */
  readonly bounds?: Partial<Bounds>
  /** Upper limits for some of the counts that the load generators return. */
  readonly limits?: Readonly<Record<string, number>>
  /** Attacks for 15 to 30 seconds while the witness works; returns the counts of the attacker's responses. */
  run(attacked: Attacked): Promise<Answered>
}

/** Adds up the counts of several load generators. */
export async function together(...loads: readonly Promise<Answered>[]): Promise<Answered> {
  const total: Record<string, number> = {}
  for (const answered of await Promise.all(loads)) {
    for (const [answer, count] of Object.entries(answered)) total[answer] = (total[answer] ?? 0) + count
  }
  return total
}
