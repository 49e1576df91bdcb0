// Sends mail to the owners of an account when an incident has begun, and when the incident is over.

import { domainToUnicode } from 'node:url'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { incidentTitle } from '../model/incident.ts'
import { evidenceText, sentencesOf } from '../model/incident-catalogue.ts'
import { inMail, type SendServiceMail, sendToEach } from '../model/service-mail.ts'
import { listOwners } from '../store/access/people.ts'
import { reading, type Store } from '../store/database/store.ts'
import { findDomainById } from '../store/domains/domain-rows.ts'
import { incidentsToTell } from '../store/incidents/incident-facts.ts'
import { type IncidentView, incidentViewOf } from '../store/incidents/incident-reads.ts'
import { type IncidentRow, recordIncidentNotice } from '../store/incidents/incidents.ts'

/** Time after which a notice without a reachable owner is given up. */
const MAX_WAIT_MS = 3 * 86_400_000
const MAX_REPLY = 500

export interface IncidentNoticesOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Sends a mail; undefined in the playground, which sends no mail about incidents. */
  readonly send: SendServiceMail | undefined
  /** Public base URL of the dashboard, for links in mails. */
  readonly publicUrl: PublicUrl
}

/**
 * Tells the owners of each incident once, and once of its end. A mail that was sent before a crash is not sent again,
 * because each mail has the name of its incident.
 */
export class IncidentNotices {
  readonly #options: IncidentNoticesOptions

  constructor(options: IncidentNoticesOptions) {
    this.#options = options
  }

  /** Sends the pending mail. */
  async run(): Promise<void> {
    const { store } = this.#options
    for (const row of await reading(incidentsToTell(store.read))) await this.#tell(row)
  }

  async #tell(row: IncidentRow): Promise<void> {
    const { store, clock, log } = this.#options
    const now = clock.now()
    const isBeginning = row.told_at === null
    const what = isBeginning ? 'told_at' : 'end_told_at'
    const isMuted = row.muted_until !== null && Number(row.muted_until) > now
    if (!isMuted && !(await this.#send(row, isBeginning))) {
      if (now - Number(isBeginning ? row.noticed_at : row.ended_at) < MAX_WAIT_MS) return
      log.warn({ incidentId: row.id }, 'no owner could be notified of an incident')
    }
    await store.write(recordIncidentNotice, { id: row.id, what, now })
    // An incident that ended before its owners could be told needs no second mail.
    if (isBeginning && row.state === 'closed')
      await store.write(recordIncidentNotice, { id: row.id, what: 'end_told_at', now })
  }

  /** Returns false if no owner could be reached. */
  async #send(row: IncidentRow, isBeginning: boolean): Promise<boolean> {
    const { store, send, publicUrl } = this.#options
    if (send === undefined) return true
    const domain = await reading(findDomainById(store.read, row.account_id, row.domain_id))
    const view = await reading(incidentViewOf(store.read, row))
    const name = domain === undefined ? row.domain_id : domainToUnicode(domain.name)
    const title = incidentTitle(view, name)
    const link = `${publicUrl.value}/deliverability/incidents/${row.id}`
    const subject = inMail(isBeginning ? title : `Over: ${title}`)
    const text = isBeginning ? beginningText(view, title, link) : endText(view, title, link)
    const owners = await reading(listOwners(store.read, row.account_id))
    const once = `incident ${row.id} ${isBeginning ? 'opened' : 'closed'}`
    return sendToEach(send, owners, { subject, text, once })
  }
}

const time = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function beginningText(view: IncidentView, title: string, link: string): string {
  const { scope, example, evidence } = view
  const { meaning, whatToDo } = sentencesOf(view)
  const facts = [
    `Since: ${time(view.beganAt)}`,
    `Provider: ${view.provider ?? 'no single provider'}`,
    ...(scope.source_address === undefined ? [] : [`Sending address: ${scope.source_address}`]),
    ...(scope.stream === undefined ? [] : [`Stream: ${inMail(scope.stream)}`]),
    ...(scope.tag === undefined ? [] : [`Tag: ${inMail(scope.tag)}`]),
    ...(scope.key_id === undefined ? [] : [`Key: ${scope.key_id}`]),
    ...evidence.map((fact) => `Evidence: ${inMail(evidenceText(fact))}`),
    ...(example === null
      ? []
      : [
          `Example: message ${example.messageId}`,
          `Reply: ${inMail(`${example.smtpCode ?? ''} ${example.smtpResponse ?? 'none'}`.trim()).slice(0, MAX_REPLY)}`,
        ]),
  ]
  return `${[
    `${inMail(title)}.`,
    facts.join('\n'),
    `Meaning: ${inMail(meaning)}`,
    `What to do: ${whatToDo}`,
    link,
    'You get one mail for each incident, and one mail when the incident is over.',
  ].join('\n\n')}\n`
}

const endText = (view: IncidentView, title: string, link: string): string =>
  `${[
    `The incident is over: ${inMail(title)}.`,
    [
      `Since: ${time(view.beganAt)}`,
      ...(view.endedAt === null ? [] : [`Until: ${time(view.endedAt)}`]),
      `Failed attempts: ${view.failed} of ${view.attempts}`,
    ].join('\n'),
    link,
  ].join('\n\n')}\n`
