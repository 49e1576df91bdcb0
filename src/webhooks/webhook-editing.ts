// Creates, changes, tests and deletes webhooks, for the API and the dashboard.

import { newId } from '../lib/ids.ts'
import { recalled } from '../lib/repeatable-run.ts'
import type { FeedEventType } from '../model/account-event.ts'
import { changedMeanwhile, type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { WEBHOOK_LIMITS } from '../model/webhook.ts'
import { reading, type Store } from '../store/database/store.ts'
import { ALL_ACCOUNTS } from '../store/events/account-events.ts'
import { feedEnd } from '../store/events/feed.ts'
import { lastPositionBefore } from '../store/events/late-events.ts'
import { positionAt } from '../store/events/position.ts'
import { isWholeAccount, type Owner } from '../store/messages/owner.ts'
import { type Delivery, findDelivery, keepDelivery, retryDelivery } from '../store/webhooks/deliveries.ts'
import {
  type ChangeWebhook,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  type Webhook,
} from '../store/webhooks/webhooks.ts'
import { listStreams } from '../store/workspace/streams.ts'
import { openWebhook, type RequestParts, type SignedRequest, sendEvents, signedRequest } from './request.ts'
import { sampleEvent } from './sample-event.ts'
import { newGeneration, rotated, type WebhookSecrets, withKeysFor } from './signing-keys.ts'
import { feedOf, subjectOf } from './webhook-feed.ts'
import {
  fieldProblems,
  rangeProblems,
  streamProblems,
  type WebhookChanges,
  type WebhookInput,
} from './webhook-fields.ts'

/** A webhook with decrypted secrets. */
export interface OpenedWebhook {
  readonly webhook: Webhook
  readonly secrets: WebhookSecrets
  /** Time at which the secrets were decrypted. */
  readonly at: number
}

export interface WebhookEditingOptions extends RequestParts {
  readonly store: Store
}

/**
 * Edits webhooks. Every method may throw a `Problem` (`validation_failed`, `conflict` or `not_found`); nothing was
 * changed in this case.
 */
export class WebhookEditing {
  readonly #options: WebhookEditingOptions

  constructor(options: WebhookEditingOptions) {
    this.#options = options
  }

  readonly #urlRefusal = (url: URL): string | undefined => this.#options.http.refusalOf(url)

  async find(owner: Owner, id: string): Promise<OpenedWebhook> {
    const webhook = await reading(findWebhook(this.#options.store.read, { ...owner, id }))
    if (webhook === undefined) throw missing()
    return this.open(webhook)
  }

  open(webhook: Webhook): OpenedWebhook {
    const { store, clock } = this.#options
    return { webhook, secrets: JSON.parse(store.secrets.open(webhook.secrets, webhook.id)), at: clock.now() }
  }

  /** Returns all problems of the fields of a new webhook; any field may be missing. */
  async problemsOfNew(owner: Owner, input: Partial<WebhookInput>): Promise<readonly FieldProblem[]> {
    const none = {
      ...{ account_id: owner.accountId, domain_id: owner.domainId },
      ...({ format: 'standard', batch: 1, event_types: '[]' } as const),
    }
    const problems = fieldProblems(input, none, this.#urlRefusal)
    return [...problems, ...(await this.#streamProblems(owner, input, []))]
  }

  /** Returns all problems of changes to a webhook. Throws `not_found`. */
  async problemsOfChange(owner: Owner, id: string, input: WebhookChanges): Promise<readonly FieldProblem[]> {
    const { webhook } = await this.find(owner, id)
    return this.#problemsOfChange(owner, webhook, input)
  }

  async #problemsOfChange(
    owner: Owner,
    webhook: Webhook,
    input: WebhookChanges,
  ): Promise<readonly FieldProblem[]> {
    // A stream that was deleted meanwhile does not prevent other changes.
    const kept: readonly string[] = JSON.parse(webhook.streams)
    return [
      ...fieldProblems(input, webhook, this.#urlRefusal),
      ...(await this.#streamProblems(owner, input, kept)),
    ]
  }

  async #streamProblems(
    owner: Owner,
    { streams = [] }: WebhookChanges,
    kept: readonly string[],
  ): Promise<readonly FieldProblem[]> {
    if (streams.every((alias) => kept.includes(alias))) return []
    const known = (await reading(listStreams(this.#options.store.read, owner))).map(({ alias }) => alias)
    return streamProblems(streams, known, kept)
  }

  async create(owner: Owner, input: WebhookInput): Promise<OpenedWebhook> {
    refuse(await this.problemsOfNew(owner, input))
    const { accountId, domainId } = owner
    const { store, clock } = this.#options
    const now = clock.now()
    const id = newId('whk', now)
    const format = input.format ?? 'standard'
    const basicAuth = input.basic_auth ?? null
    const secrets = await recalled(() =>
      withKeysFor(format, { generations: [newGeneration(now)], basicAuth }),
    )
    const feed_id = feedIdOf(owner, input)
    const webhook: Webhook = {
      id,
      account_id: accountId,
      domain_id: domainId,
      feed_id,
      name: input.name ?? '',
      url: new URL(input.url).href,
      format,
      event_types: listOf(input.event_types),
      test_events: input.test_events === true ? 1 : 0,
      streams: listOf(input.streams),
      tags: listOf(input.tags),
      batch: input.batch_size ?? 1,
      secrets: store.secrets.seal(JSON.stringify(secrets), id),
      status: 'enabled',
      disabled_reason: null,
      disabled_at: null,
      position: await reading(feedEnd(store.read, feed_id)),
      attempted_to: 0,
      replay_position: null,
      replay_until: null,
      replay_before: null,
      due_at: null,
      resume_at: null,
      failures: 0,
      failing_since: null,
      lease: null,
      lease_until: null,
      created_at: now,
      updated_at: now,
    }
    if (!(await store.write(createWebhook, { webhook, most: WEBHOOK_LIMITS.perDomain }))) {
      const has = isWholeAccount(owner) ? 'An account has' : 'A domain has'
      throw new Problem('conflict', `${has} at most ${WEBHOOK_LIMITS.perDomain} webhooks.`)
    }
    return { webhook, secrets, at: now }
  }

  /** @param seen `updated_at` of the only version to change; any version if undefined (`changed_meanwhile`) */
  async change(owner: Owner, id: string, input: WebhookChanges, seen?: number): Promise<OpenedWebhook> {
    return this.#changeBy(owner, id, (opened) => this.#changesOf(owner, opened, input), seen)
  }

  async #changesOf(
    owner: Owner,
    { webhook, secrets }: OpenedWebhook,
    input: WebhookChanges,
  ): Promise<ChangeWebhook['changes']> {
    refuse(await this.#problemsOfChange(owner, webhook, input))
    const { id } = webhook
    const { name, url, format, batch_size: batch, basic_auth: basicAuth, enabled } = input
    const held = basicAuth === undefined ? secrets : { ...secrets, basicAuth }
    const kept = await withKeysFor(format ?? webhook.format, held)
    const given = <T extends object>(value: unknown, columns: T): T | object =>
      value === undefined ? {} : columns
    return {
      ...given(name, { name }),
      ...given(url, { url: url && new URL(url).href }),
      ...given(format, { format }),
      ...given(batch, { batch }),
      ...given(input.event_types, { event_types: listOf(input.event_types) }),
      ...given(input.test_events, { test_events: input.test_events === true ? 1 : 0 }),
      ...given(input.streams, { streams: listOf(input.streams) }),
      ...given(input.tags, { tags: listOf(input.tags) }),
      ...(kept === secrets ? {} : { secrets: this.#sealed(id, kept) }),
      ...(enabled === undefined ? {} : await this.#switched(webhook, enabled)),
      ...(await this.#moved(owner, webhook, input)),
    }
  }

  /** Returns the columns that another feed changes: the webhook gets the events of the other feed from now on. */
  async #moved(owner: Owner, webhook: Webhook, input: WebhookChanges): Promise<ChangeWebhook['changes']> {
    const feed_id = feedIdOf(owner, input)
    if (input.all_accounts === undefined || feed_id === webhook.feed_id) return {}
    return {
      feed_id,
      ...{ replay_position: null, replay_until: null, replay_before: null },
      position: await reading(feedEnd(this.#options.store.read, feed_id)),
    }
  }

  /**
   * Returns the columns that enabling or disabling changes. A webhook that is enabled gets events from now on; a replay
   * delivers earlier events.
   */
  async #switched(webhook: Webhook, enabled: boolean): Promise<ChangeWebhook['changes']> {
    const { store, clock } = this.#options
    if (enabled === (webhook.status === 'enabled')) return {}
    if (!enabled) return { status: 'disabled', disabled_reason: 'manual', disabled_at: clock.now() }
    return {
      ...{ status: 'enabled', disabled_reason: null, disabled_at: null },
      ...{ failures: 0, failing_since: null, resume_at: null },
      position: await reading(feedEnd(store.read, webhook.feed_id)),
    }
  }

  /** @param validForSeconds time in seconds for which the previous secret stays valid */
  async rotate(owner: Owner, id: string, validForSeconds: number): Promise<OpenedWebhook> {
    return this.#changeBy(owner, id, async ({ webhook, secrets, at }) => ({
      secrets: this.#sealed(
        id,
        await withKeysFor(webhook.format, rotated(secrets, at, at + validForSeconds * 1_000)),
      ),
    }))
  }

  /** @param seen `updated_at` of the only version to delete; any version if undefined (`changed_meanwhile`) */
  async remove(owner: Owner, id: string, seen?: number): Promise<void> {
    const { store, clock } = this.#options
    if (await store.write(deleteWebhook, { ...ownerOf(owner), id, seen, now: clock.now() })) return
    if (seen === undefined) throw missing()
    await this.find(owner, id)
    throw changedMeanwhile()
  }

  /** Sends a sample event immediately and without retries, and returns the delivery. */
  async test(owner: Owner, id: string, type: FeedEventType | undefined): Promise<Delivery> {
    const { store, clock } = this.#options
    const { webhook } = await this.find(owner, id)
    const now = clock.now()
    const opened = openWebhook(webhook, store.secrets, now)
    const [usual = 'delivered'] = opened.types
    const chosen = type ?? (opened.types.has('delivered') ? 'delivered' : usual)
    if (!opened.format.types.has(chosen)) {
      const message = `The format ${webhook.format} cannot express this type of event; give another type.`
      throw invalidFields([{ path: 'event_type', code: 'invalid_value', message }])
    }
    const event = sampleEvent(webhook, chosen, now)
    const { attempt, delivered } = await recalled(() => sendEvents(this.#options, opened, [event]))
    const delivery: Delivery = {
      webhook_id: id,
      id: newId('whd', now),
      account_id: webhook.account_id,
      domain_id: webhook.domain_id,
      event_id: event.id,
      event_type: event.type,
      message_id: subjectOf(event),
      positions: [],
      status: delivered ? 'delivered' : 'failed',
      attempts: 1,
      log: [attempt],
      due_at: null,
    }
    await store.write(keepDelivery, delivery)
    return delivery
  }

  /**
   * Returns a delivery with its request, composed again with the current settings and keys; the request is undefined if
   * the events were removed.
   *
   * @param admit reserves memory for a mail in the request; throws if there is not enough memory
   */
  async delivery(
    owner: Owner,
    id: string,
    deliveryId: string,
    admit: (bytes: number) => Promise<void>,
  ): Promise<{ readonly delivery: Delivery; readonly request: SignedRequest | undefined }> {
    const { store, clock, receivedMail } = this.#options
    const { webhook } = await this.find(owner, id)
    const delivery = await this.#findDelivery(owner, id, deliveryId)
    const found = await reading(feedOf(webhook).at(store.read, delivery.positions))
    const events = await receivedMail.of(found, admit)
    const now = clock.now()
    const opened = openWebhook(webhook, store.secrets, now)
    const at = delivery.log.at(-1)?.at ?? now
    return {
      delivery,
      request: events.length === 0 ? undefined : await signedRequest(opened, events, at),
    }
  }

  async #findDelivery(owner: Owner, id: string, deliveryId: string): Promise<Delivery> {
    const delivery = await reading(findDelivery(this.#options.store.read, { ...owner, id }, deliveryId))
    if (delivery === undefined) throw new Problem('not_found', 'There is no delivery with this ID.')
    return delivery
  }

  /** Makes a delivery due immediately. */
  async retry(owner: Owner, id: string, deliveryId: string): Promise<Delivery> {
    const { store, clock } = this.#options
    const { webhook } = await this.find(owner, id)
    const delivery = await this.#findDelivery(owner, id, deliveryId)
    if (webhook.status !== 'enabled') {
      throw new Problem('conflict', 'The webhook is disabled; enable it, then retry.')
    }
    const key = { ...ownerOf(owner), id }
    if (!(await store.write(retryDelivery, { ...key, deliveryId, now: clock.now() }))) {
      throw new Problem('conflict', 'This delivery was a test, which is not repeated; send another test.')
    }
    return (await reading(findDelivery(store.read, key, deliveryId))) ?? delivery
  }

  /** Delivers the events of a time range again; the end of the range is the present time by default. */
  async replay(owner: Owner, id: string, from: number, to: number | undefined): Promise<OpenedWebhook> {
    const { webhook, at: now } = await recalled(() => this.find(owner, id))
    const until = to ?? now
    refuse(rangeProblems(from, until))
    if (webhook.status !== 'enabled') {
      throw new Problem('conflict', 'The webhook is disabled; enable it, then replay.')
    }
    if (webhook.replay_position !== null) {
      throw new Problem('conflict', 'A replay is under way; wait for its end.')
    }
    // The replay ends at the position of the webhook, because later events are delivered anyway.
    const last = await reading(lastPositionBefore(this.#options.store.read, until))
    const end = Math.min(last, Number(webhook.position))
    const begin = positionAt(from)
    if (begin >= end) return this.open(webhook)
    return this.#write(owner, id, {
      ...{ replay_position: begin, replay_until: end },
      replay_before: until,
    })
  }

  async #write(owner: Owner, id: string, changes: ChangeWebhook['changes']): Promise<OpenedWebhook> {
    const { store, clock } = this.#options
    const key = { ...ownerOf(owner), id }
    const changed = await store.write(changeWebhook, { ...key, changes, now: clock.now() })
    if (changed === undefined) throw missing()
    return this.open(changed)
  }

  /**
   * Changes a webhook depending on its current state; starts again if the secrets of the webhook were changed
   * meanwhile. Throws `changed_meanwhile` for a webhook with another version than `seen`.
   */
  async #changeBy(
    owner: Owner,
    id: string,
    changesOf: (opened: OpenedWebhook) => ChangeWebhook['changes'] | Promise<ChangeWebhook['changes']>,
    seen?: number,
  ): Promise<OpenedWebhook> {
    const { store, clock } = this.#options
    for (;;) {
      const opened = await this.find(owner, id)
      if (seen !== undefined && opened.webhook.updated_at !== seen) throw changedMeanwhile()
      const changes = await changesOf(opened)
      const secretsBefore = changes.secrets === undefined ? undefined : opened.webhook.secrets
      const change = { ...ownerOf(owner), id, changes, secretsBefore, seen, now: clock.now() }
      const changed = await store.write(changeWebhook, change)
      if (changed !== undefined) return this.open(changed)
    }
  }

  #sealed(id: string, secrets: WebhookSecrets): Webhook['secrets'] {
    return this.#options.store.secrets.seal(JSON.stringify(secrets), id)
  }
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems)
}

/** Returns only the owner's IDs, without other properties of the caller. */
const ownerOf = ({ accountId, domainId }: Owner): Owner => ({ accountId, domainId })

/** Returns the feed of a webhook: of the domain, of the account, or of all accounts. */
const feedIdOf = ({ domainId }: Owner, { all_accounts }: WebhookChanges): string =>
  all_accounts === true ? ALL_ACCOUNTS : domainId

const listOf = (values: readonly string[] = []): string => JSON.stringify([...new Set(values)])

const missing = (): Problem => new Problem('not_found', 'There is no webhook with this ID.')
