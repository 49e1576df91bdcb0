// Types of an attack recipe and of the service under attack.

import type { Store } from '../../src/store/database/store.ts'
import type { Receiver } from '../support/crash/receiver.ts'
import type { DnsHost, DnsZone } from '../support/dns-host.ts'
import type { TestStorage } from '../support/store.ts'
import type { Tenant } from '../support/tenant.ts'

/** Number of the attacker's answers by kind: `202`, `503`, `closed`. */
export type Answered = Readonly<Record<string, number>>

/** Upper limits of the measured effects of an attack. */
export interface Bounds {
  readonly peakRssMiB: number
  /** Time from another tenant's request to its 202. */
  readonly sendP99Ms: number
  /** Time from another tenant's request to the message's arrival at the recipient host. */
  readonly deliveryP99Ms: number
  /** Time in which another tenant reads the newest five messages. */
  readonly readP99Ms: number
  /** Time of a `/healthz` request on a new connection. */
  readonly healthP99Ms: number
}

/** A running service under attack. */
export interface Attacked {
  /** Base URL of the HTTP listener, without `/v1`. */
  readonly url: string
  /** URL of the metrics. */
  readonly adminUrl: string
  readonly smtpPort: number
  readonly smtpsPort: number
  readonly inboundPort: number
  readonly dataDir: string
  /** Tenant whose credentials the attacker holds. */
  readonly attacker: Tenant
  /** Second tenant of the attacker. */
  readonly accomplice: Tenant
  /** Users of the honest tenant. Their password hashes have the production cost. */
  readonly people: readonly { readonly email: string; readonly password: string }[]
  /** Name server whose records the recipe may change during the attack. */
  readonly dns: DnsHost
  /**
   * Accepts mail for every domain that the recipe's zone does not direct to another host; all mail hosts use this
   * port.
   */
  readonly sink: Receiver
  /**
   * Runs a load generator in a child process and resolves to its counted answers. `file` is a module of
   * `test/attack/loads/` that calls `answerAttack`; `given` has to be serializable.
   */
  load(file: string, given: object): Promise<Answered>
}

/** The store of a service that has not started yet, and the attacker's tenant. */
export interface FilledPlace {
  readonly store: Store
  readonly storage: TestStorage
  readonly attacker: Tenant
}

/** One attack. `test/attack/recipes/<name>.ts` exports it as `recipe`. */
export interface Recipe {
  /** Review finding that the attack repeats, such as `D2`. */
  readonly finding: string
  /** Description of the attack in one sentence. */
  readonly sentence: string
  /** Settings of the service in addition to the usual ones. */
  readonly settings?: Readonly<Record<string, string>>
  /** DNS records in addition to the usual ones; 127.0.0.1 is the sink. */
  readonly zone?: DnsZone
  /** Fills the attacker's account before the service starts. */
  readonly fill?: (place: FilledPlace) => Promise<void>
  /** Bounds that replace the usual ones; the recipe gives the reason. */
  readonly bounds?: Partial<Bounds>
  /** Upper limits of counts among the attacker's answers. */
  readonly limits?: Readonly<Record<string, number>>
  /** Attacks for 15 to 30 seconds while the witness works; returns the counted answers. */
  run(attacked: Attacked): Promise<Answered>
}

/** Adds the counts of several load generators. */
export async function together(...loads: readonly Promise<Answered>[]): Promise<Answered> {
  const total: Record<string, number> = {}
  for (const answered of await Promise.all(loads)) {
    for (const [answer, count] of Object.entries(answered)) total[answer] = (total[answer] ?? 0) + count
  }
  return total
}
