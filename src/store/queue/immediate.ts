// Immediate delivery: the commit that accepts a message also leases the message to the node that has reserved slots.

import type { Lease } from '../../model/lease.ts'
import { pauseOf } from '../../model/triage.ts'
import type { Database } from '../database/dialect.ts'
import { listQuery } from '../database/rows.ts'
import type { SealedText } from '../database/secrets.ts'
import { together } from '../database/together.ts'
import { listPaused } from './pauses.ts'

/** An accepted message that a node holds under a lease, with the data of the sending domain that an attempt needs. */
export interface Immediate {
  /** Positions of the recipients that are not suppressed. */
  readonly positions: readonly number[]
  readonly domainName: string
  readonly relayUrl: SealedText | null
}

/** Properties of a message that determine whether immediate delivery is possible. */
interface Accepting {
  readonly message: { readonly domain_id: string; readonly stream: string }
  readonly recipients: readonly { readonly destination: string }[]
  readonly lease?: Lease | undefined
}

type SendingDomain = Pick<Immediate, 'domainName' | 'relayUrl'>

/**
 * Finds the leased messages that no pause holds; returns these messages with the data of the sending domain that an
 * attempt needs. All other messages wait in the queue until a node claims them.
 */
export async function findImmediate(
  db: Database,
  items: readonly Accepting[],
): Promise<ReadonlyMap<Accepting, SendingDomain>> {
  const wanted = items.filter(({ lease }) => lease !== undefined)
  if (wanted.length === 0) return new Map()
  const [domains, paused] = await together(
    findSendingDomains(db, new Set(wanted.map(({ message }) => message.domain_id))),
    listPaused(db),
  )
  return new Map(
    wanted.flatMap((item) => {
      const { domain_id, stream } = item.message
      const domain = domains.get(domain_id)
      if (domain === undefined) return []
      const { domainName } = domain
      const held = item.recipients.some(
        ({ destination }) => pauseOf({ destination, stream, domainName }, paused) !== undefined,
      )
      return held ? [] : [[item, domain] as const]
    }),
  )
}

/** Returns the data of sending domains that an attempt needs, by domain ID; omits deleted domains. */
export async function findSendingDomains(
  db: Database,
  ids: ReadonlySet<string>,
): Promise<Map<string, SendingDomain>> {
  const { rows } = await db.executeQuery<SendingDomain & { id: string }>(
    listQuery(db, SENDING_DOMAINS, [...ids]),
  )
  return new Map(rows.map(({ id, domainName, relayUrl }) => [id, { domainName, relayUrl }]))
}

const SENDING_DOMAINS =
  'select domains.id, domains.name as "domainName", domain_relays.url as "relayUrl" ' +
  'from domains left join domain_relays on domain_relays.domain_id = domains.id ' +
  'where domains.deleted_at is null and domains.id'
