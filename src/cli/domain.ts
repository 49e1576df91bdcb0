// postrider domain: adds sending domains, and shows and checks the DNS records of sending domains.

import type { DomainSummary, DomainView } from '../api/contract/domain.ts'
import { type Api, pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { domainPage, rotationSentence } from './domain-page.ts'
import { untilNoticed, withApi } from './open.ts'
import { table } from './text.ts'
import { shortDate } from './times.ts'

/** Inputs of commands about one domain. */
export interface Which {
  readonly domain: string
  readonly account: string | undefined
}

export function add(context: Context, { domain: name, account }: Which): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const added = await api.post<DomainView>('/v1/domains', { domain: name })
    return answer(`${added.domain} has been added (${added.domain_id}).`, added, false)
  })
}

export function list(context: Context, { account }: Pick<Which, 'account'>): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const domains = await api.list<DomainSummary>('/v1/domains')
    const rows = domains.map((one) => [one.domain_id, one.domain, one.status, shortDate(one.checked_at)])
    return {
      document: { data: domains },
      text: table(
        ['domain', 'name', 'status', 'checked'],
        rows,
        'There is no domain yet; add one with: postrider domain add example.com',
      ),
    }
  })
}

const find = (api: Api, name: string): Promise<DomainView> => api.get<DomainView>(pathOf`/v1/domains/${name}`)

export function records(context: Context, { domain: name, account }: Which): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const domain = await find(api, name)
    return answer(statusSentence(domain), domain, domain.checked_at !== null)
  })
}

/** Maximum time in milliseconds for which one request waits for DNS records. */
const MAX_WAIT_MS = 60_000

/**
 * Looks up every DNS record of a domain now, and again for up to `wait` milliseconds while required records are
 * missing; returns when all running nodes know the result.
 */
export function verify(
  context: Context,
  { wait = 0, domain: name, account }: Which & { readonly wait: number | undefined },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const endsAt = performance.now() + wait
    const lookUp = (ms: number): Promise<DomainView> => {
      const seconds = ms <= 0 ? undefined : `${Math.ceil(Math.min(ms, MAX_WAIT_MS) / 1_000)}s`
      return api.post<DomainView>(pathOf`/v1/domains/${name}/verify`, undefined, { wait: seconds })
    }
    let domain = await lookUp(wait)
    while (!isVerified(domain) && domain.status !== 'paused' && performance.now() < endsAt) {
      domain = await lookUp(endsAt - performance.now())
    }
    await untilNoticed()
    return { ...answer(statusSentence(domain), domain, true), failed: wait > 0 && !isVerified(domain) }
  })
}

/** True if the domain is verified and all of its required records are found. */
const isVerified = ({ status, records: all }: DomainView): boolean =>
  status === 'verified' && all.every((record) => !record.required || record.status === 'found')

/** Prints the DNS records of a domain as text for a zone file. */
export function zone(context: Context, { domain: name, account }: Which): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const { domain_id, domain } = await find(api, name)
    const text = await api.text(pathOf`/v1/domains/${domain_id}/zone`, 'text/plain')
    return { document: { domain_id, domain, zone: text }, text: text.trimEnd() }
  })
}

/** Pauses or resumes a domain. A paused domain accepts no messages, and its queued messages are not delivered. */
export function setPaused(
  context: Context,
  { domain: name, account }: Which,
  step: 'pause' | 'resume',
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const domain = await api.post<DomainView>(pathOf`/v1/domains/${name}/${step}`)
    await untilNoticed()
    return { document: domain, text: statusSentence(domain) }
  })
}

/** Deletes a domain if `confirm` repeats the name of the domain. */
export function remove(
  context: Context,
  { domain: name, confirm, account }: Which & { readonly confirm: string },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const { domain_id, domain } = await find(api, name)
    await api.delete(pathOf`/v1/domains/${domain_id}`, { confirm })
    await untilNoticed()
    return {
      document: { domain_id, domain, deleted: true },
      text: `${domain} has been deleted; its keys are revoked and its queued messages are cancelled.`,
    }
  })
}

const ROTATION = {
  rotate: (name: string) =>
    `${name} has new DKIM keys. Publish their records in addition to the present records, then run: postrider domain dkim switch ${name}`,
  switch: (name: string) =>
    `${name} signs with the new DKIM keys now. Keep the old records for some days, then run: postrider domain dkim retire ${name}`,
  discard: (name: string) =>
    `${name} keeps its present DKIM keys; the records of the new keys can be removed.`,
  retire: (name: string) => `${name} has only its new DKIM keys; the old records can be removed.`,
}

/** Runs one step of the rotation of a domain's DKIM keys. */
export function dkim(
  context: Context,
  { step, domain: name, account }: Which & { readonly step: keyof typeof ROTATION },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const domain = await api.post<DomainView>(pathOf`/v1/domains/${name}/dkim/${step}`)
    return answer(ROTATION[step](domain.domain), domain, step !== 'rotate')
  })
}

/** Sets or shows the interval at which the DKIM keys of a domain are replaced; null turns the calendar off. */
export function rotation(
  context: Context,
  { every, domain: name, account }: Which & { readonly every: number | null | undefined },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const path = pathOf`/v1/domains/${name}`
    const domain = await (every === undefined
      ? api.get<DomainView>(path)
      : api.patch<DomainView>(path, { rotate_every_days: every }))
    return { document: domain, text: rotationSentence(domain) }
  })
}

const answer = (first: string, domain: DomainView, looked: boolean): Answer => ({
  document: domain,
  text: `${first}\n\n${domainPage(domain, looked)}`,
})

const STATUS_MEANS: Record<DomainView['status'], string> = {
  pending: 'is not verified yet and cannot send',
  verified: 'is verified and may send',
  paused: 'is paused and cannot send',
}

const statusSentence = ({ domain, status, claim }: DomainView): string =>
  claim === undefined
    ? `${domain} ${STATUS_MEANS[status]}.`
    : `${domain} belongs to another account until you prove that you own it.`
