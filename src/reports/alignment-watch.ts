// Opens an incident when mail of this service or of a known source begins to fail authentication in the reports of
// receivers, and closes the incident when the mail passes again.

import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { dayOf } from '../lib/rfc3339.ts'
import type { IncidentEvidence } from '../model/incident.ts'
import type { Store } from '../store/database/store.ts'
import { listIncidents } from '../store/incidents/incident-reads.ts'
import { closeIncident, type NewIncident, openIncident } from '../store/incidents/incidents.ts'
import type { Owner } from '../store/messages/owner.ts'
import { type AuthenticationRow, readAuthentication } from './authentication-view.ts'
import type { Failing } from './failing.ts'

export interface AlignmentWatchOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Own IP addresses of the settings. */
  readonly ownAddresses: readonly string[]
}

const DAY_MS = 86_400_000
/** Number of days that are looked at, and age in days at which reports no longer tell about the present. */
const LOOKED_BACK = 35
const MAX_AGE = 10
const MAX_OPEN = 100

/** Providers, as in statistics, by the names that their reports have. */
const PROVIDERS: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/^google/i, 'Gmail'],
  [/^yahoo/i, 'Yahoo'],
  [/^enterprise outlook/i, 'Microsoft 365'],
  [/^outlook/i, 'Outlook.com'],
]

/** Looks at the reports of a domain after each new report. */
export class AlignmentWatch {
  readonly #options: AlignmentWatchOptions
  /** Domains that are being looked at; true if another report has come meanwhile. */
  readonly #looking = new Map<string, boolean>()

  constructor(options: AlignmentWatchOptions) {
    this.#options = options
  }

  /** Looks at the reports of a domain; looks again afterwards if the domain is being looked at. Never rejects. */
  async look(owner: Owner): Promise<void> {
    const { domainId } = owner
    if (this.#looking.has(domainId)) {
      this.#looking.set(domainId, true)
      return
    }
    try {
      do {
        this.#looking.set(domainId, false)
        await this.#lookOnce(owner)
      } while (this.#looking.get(domainId))
    } catch (error) {
      this.#options.log.warn(
        { err: error, domain_id: domainId },
        'reports were not compared with earlier days',
      )
    } finally {
      this.#looking.delete(domainId)
    }
  }

  async #lookOnce(owner: Owner): Promise<void> {
    const { store, clock, ownAddresses } = this.#options
    const now = clock.now()
    const [from, to] = [dayOf(now - LOOKED_BACK * DAY_MS), dayOf(now)]
    const usedSince = now - LOOKED_BACK * DAY_MS
    const groupBy = ['source'] as const
    const { rows } = await readAuthentication(store.read, {
      owner,
      from,
      to,
      groupBy,
      ownAddresses,
      usedSince,
    })
    const present = rows.filter(({ lastSeen }) => lastSeen >= dayOf(now - MAX_AGE * DAY_MS))
    const found = present.flatMap((row) => incidentOf(owner, row, now))
    for (const incident of found) await store.write(openIncident, incident)
    const names = new Set(found.map(({ name }) => name))
    const open = await listIncidents(store.read, [owner.domainId], { states: ['open'] }, { limit: MAX_OPEN })
    for (const { name, cause } of open) {
      if (cause !== 'alignment' || names.has(name)) continue
      await store.write(closeIncident, { domainId: owner.domainId, name, endedAt: now, now })
    }
  }
}

function incidentOf(owner: Owner, { source, failing }: AuthenticationRow, now: number): NewIncident[] {
  if (source === null || failing === undefined) return []
  const [address, ...others] = failing.addresses
  const [receiver = '', ...receivers] = failing.receivers
  const provider = PROVIDERS.find(([pattern]) => pattern.test(receiver))?.[1] ?? null
  return [
    {
      ...owner,
      name: `alignment ${source.sourceId} ${failing.mechanism}`,
      ...{ cause: 'alignment', code: failing.mechanism, now },
      provider: receivers.length === 0 ? provider : null,
      scope: address !== undefined && others.length === 0 ? { source_address: address } : {},
      beganAt: Date.parse(failing.since),
      ...{ attempts: failing.messages, failed: failing.failed },
      usualShare: failing.usualShare === null ? null : 1 - failing.usualShare,
      ...(source.kind === 'ours' || source.kind === 'known'
        ? {
            words: {
              wording: `alignment_${source.kind}_${failing.mechanism}` as const,
              values: { source: source.name },
            },
          }
        : {}),
      evidence: evidenceOf(failing),
    },
  ]
}

const MAX_NAMES = 5

const evidenceOf = ({
  addresses,
  receivers,
  since,
  failed,
  messages,
}: Failing): readonly IncidentEvidence[] => [
  {
    wording: 'report',
    values: {
      ...{ since, failed, messages, addresses: addresses.slice(0, MAX_NAMES).join(', ') },
      receivers: receivers.slice(0, MAX_NAMES).join(', '),
    },
    link: null,
  },
]
