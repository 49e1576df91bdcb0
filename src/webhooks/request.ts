// Composes, signs and sends one request to a webhook receiver.

import { createHash, createHmac } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { packageVersion } from '../lib/package-version.ts'
import type { FeedEventType } from '../model/account-event.ts'
import type { WebhookFormat } from '../model/webhook.ts'
import type { HttpAnswer, HttpProblem, OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { Secrets } from '../store/database/secrets.ts'
import type { Webhook } from '../store/webhooks/webhooks.ts'
import type { PayloadFormat } from './format.ts'
import { mailgun } from './formats/mailgun.ts'
import { postal } from './formats/postal.ts'
import { postmark } from './formats/postmark.ts'
import { resend } from './formats/resend.ts'
import { sendgrid } from './formats/sendgrid.ts'
import { standard, standardOfAccount } from './formats/standard.ts'
import { usesend } from './formats/usesend.ts'
import { type AttemptOutcome, outcomeOf } from './outcome.ts'
import type { PayloadEvent, ReceivedMail } from './received-mail.ts'
import { readKeys, type SigningKeys, signLater, type WebhookSecrets } from './signing-keys.ts'
import { type DeliveredEvent, isOfAccount, isOfMessage } from './webhook-feed.ts'

export const FORMATS: Readonly<Record<WebhookFormat, PayloadFormat>> = {
  standard,
  postmark,
  sendgrid,
  mailgun,
  resend,
  postal,
  usesend,
}

/** Returns the payload format of a webhook. */
export const formatOf = (
  webhook: Pick<Webhook, 'account_id' | 'domain_id' | 'format'>,
): PayloadFormat<PayloadEvent> => (isOfAccount(webhook) ? standardOfAccount : FORMATS[webhook.format])

/** Timeout of the whole request in milliseconds: DNS lookup, connection and response. */
const TIMEOUT_MS = 10_000
/** Maximum number of bytes of a response that are read. */
const MAX_ANSWER = 64 * 1_024

const USER_AGENT = `Postrider/${packageVersion()} (webhooks)`

/** A webhook with decrypted secrets and a parsed selection of events. */
export interface OpenWebhook {
  readonly id: string
  readonly url: URL
  readonly format: PayloadFormat<PayloadEvent>
  /** Maximum number of events in one request. */
  readonly batch: number
  readonly keys: readonly SigningKeys[]
  readonly authorization: string | undefined
  /** Event types that the webhook gets, by its selection and its format. */
  readonly types: ReadonlySet<FeedEventType>
  /** Selected streams; undefined for all streams. */
  readonly streams: ReadonlySet<string> | undefined
  readonly tags: ReadonlySet<string> | undefined
  /** True if the webhook also gets the events of test messages. */
  readonly getsTests: boolean
}

/** @param now time at which signing keys must still be valid */
export function openWebhook(webhook: Webhook, secrets: Secrets, now: number): OpenWebhook {
  const opened: WebhookSecrets = JSON.parse(secrets.open(webhook.secrets, webhook.id))
  const format = formatOf(webhook)
  const chosen = setOf<FeedEventType>(webhook.event_types)
  const { basicAuth } = opened
  return {
    id: webhook.id,
    url: new URL(webhook.url),
    format,
    batch: format.batches ? webhook.batch : 1,
    keys: readKeys(opened, now),
    authorization:
      basicAuth === null
        ? undefined
        : `Basic ${Buffer.from(`${basicAuth.username}:${basicAuth.password}`).toString('base64')}`,
    types: chosen === undefined ? format.types : chosen.intersection(format.types),
    streams: setOf(webhook.streams),
    tags: setOf(webhook.tags),
    getsTests: webhook.test_events === 1,
  }
}

function setOf<T extends string>(json: string): Set<T> | undefined {
  const values: T[] = JSON.parse(json)
  return values.length === 0 ? undefined : new Set(values)
}

/** True if the webhook selects this event. */
export const isWanted = ({ types, streams, tags, getsTests }: OpenWebhook, event: DeliveredEvent): boolean =>
  types.has(event.type) &&
  (!isOfMessage(event) ||
    ((getsTests || event.detail.test !== true) &&
      (streams === undefined || streams.has(event.stream)) &&
      (tags === undefined || event.tags.some((tag) => tags.has(tag)))))

/** A signed request to send. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Composes and signs a request. The ID of a request with one event is the ID of the event; the ID of a batch follows
 * from the IDs of its events, so that different batches have different IDs.
 */
export async function signedRequest(
  webhook: OpenWebhook,
  events: readonly PayloadEvent[],
  at: number,
): Promise<SignedRequest> {
  const keys = webhook.keys.filter(({ endsAt }) => endsAt === null || endsAt > at)
  const isBatch = webhook.batch > 1
  const { headers, body } = webhook.format.compose(events, { keys, at, isBatch })
  const signature = await standardHeaders(keys, requestId(events), at, body)
  return {
    body,
    headers: {
      ...headers,
      'user-agent': USER_AGENT,
      ...(webhook.authorization === undefined ? {} : { authorization: webhook.authorization }),
      ...(await webhook.format.sign?.(body, keys)),
      ...signature,
      ...renamed(signature, webhook.format.signatureHeaders),
    },
  }
}

/** Returns the header fields of a signature under another prefix; no fields without a prefix. */
const renamed = (signature: Readonly<Record<string, string>>, prefix: string | undefined) =>
  prefix === undefined
    ? {}
    : Object.fromEntries(
        Object.entries(signature).map(([name, value]) => [name.replace(/^webhook/, prefix), value]),
      )

/**
 * Returns the header fields with which a receiver detects forged and repeated requests: one signature of each kind for
 * each valid generation of keys. The signatures are signatures of Standard Webhooks (standardwebhooks.com, version 1),
 * which cover the ID, timestamp and body of the request.
 *
 * @param id ID of the request, the same for every attempt
 * @param at time of the attempt in milliseconds since the epoch
 */
export async function standardHeaders(
  keys: readonly SigningKeys[],
  id: string,
  at: number,
  body: string,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1_000))
  const signed = Buffer.from(`${id}.${timestamp}.${body}`)
  const signatures = await Promise.all(
    keys.flatMap(({ hmac, ed25519 }) => [
      `v1,${createHmac('sha256', hmac).update(signed).digest('base64')}`,
      signLater(null, signed, ed25519).then((signature) => `v1a,${signature.toString('base64')}`),
    ]),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

function requestId(events: readonly DeliveredEvent[]): string {
  const [first] = events
  if (events.length === 1 && first !== undefined) return first.id
  const hash = createHash('sha256').update(events.map(({ id }) => id).join(' '))
  return `batch_${hash.digest('hex').slice(0, 32)}`
}

/** Parts of the node that make requests. */
export interface RequestParts {
  readonly http: OutgoingHttp
  readonly clock: Clock
  readonly receivedMail: ReceivedMail
}

/** Sends events to a webhook's receiver; never rejects, whatever the receiver does. */
export async function sendEvents(
  { http, clock, receivedMail }: RequestParts,
  webhook: OpenWebhook,
  events: readonly DeliveredEvent[],
): Promise<AttemptOutcome> {
  let at = clock.now()
  let began = performance.now()
  const send = async (loaded: readonly PayloadEvent[]): Promise<HttpAnswer | HttpProblem> => {
    // The clock is read again, since the request may have waited for the memory for a mail.
    at = clock.now()
    const signed = await signedRequest(webhook, loaded, at)
    began = performance.now()
    return http.request(webhook.url, {
      method: 'POST',
      ...signed,
      ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER, longAnswer: 'cut' },
    })
  }
  const answer = await receivedMail.during(events, send).catch((error: Error) => ({
    ...{ problem: 'connection' as const, detail: `The request could not be made: ${error.message}` },
  }))
  return outcomeOf(answer, at, at + Math.round(performance.now() - began))
}
