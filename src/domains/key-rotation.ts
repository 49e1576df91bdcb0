// Replaces the DKIM keys of domains by the calendar, on one node at a time: makes new keys when they are due, tells the
// owners, switches once the records of the new keys have been found for a day, and retires the old keys.

import { domainToUnicode } from 'node:url'
import type { Resolver } from '../dns/resolver.ts'
import type { Clock } from '../lib/clock.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { Periodic } from '../lib/periodic.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { dayOf } from '../lib/rfc3339.ts'
import { KEY_KEPT_MS, switchesAt } from '../model/domain.ts'
import type { SendServiceMail } from '../model/service-mail.ts'
import { listPeople } from '../store/access/people.ts'
import { reading, type Store } from '../store/database/store.ts'
import { type Domain, type DomainRecord, listDomainRecords } from '../store/domains/domain-rows.ts'
import {
  listDomainsInRotation,
  listDomainsToRotate,
  type PendingDkimNotice,
  pendingDkimNotices,
  type RotationStep,
  recordDkimNotice,
  retireKeys,
  switchKeys,
} from '../store/domains/key-rotation.ts'
import type { NodeName } from '../store/node/node-identity.ts'
import { SingletonJob } from '../store/node/singleton-jobs.ts'
import { makeNextKeys } from './dkim-rotation.ts'
import { type DomainResources, verifyDomain } from './domains.ts'

const EVERY_MS = 10 * 60_000
const FIRST_MS = 30_000
const JOB_LEASE_MS = 10 * 60_000
/** Interval of the lookups of the records of new keys. */
const LOOK_EVERY_MS = 3_600_000
const AT_ONCE = 4
const MAX_NOTICES = 200
/** Time after which a notice without a reachable owner is given up. */
const MAX_WAIT_MS = 3 * 86_400_000

export interface KeyRotationOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly node: NodeName
  /** Returns a new DNS resolver without a cache; called for each domain. */
  readonly resolver: () => Resolver
  /** Sends a mail; undefined in the playground, which sends no mail about keys. */
  readonly send: SendServiceMail | undefined
  /** Public base URL of the dashboard, for links in mails. */
  readonly publicUrl: PublicUrl
}

/**
 * Makes the steps of all rotations by the calendar that are due. Each step checks its condition again in its commit, so
 * that a user, another node or a restart neither skips nor repeats a step.
 */
export class KeyRotation implements Part {
  readonly name = 'rotation of DKIM keys'
  readonly #options: KeyRotationOptions
  readonly #resources: DomainResources
  readonly #job: SingletonJob
  readonly #periodic: Periodic

