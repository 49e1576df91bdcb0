// postrider deliverability: shows the deliverability of mail by provider, and incidents; mutes an incident.

import type { DeliverabilityView, IncidentView } from '../api/contract/incident.ts'
import { pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { withApi } from './open.ts'
import { fields, table } from './text.ts'
import { shortDate } from './times.ts'

interface Given {
  readonly domain: string | undefined
  readonly account: string | undefined
}

const percent = (share: number | null): string =>
  share === null ? 'not known' : `${(share * 100).toFixed(2)} %`

const STATES = { incident: 'incident', too_few: 'too few to tell', no_incident: 'no incident' } as const

/** Shows the figures of the providers in the last seven days, and the open incidents. */
export function show(
  context: Context,
  { account, ...query }: Given & { readonly stream: string | undefined },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const found = await api.get<DeliverabilityView>('/v1/deliverability', query)
    const rows = found.providers.map((one) => [
      one.provider ?? 'other hosts',
      one.accepted,
      one.delivered,
      one.deferred,
      one.bounced,
      percent(one.complaint_share),
      percent(one.tls_share),
      STATES[one.state],
    ])
    const head = ['provider', 'accepted', 'delivered', 'deferred', 'bounced', 'complaints', 'TLS', 'state']
    const text = [table(head, rows, 'No mail was sent in this period.'), incidentTable(found.data)]
    return { document: found, text: text.join('\n\n') }
  })
}

const incidentTable = (incidents: readonly IncidentView[]): string =>
  table(
    ['incident', 'state', 'since', 'title'],
    incidents.map((one) => [one.incident_id, one.state, shortDate(one.began_at), one.title]),
    'There is no open incident.',
  )

/** Shows an incident with its evidence, its meaning and the advice. */
export function incident(
  context: Context,
  { incident: id, account }: { readonly incident: string; readonly account: string | undefined },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const one = await api.get<IncidentView>(pathOf`/v1/incidents/${id}`)
    return { document: one, text: textOf(one) }
  })
}

/** Mutes an incident until a time. */
export function mute(
  context: Context,
  given: { readonly incident: string; readonly until: number; readonly account: string | undefined },
): Promise<Answer> {
  return withApi(context, given.account, async (api) => {
    const until = new Date(given.until).toISOString()
    const one = await api.post<IncidentView>(pathOf`/v1/incidents/${given.incident}/mute`, { until })
    return { document: one, text: textOf(one) }
  })
}

function textOf(one: IncidentView): string {
  const { scope, example } = one
  return fields([
    ['Incident', `${one.incident_id}, ${one.state}`],
    ['Title', one.title],
    ['Began', shortDate(one.began_at)],
    ['Ended', shortDate(one.ended_at)],
    ...(one.muted_until === null ? [] : [['Muted until', shortDate(one.muted_until)] as const]),
    ...Object.entries(scope).map(([name, value]) => [`Scope: ${name}`, value] as const),
    [
      'Failed',
      `${one.failed} of ${one.attempts} attempts (${percent(one.share)}; usual ${percent(one.usual_share)})`,
    ],
    ...one.evidence.map(({ text }) => ['Evidence', text] as const),
    ...(example === null
      ? []
      : [
          ['Example', example.message_id] as const,
          ['Reply', `${example.smtp_code ?? ''} ${example.smtp_response ?? ''}`.trim()] as const,
        ]),
    ['Meaning', one.meaning],
    ['What to do', one.what_to_do],
  ])
}
