// Making, changing, archiving and deleting streams, for whichever door asks.

import type { Clock } from '../lib/clock.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { customFieldProblems } from '../model/custom-field.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { type Retention, retentionProblems } from '../model/retention.ts'
import {
  isFirstStream,
  STREAM_LIMITS,
  type StreamChanges,
  type StreamInput,
  type StreamKind,
} from '../model/stream.ts'
import { trackingProblems, wantsTracking } from '../model/tracking.ts'
import { isUnsubscribeField } from '../model/unsubscribe-link.ts'
import { reading, type Store } from '../store/database/store.ts'
import { findTrackingRecord } from '../store/domains/domains.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findDomainRetention } from '../store/messages/retention.ts'
import {
  changeStream,
  createStream,
  findStream,
  MAX_STREAMS,
  removeStream,
  type Stream,
} from '../store/workspace/streams.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'

/** Every method throws `Problem`: `validation_failed`, `conflict` or `not_found`; then nothing was changed. */
export class StreamEditing {
  readonly #store: Store
  readonly #clock: Clock
  readonly #retention: Retention
  readonly #workspaceCache: WorkspaceCache | undefined

  /**
   * @param retention the installation's, which a stream may shorten
   * @param workspaceCache of this node, which a change empties
   */
  constructor(store: Store, clock: Clock, retention: Retention, workspaceCache?: WorkspaceCache) {
    this.#store = store
    this.#clock = clock
    this.#retention = retention
    this.#workspaceCache = workspaceCache
  }

  async find(owner: Owner, alias: string): Promise<Stream> {
    const found = await reading(findStream(this.#store.read, owner, alias))
    if (found === undefined) throw missing()
    return found.stream
  }

  async create({ accountId, domainId }: Owner, input: StreamInput): Promise<Stream> {
    const tooLong = await this.#retentionProblems(domainId, input)
    const noHost = await this.#trackingProblems(domainId, input)
    refuse([...checkAlias(input.alias), ...checkChanges(input, input.kind), ...tooLong, ...noHost])
    const now = this.#clock.now()
    const stream: Stream = {
      alias: input.alias,
      account_id: accountId,
      domain_id: domainId,
      name: input.name,
      kind: input.kind,
      rate: input.rate ?? null,
      retry_for_ms: milliseconds(input.retry_for_seconds ?? null),
      sending_allowance: input.sending_allowance ?? null,
      headers: JSON.stringify(input.headers ?? {}),
      content_retention_days: input.content_retention_days ?? null,
      transcript_retention_days: input.transcript_retention_days ?? null,
      record_retention_days: input.record_retention_days ?? null,
      store_content: input.store_content === false ? 0 : 1,
      track_opens: flag(input.track_opens ?? null),
      track_links: flag(input.track_links ?? null),
      used: 0,
      archived_at: null,
      created_at: now,
      updated_at: now,
    }
    const created = await this.#store.write(createStream, stream)
    this.#workspaceCache?.forget()
    if (created === 'created') return stream
    if (created === 'too_many') {
      throw new Problem('conflict', `A domain has at most ${MAX_STREAMS} streams.`)
    }
    throw new Problem('conflict', 'The domain has a stream of this alias already; choose another one.', {
      errors: [{ path: 'alias', code: 'taken', message: 'Choose another alias.' }],
    })
  }

  async change({ accountId, domainId }: Owner, alias: string, input: StreamChanges): Promise<Stream> {
    const { kind } = await this.find({ accountId, domainId }, alias)
    refuse([
      ...checkChanges(input, kind),
      ...(await this.#retentionProblems(domainId, input)),
      ...(await this.#trackingProblems(domainId, input)),
    ])
    const {
      archived,
      headers,
      retry_for_seconds: retryFor,
      store_content: storeContent,
      track_opens: opens,
      track_links: links,
      ...same
    } = input
    if (archived === true && isFirstStream(alias)) throw staysOpen(alias)
    const now = this.#clock.now()
    const changed = await this.#store.write(changeStream, {
      accountId,
      domainId,
      alias,
      changes: {
        ...same,
        ...(headers === undefined ? {} : { headers: JSON.stringify(headers) }),
        ...(retryFor === undefined ? {} : { retry_for_ms: milliseconds(retryFor) }),
        ...(opens === undefined ? {} : { track_opens: flag(opens) }),
        ...(links === undefined ? {} : { track_links: flag(links) }),
        ...(storeContent === undefined ? {} : { store_content: storeContent ? 1 : 0 }),
        ...(archived === undefined ? {} : { archived_at: archived ? now : null }),
      },
      now,
    })
    this.#workspaceCache?.forget()
    if (changed === undefined) throw missing()
    return changed
  }

  async #retentionProblems(domainId: string, input: StreamChanges): Promise<FieldProblem[]> {
    const above = await reading(findDomainRetention(this.#store.read, domainId, this.#retention))
    return retentionProblems(input, above.retention, above.level)
  }

  async #trackingProblems(domainId: string, input: StreamChanges): Promise<FieldProblem[]> {
    if (!wantsTracking(input)) return []
    return trackingProblems(input, await reading(findTrackingRecord(this.#store.read, domainId)))
  }

  /** Deletes a stream that no message ever went by; archives another one, which answers it as it is then. */
  async remove(owner: Owner, alias: string): Promise<Stream | undefined> {
    if (isFirstStream(alias)) throw staysOpen(alias)
    const { accountId, domainId } = owner
    const removed = await this.#store.write(removeStream, {
      accountId,
      domainId,
      alias,
      now: this.#clock.now(),
    })
    this.#workspaceCache?.forget()
    if (removed === 'not_found') throw missing()
    return removed === 'archived' ? this.find(owner, alias) : undefined
  }
}

const flag = (wanted: boolean | null): number | null => (wanted === null ? null : wanted ? 1 : 0)

const milliseconds = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1_000)

const missing = (): Problem => new Problem('not_found', 'There is no stream with this alias.')

const staysOpen = (alias: string): Problem =>
  new Problem('conflict', `Every domain has the stream ${alias}; it cannot be archived or deleted.`)

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems)
}

function checkAlias(alias: string): FieldProblem[] {
  if (/^[a-z][a-z0-9_-]*$/.test(alias)) return []
  const message = 'An alias begins with a letter; small letters, digits, "-" and "_" follow.'
  return [{ path: 'alias', code: 'invalid_alias', message }]
}

function checkChanges({ name, rate, headers = {} }: StreamChanges, kind: StreamKind): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (name !== undefined && (name.trim() === '' || /[\0-\x1f\x7f]/.test(name))) {
    problems.push({
      path: 'name',
      code: 'invalid_characters',
      message: 'Give a name without control characters.',
    })
  }
  if (typeof rate === 'string' && parseRate(rate) === undefined) {
    problems.push({
      path: 'rate',
      code: 'invalid_rate',
      message: 'Give a rate such as 50/s or 1000/h, or null.',
    })
  }
  if (Object.keys(headers).length > STREAM_LIMITS.headers) {
    const message = `A stream has at most ${STREAM_LIMITS.headers} headers.`
    problems.push({ path: 'headers', code: 'too_many_headers', message })
  }
  for (const [field, value] of Object.entries(headers).slice(0, STREAM_LIMITS.headers)) {
    const path = `headers.${field.slice(0, 80)}`
    for (const problem of customFieldProblems(field, value)) problems.push({ path, ...problem })
    if (kind !== 'broadcast' || !isUnsubscribeField(field)) continue
    const message = 'On a broadcast stream the service writes it itself, with a link for each recipient.'
    problems.push({ path, code: 'header_not_permitted', message })
  }
  return problems
}
