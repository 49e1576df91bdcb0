// Sends mail to the owners of an account about a problem of the account: once when the problem has lasted for some
// time, and once when the problem is solved.

import type { PublicUrl } from '../lib/public-url.ts'
import { inMail, type SendServiceMail, sendToEach } from '../model/service-mail.ts'
import { findOperatingAccount, listAccounts } from '../store/access/accounts.ts'
import { listOwners } from '../store/access/people.ts'
import { reading } from '../store/database/store.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'
import { readProblemFacts } from '../store/problems/problem-facts.ts'
import { noteProblems, recordNotices } from '../store/problems/problem-notices.ts'
import { HOUR_MS } from '../store/readers/message-counts.ts'
import { type AccountProblem, LOOKED_BACK_MS, problemsOf } from './account-problems.ts'
import {
  type CertificateFacts,
  type InstallationProblem,
  readInstallationProblems,
} from './installation-problems.ts'
import { eventsOfRates } from './rates.ts'

const EVERY_MS = 5 * 60_000
/** Time for which a change must last (two checks), so that an intermittent problem does not cause mail each time. */
const LASTING_MS = EVERY_MS - 10_000
const JOB = {
  name: 'problem notices',
  lease: 'tell of problems',
  leaseMs: 2 * EVERY_MS,
  everyMs: EVERY_MS,
  failure: 'owners cannot be notified of problems',
} as const

export interface ProblemNoticesOptions extends JobResources {
  readonly send: SendServiceMail
  /** Public base URL of the dashboard, for links in mails. */
  readonly publicUrl: PublicUrl
  /** Limit of stored bytes for accounts without their own limit; undefined for no limit. */
  readonly storedBytesPerAccount: number | undefined
  readonly certificate: () => CertificateFacts
}

type NotedProblem = AccountProblem | InstallationProblem

/** Returns the name of a problem within its account. */
const nameOf = ({ kind, link }: Pick<NotedProblem, 'kind' | 'link'>): string => `${kind} ${link}`

/** Checks the problems of all accounts every five minutes, on one node at a time. */
export class ProblemNotices extends SingletonJob {
  readonly #options: ProblemNoticesOptions

  constructor(options: ProblemNoticesOptions) {
    super(options, JOB)
    this.#options = options
  }

  /** Checks the problems of all accounts. */
  protected async round(): Promise<void> {
    const { store, clock, certificate } = this.#options
    const now = clock.now()
    const ofAll: readonly NotedProblem[] = await reading(
      readInstallationProblems(store.read, certificate(), now),
    )
    const operating = await reading(findOperatingAccount(store.read))
    for (const { id } of await reading(listAccounts(store.read))) {
      if (!(await this.goesOn())) return
      await this.#tell(id, id === operating?.id ? ofAll : [], now)
    }
  }

  async #tell(accountId: string, ofAll: readonly NotedProblem[], now: number): Promise<void> {
    const { store, storedBytesPerAccount } = this.#options
    const since = now - LOOKED_BACK_MS - (now % HOUR_MS)
    const facts = await reading(readProblemFacts(store.read, accountId, since, now))
    if (facts === undefined) return
    // Problems of severity `info`, such as a paused queue, are only shown in the dashboard; incidents have own mails.
    const problems = new Map(
      [...ofAll, ...problemsOf(facts, now, storedBytesPerAccount)]
        .filter(({ severity, kind }) => severity !== 'info' && kind !== 'incident')
        .map((problem) => [nameOf(problem), problem]),
    )
    const noted = await store.write(noteProblems, {
      accountId,
      problems: [...problems].map(([problem, { title }]) => ({ problem, title })),
      now,
      lastingMs: LASTING_MS,
    })
    if (noted.begun.length + noted.ended.length === 0) return
    const begun = noted.begun.map((problem) => problems.get(problem) as NotedProblem)
    // The problem of missing records is not solved when the domain is closed, because the records are still missing.
    const ended = noted.ended
      .filter(({ problem }) => !problems.has(problem.replace(/^domain_flagged /, 'domain_closed ')))
      .map(({ title }) => title)
    if (begun.length + ended.length > 0 && !(await this.#send(accountId, begun, ended))) return
    const over = noted.ended.map(({ problem }) => problem)
    const changes = { begun: new Set(noted.begun), ended: new Set(over) }
    await store.write(recordNotices, {
      ...{ accountId, begun: noted.begun, ended: over, now },
      events: eventsOfRates(facts.domains, changes, nameOf, now),
    })
  }

  /**
   * Returns false if the account has owners and none could be reached, in which case the next check tries again. The
   * operator of a platform opens accounts without owners.
   */
  async #send(accountId: string, begun: readonly NotedProblem[], ended: readonly string[]): Promise<boolean> {
    const { store, send, publicUrl } = this.#options
    const [first = ''] = [...begun.map(({ title }) => title), ...ended.map((title) => `Solved: ${title}`)]
    const more = begun.length + ended.length - 1
    const subject = inMail(more === 0 ? first : `${first}, and ${more} more`)
    const text = [
      ...begun.map(
        ({ title, what_to_do, link }) =>
          `${inMail(title)}.\n${inMail(what_to_do)}\n${publicUrl.value}${link}`,
      ),
      ...ended.map((title) => `Solved: ${inMail(title)}.`),
      'You get one mail for each problem, and one mail when the problem is solved. The home page shows all problems:\n' +
        publicUrl.value,
    ].join('\n\n')
    const owners = await reading(listOwners(store.read, accountId))
    return owners.length === 0 || sendToEach(send, owners, { subject, text: `${text}\n` })
  }
}
