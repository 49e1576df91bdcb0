// The fields of a webhook as given by a client, and the validation of these fields.

import { nearest } from '../lib/nearest.ts'
import type { FeedEventType } from '../model/account-event.ts'
import type { FieldProblem } from '../model/problem.ts'
import type { WebhookFormat } from '../model/webhook.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import { formatOf } from './request.ts'
import type { BasicAuth } from './signing-keys.ts'

/** Fields of a webhook as given by a client. */
export interface WebhookInput {
  readonly name?: string
  readonly url: string
  readonly format?: WebhookFormat
  readonly event_types?: readonly FeedEventType[]
  readonly test_events?: boolean
  readonly streams?: readonly string[]
  readonly tags?: readonly string[]
  readonly batch_size?: number
  readonly basic_auth?: BasicAuth | null
  /** True for a webhook of the operating account that gets the events of all accounts. */
  readonly all_accounts?: boolean
}

export type WebhookChanges = Partial<WebhookInput> & { readonly enabled?: boolean }

/**
 * Returns the problems of the given fields.
 *
 * @param now owner, and current format, batch size and event types for fields that are not given
 * @param urlRefusal returns the reason why no requests may be sent to a URL; undefined for an allowed URL
 */
export function fieldProblems(
  input: WebhookChanges,
  now: Pick<Webhook, 'account_id' | 'domain_id' | 'format' | 'batch' | 'event_types'>,
  urlRefusal: (url: URL) => string | undefined,
): readonly FieldProblem[] {
  const { format = now.format, batch_size: batch = now.batch } = input
  const { types, batches } = formatOf({ ...now, format })
  const problems: FieldProblem[] = []
  if (input.url !== undefined) {
    const message = urlProblem(input.url, urlRefusal)
    if (message !== undefined) problems.push({ path: 'url', code: 'invalid_url', message })
  }
  if (!batches && batch > 1) {
    const message = `Requests in the format ${format} carry one event; give 1.`
    problems.push({ path: 'batch_size', code: 'invalid_value', message })
  }
  const kept: readonly FeedEventType[] = format === now.format ? [] : JSON.parse(now.event_types)
  for (const [index, type] of (input.event_types ?? kept).entries()) {
    if (types.has(type)) continue
    const message = `The format ${format} cannot express this type of event; leave it out.`
    problems.push({ path: `event_types[${index}]`, code: 'invalid_value', message })
  }
  for (const [path, text] of textsOf(input)) {
    if (!hasControls(text)) continue
    problems.push({ path, code: 'invalid_characters', message: 'Remove the control characters.' })
  }
  const { basic_auth: auth } = input
  if (auth?.username.includes(':')) {
    const message = 'A username for Basic authentication has no colon (RFC 7617).'
    problems.push({ path: 'basic_auth.username', code: 'invalid_characters', message })
  }
  return problems
}

function urlProblem(text: string, urlRefusal: (url: URL) => string | undefined): string | undefined {
  if (!URL.canParse(text)) return 'Give a URL such as https://app.example.com/webhooks.'
  const url = new URL(text)
  if (url.hash !== '') return 'Give the URL without a fragment (#…), which is never sent.'
  return urlRefusal(url)
}

/**
 * Returns a problem for each stream that does not exist in the domain, because such a stream never has events. `kept`
 * contains the streams that the webhook already names.
 */
export const streamProblems = (
  streams: readonly string[],
  known: readonly string[],
  kept: readonly string[],
): readonly FieldProblem[] =>
  streams.flatMap((alias, index) => {
    if (kept.includes(alias) || known.includes(alias) || hasControls(alias)) return []
    const near = nearest(alias, known)
    const hint = near === undefined ? 'create it first.' : `did you mean ${near}?`
    const message = `There is no stream "${alias.slice(0, 100)}" in this domain; ${hint}`
    return [{ path: `streams[${index}]`, code: 'not_found', message }]
  })

/** Returns the problems of the time range of a replay. */
export function rangeProblems(from: number, until: number): FieldProblem[] {
  if (from < until) return []
  const message = 'The end has to be later than the beginning.'
  return [{ path: 'until', code: 'invalid_value', message }]
}

const hasControls = (text: string): boolean => /[\0-\x1f\x7f]/.test(text)

function textsOf({ name, streams = [], tags = [], basic_auth: auth }: WebhookChanges): [string, string][] {
  const given: [string, string | undefined][] = [
    ['name', name],
    ...streams.map((text, index): [string, string] => [`streams[${index}]`, text]),
    ...tags.map((text, index): [string, string] => [`tags[${index}]`, text]),
    ['basic_auth.username', auth?.username],
    ['basic_auth.password', auth?.password],
  ]
  return given.filter((pair): pair is [string, string] => pair[1] !== undefined)
}
