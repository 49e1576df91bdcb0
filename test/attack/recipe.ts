// The shape of a recipe for an attack, and the service that it is carried out on.

import type { Store } from '../../src/store/database/store.ts'
import type { Receiver } from '../support/crash/receiver.ts'
import type { DnsHost, DnsZone } from '../support/dns-host.ts'
import type { TestStorage } from '../support/store.ts'
import type { Tenant } from '../support/tenant.ts'

/** Number of answers of each kind to the attacker: `202`, `503`, `closed`. */
export type Answered = Readonly<Record<string, number>>

/** Upper limits of what an attack may show. */
export interface Bounds {
  readonly peakRssMiB: number
  /** From the request of another tenant to its 202. */
  readonly sendP99Ms: number
  /** From the request of another tenant to the message's arrival at its host. */
  readonly deliveryP99Ms: number
  /** Of the newest five messages, which another tenant asks for. */
  readonly readP99Ms: number
  /** Of `/healthz`, on a new connection each. */
  readonly healthP99Ms: number
}

/** A running service under attack. */
export interface Attacked {
  /** URL of its HTTP door; `/v1` follows. */
  readonly url: string
  /** URL of the metrics. */
  readonly adminUrl: string
  readonly smtpPort: number
  readonly smtpsPort: number
  readonly inboundPort: number
  readonly dataDir: string
  /** The tenant whose credentials the attacker holds. */
  readonly attacker: Tenant
  /** A second tenant of the attacker's. */
  readonly accomplice: Tenant
  /** Users of the honest tenant, whose passwords cost what the service's own cost. */
  readonly people: readonly { readonly email: string; readonly password: string }[]
  /** Its names may be changed while the attack runs. */
  readonly dns: DnsHost
  /** Takes mail for every domain that the recipe's zone does not lead elsewhere; its port is that of all mail hosts. */
  readonly sink: Receiver
  /**
   * Runs a load generator in a process of its own and resolves to what it was answered. `file` is a module of
   * `test/attack/loads/` that calls `answerAttack`; `given` has to be serializable.
   */
  load(file: string, given: object): Promise<Answered>
}

/** The store of a service that has not started, and the tenant whose it is going to be. */
export interface FilledPlace {
  readonly store: Store
  readonly storage: TestStorage
  readonly attacker: Tenant
}

/** One attack. Its name is that of its file in `test/attack/recipes/`, which exports it as `recipe`. */
export interface Recipe {
  /** The finding of a review that it repeats, such as `D2`. */
  readonly finding: string
  /** Description of the attack, one sentence. */
  readonly sentence: string
  /** Settings of the service beside the usual ones. */
  readonly settings?: Readonly<Record<string, string>>
  /** DNS records beside the usual ones; 127.0.0.1 is the sink. */
  readonly zone?: DnsZone
  /** Fills the attacker's account before the service starts. */
  readonly fill?: (place: FilledPlace) => Promise<void>
  /** Bounds other than the usual ones, where the recipe says why. */
  readonly bounds?: Partial<Bounds>
  /** Upper limits of numbers among its answers. */
  readonly limits?: Readonly<Record<string, number>>
  /** Attacks, 15 to 30 seconds long, and answers what came of it. The witness works beside it. */
  run(attacked: Attacked): Promise<Answered>
}

/** The answers of several load generators as one count. */
export async function together(...loads: readonly Promise<Answered>[]): Promise<Answered> {
  const total: Record<string, number> = {}
  for (const answered of await Promise.all(loads)) {
    for (const [answer, count] of Object.entries(answered)) total[answer] = (total[answer] ?? 0) + count
  }
  return total
}
