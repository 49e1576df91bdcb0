// Replaces the DKIM keys of domains by the calendar, on one node at a time: makes new keys when they are due, tells the
// owners, switches once the records of the new keys have been found for a day, and retires the old keys.

import { domainToUnicode } from 'node:url'
import type { Resolver } from '../dns/resolver.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { dayOf } from '../lib/rfc3339.ts'
import { KEY_KEPT_MS, switchesAt } from '../model/domain.ts'
import { type SendServiceMail, sendToEach } from '../model/service-mail.ts'
import { listOwners } from '../store/access/people.ts'
import { reading } from '../store/database/store.ts'
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
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import { makeNextKeys } from './dkim-rotation.ts'
import { verifyDomain } from './domains.ts'

const JOB = {
  name: 'rotation of DKIM keys',
  lease: 'rotate DKIM keys',
  leaseMs: 10 * 60_000,
  everyMs: 10 * 60_000,
  firstMs: 30_000,
  failure: 'DKIM keys cannot be rotated',
} as const
/** Interval of the lookups of the records of new keys. */
const LOOK_EVERY_MS = 3_600_000
const AT_ONCE = 4
const MAX_NOTICES = 200
/** Time after which a notice without a reachable owner is given up. */
const MAX_WAIT_MS = 3 * 86_400_000

export interface KeyRotationOptions extends JobResources {
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
export class KeyRotation extends SingletonJob {
  readonly #options: KeyRotationOptions

  constructor(options: KeyRotationOptions) {
    super(options, JOB)
    this.#options = options
  }

  /** Makes the steps that are due, and sends the pending mail. */
  protected async round(): Promise<void> {
    const { store, clock } = this.#options
    await this.#inRotation('retiring', (domain) =>
      store.write(retireKeys, { domain, isScheduled: true, now: clock.now() }),
    )
    await this.#inRotation('next', (domain) => this.#trySwitch(domain))
    await this.#makeKeys()
    await this.#tell()
  }

  async #makeKeys(): Promise<void> {
    const { store, clock } = this.#options
    const seen = new Set<string>()
    while (await this.goesOn()) {
      const due = await reading(listDomainsToRotate(store.read, clock.now(), AT_ONCE + seen.size))
      const domains = due.filter(({ id }) => !seen.has(id)).slice(0, AT_ONCE)
      if (domains.length === 0) return
      for (const domain of domains) seen.add(domain.id)
      await this.#carryOut(domains, (domain) => makeNextKeys(this.#options, domain, true))
    }
  }

  /** Carries out a step for all domains with an interval whose keys are in a state. */
  async #inRotation(
    state: 'next' | 'retiring',
    step: (domain: Domain) => Promise<RotationStep>,
  ): Promise<void> {
    const { store } = this.#options
    let after = ''
    while (await this.goesOn()) {
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
      : (await verifyDomain(this.#options, resolver(), domain)).records
    const at = switchesAt(records)
    // A record that the last lookup did not see is no reason to switch.
    if (at === null || at > now || isUnclear(records)) return 'early'
    return store.write(switchKeys, { domain, isScheduled: true, now })
  }

  async #tell(): Promise<void> {
    const { store, clock, log } = this.#options
    if (!(await this.goesOn())) return
    for (const notice of await reading(pendingDkimNotices(store.read, MAX_NOTICES))) {
      if (!(await this.goesOn())) return
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
    const owners = await reading(listOwners(store.read, accountId))
    return sendToEach(send, owners, { ...mail, once: `dkim notice ${notice.keyId} ${notice.notice}` })
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