  constructor(options: KeyRotationOptions) {
    const { store, clock, log, node } = options
    this.#options = options
    this.#resources = { store, clock }
    this.#job = new SingletonJob({ store, clock, node, name: 'rotate DKIM keys', leaseMs: JOB_LEASE_MS })
    this.#periodic = new Periodic({
      ...{ name: this.name, clock, log, everyMs: EVERY_MS, firstMs: FIRST_MS },
      failure: 'DKIM keys cannot be rotated',
      step: () => this.run(),
    })
  }

  start(): void {
    this.#periodic.start()
  }

  stop(): Promise<void> {
    return this.#periodic.stop()
  }

  /** Makes the steps that are due, and sends the pending mail. */
  async run(): Promise<void> {
    const { store, clock } = this.#options
    if (!(await this.#mayGoOn())) return
    await this.#inRotation('retiring', (domain) =>
      store.write(retireKeys, { domain, isScheduled: true, now: clock.now() }),
    )
    await this.#inRotation('next', (domain) => this.#trySwitch(domain))
    await this.#makeKeys()
    await this.#tell()
  }

  /** Returns true while this node may go on. */
  async #mayGoOn(): Promise<boolean> {
    return !this.#periodic.stopping.aborted && (await this.#job.hold())
  }

  async #makeKeys(): Promise<void> {
    const { store, clock } = this.#options
    const seen = new Set<string>()
    while (await this.#mayGoOn()) {
      const due = await reading(listDomainsToRotate(store.read, clock.now(), AT_ONCE + seen.size))
      const domains = due.filter(({ id }) => !seen.has(id)).slice(0, AT_ONCE)
      if (domains.length === 0) return
      for (const domain of domains) seen.add(domain.id)
      await this.#carryOut(domains, (domain) => makeNextKeys(this.#resources, domain, true))
    }
  }

  /** Carries out a step for all domains with an interval whose keys are in a state. */
  async #inRotation(
    state: 'next' | 'retiring',
    step: (domain: Domain) => Promise<RotationStep>,
  ): Promise<void> {
    const { store } = this.#options
    let after = ''
    while (await this.#mayGoOn()) {
      const domains = await reading(listDomainsInRotation(store.read, state, after, AT_ONCE))
      after = domains.at(-1)?.id ?? ''
      if (after === '') return
      await this.#carryOut(domains, step)
    }
  }

  async #carryOut(
    domains: readonly Domain[],
    step: (domain: Domain) => Promise<RotationStep>,
  ): Promise<void> {
    const { log } = this.#options
    await Promise.all(
      domains.map(async (domain) => {
        try {
          if ((await step(domain)) === 'done') log.info({ domain: domain.name }, 'a DKIM key was rotated')
        } catch (error) {
          log.warn({ err: error, domain: domain.name }, 'a DKIM key could not be rotated')
        }
      }),
    )
  }

  /**
   * Looks up the records of a domain if nobody did in the last hour, and switches if its new records have been found for
   * a day.
   */
  async #trySwitch(domain: Domain): Promise<RotationStep> {
    const { store, clock, resolver } = this.#options
    const now = clock.now()
    const { id, account_id: accountId, checked_at: checkedAt } = domain
    // The absolute difference is used, so that setting back the clock does not delay the next lookup.
    const isRecent = checkedAt !== null && Math.abs(now - checkedAt) < LOOK_EVERY_MS
    const records = isRecent
      ? await reading(listDomainRecords(store.read, accountId, id))
      : (await verifyDomain(this.#resources, resolver(), domain)).records
    const at = switchesAt(records)
    // A record that the last lookup did not see is no reason to switch.
    if (at === null || at > now || isUnclear(records)) return 'early'
    return store.write(switchKeys, { domain, isScheduled: true, now })
  }

  async #tell(): Promise<void> {
    const { store, clock, log } = this.#options
    if (!(await this.#mayGoOn())) return
    for (const notice of await reading(pendingDkimNotices(store.read, MAX_NOTICES))) {
      if (!(await this.#mayGoOn())) return
      if (!(await this.#send(notice))) {
        if (clock.now() - notice.at < MAX_WAIT_MS) continue
        log.warn({ domain: notice.domain.name }, 'no owner could be notified of DKIM keys')
      }
      await store.write(recordDkimNotice, notice)
    }
  }

  /**
   * Returns false if no owner could be reached. A mail that was sent before a crash is not sent again, because each mail
   * has the name of its notice.
   */
  async #send(notice: PendingDkimNotice): Promise<boolean> {
    const { store, send, publicUrl } = this.#options
    if (send === undefined) return true
    const { id, account_id: accountId } = notice.domain
    const records = await reading(listDomainRecords(store.read, accountId, id))
    const mail = mailOf(notice, records, `${publicUrl.value}/domains/${id}/dns`)
    const people = await reading(listPeople(store.read, accountId))
    const owners = people.filter(({ role }) => role === 'owner')
    const once = `dkim notice ${notice.keyId} ${notice.notice}`
    const sent = await Promise.all(owners.map(({ email }) => send({ to: email, ...mail, once })))
    return sent.includes(true)
  }
}

/** True if a record of a new key was found before, and the DNS did not answer at the last lookup. */
const isUnclear = (records: readonly DomainRecord[]): boolean =>
  records.some(({ purpose, note }) => purpose.endsWith('_next') && note === 'unanswered')

/** Returns the subject and the text of the mail about a notice. */
function mailOf(
  { notice, at, domain }: PendingDkimNotice,
  records: readonly DomainRecord[],
  link: string,
): { readonly subject: string; readonly text: string } {
  const name = domainToUnicode(domain.name)
  const ending = (end: string) => records.filter(({ purpose }) => purpose.endsWith(end))
  const isDue = notice === 'due'
  const subject = isDue
    ? `New DKIM keys of ${name} wait for their DNS records`
    : `Mail of ${name} is signed with new DKIM keys`
  const paragraphs = isDue
    ? [
        ...ending('_next').map((record) => `${record.type} record ${record.name}\n${record.value}`),
        'Publish these records in addition to the present records, which stay as they are.',
        'Mail is signed with the new keys when the records have been found for a day. Until then the present keys sign.',
      ]
    : [
        `Keep the records of the old keys until ${dayOf(at + KEY_KEPT_MS)}, because mail in transit carries their signatures. Then remove these records:`,
        ending('_old')
          .map((record) => record.name)
          .join('\n'),
      ]
  return { subject, text: `${[`${subject}.`, ...paragraphs, link].join('\n\n')}\n` }
}
