// Creates, changes, archives and deletes streams for all callers.

import type { Clock } from '../lib/clock.ts'
import { parseRate } from '../lib/rate-limiter.ts'
import { type Brand, brandProblems } from '../model/brand.ts'
import { customFieldProblems } from '../model/custom-field.ts'
import { guardColumns, NO_GUARD } from '../model/finding.ts'
import {
  type InboundAddress,
  inboundAddressText,
  MAX_INBOUND_ADDRESSES,
  parseInboundAddress,
} from '../model/inbound-address.ts'
import type { InboundMx } from '../model/inbound-policy.ts'
import { changedMeanwhile, type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
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
import { findTrackingRecord } from '../store/domains/tracking-hosts.ts'
import type { Owner } from '../store/messages/owner.ts'
import { findDomainRetention } from '../store/removal/retention.ts'
import { listInboundAddresses } from '../store/workspace/inbound-addresses.ts'
import {
  type AddressTaken,
  changeStream,
  createStream,
  findStream,
  listStreams,
  MAX_STREAMS,
  removeStream,
  type Stream,
} from '../store/workspace/streams.ts'
import type { WorkspaceCache } from '../store/workspace/workspace-cache.ts'

/** Owner, with the name of the domain in which inbound addresses are created. */
export type NamedOwner = Owner & { readonly domainName: string }

/** Stream with its addresses; only an inbound stream has addresses. */
export interface StreamWithAddresses {
  readonly stream: Stream
  readonly addresses: readonly string[]
}

/**
 * Creates, changes and removes streams. A method that throws a `Problem` (`validation_failed`, `conflict` or
 * `not_found`) has changed nothing.
 */
export class StreamEditing {
  readonly #store: Store
  readonly #clock: Clock
  readonly #retention: Retention
  readonly #mx: (domainId: string) => InboundMx
  readonly #workspaceCache: WorkspaceCache | undefined

  /**
   * @param retention default retention of the installation, which a stream may shorten
   * @param mx returns the hosts and addresses in the records of the inbound hosts of a domain
   * @param workspaceCache cache of this node, which is cleared by a change
   */
  constructor(
    store: Store,
    clock: Clock,
    retention: Retention,
    mx: (domainId: string) => InboundMx,
    workspaceCache?: WorkspaceCache,
  ) {
    this.#store = store
    this.#clock = clock
    this.#retention = retention
    this.#mx = mx
    this.#workspaceCache = workspaceCache
  }

  async find(owner: Owner, alias: string): Promise<StreamWithAddresses> {
    const found = await reading(findStream(this.#store.read, owner, alias))
    if (found === undefined) throw missing()
    return this.#withAddresses(owner, found.stream)
  }

  /** Returns all streams of a domain, newest first. */
  async list(owner: Owner): Promise<StreamWithAddresses[]> {
    const { read } = this.#store
    const [streams, all] = await reading(
      Promise.all([listStreams(read, owner), listInboundAddresses(read, owner)]),
    )
    return streams.map((stream) => ({ stream, addresses: addressesOf(stream, all) }))
  }

  async #withAddresses(owner: Owner, stream: Stream): Promise<StreamWithAddresses> {
    const all = await reading(listInboundAddresses(this.#store.read, owner))
    return { stream, addresses: addressesOf(stream, all) }
  }

  /**
   * Returns all problems of the fields of a new stream. Any field may be missing, and problems that depend on the kind
   * of the stream are returned only if the kind is known.
   */
  async problemsOfNew(owner: NamedOwner, input: Partial<StreamInput>): Promise<readonly FieldProblem[]> {
    return [...checkAlias(input.alias), ...(await this.#read(owner, input, input.kind)).problems]
  }

  /** Returns all problems of changes to a stream. Throws `not_found`. */
  async problemsOfChange(
    owner: NamedOwner,
    alias: string,
    input: StreamChanges,
  ): Promise<readonly FieldProblem[]> {
    const { kind } = (await this.find(owner, alias)).stream
    return (await this.#read(owner, input, kind)).problems
  }

  async #read(
    { domainId, domainName }: NamedOwner,
    input: StreamChanges,
    kind: StreamKind | undefined,
  ): Promise<{ readonly addresses: readonly InboundAddress[]; readonly problems: readonly FieldProblem[] }> {
    const problems = [...checkChanges(input, kind), ...(await this.#retentionProblems(domainId, input))]
    problems.push(...(await this.#trackingProblems(domainId, input)))
    return { addresses: readAddresses(input, kind, domainName, problems), problems }
  }

  async create(owner: NamedOwner, input: StreamInput): Promise<StreamWithAddresses> {
    const { accountId, domainId } = owner
    const { addresses, problems } = await this.#read(owner, input, input.kind)
    refuse([...checkAlias(input.alias), ...problems])
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
      brand: brandOf(input.brand),
      unsubscribe: input.unsubscribe ?? 'service',
      content_retention_days: input.content_retention_days ?? null,
      transcript_retention_days: input.transcript_retention_days ?? null,
      record_retention_days: input.record_retention_days ?? null,
      store_content: input.store_content === false ? 0 : 1,
      track_opens: flag(input.track_opens ?? null),
      track_links: flag(input.track_links ?? null),
      ...NO_GUARD,
      ...guardColumns(input),
      used: 0,
      archived_at: null,
      created_at: now,
      updated_at: now,
    }
    const inbound = input.kind === 'inbound' ? { addresses, mx: this.#mx(domainId) } : undefined
    const created = await this.#store.write(createStream, { stream, inbound })
    this.#workspaceCache?.forget()
    if (created === 'created') return this.#withAddresses({ accountId, domainId }, stream)
    if (typeof created === 'object') throw addressTaken(created)
    if (created === 'too_many') {
      throw new Problem('conflict', `A domain has at most ${MAX_STREAMS} streams.`)
    }
    throw new Problem('conflict', 'The domain already has a stream with this alias; choose another alias.', {
      errors: [{ path: 'alias', code: 'taken', message: 'Choose another alias.' }],
      existing: { alias: stream.alias },
    })
  }

  /** @param seen `updated_at` of the only version to change; any version if undefined (`changed_meanwhile`) */
  async change(
    owner: NamedOwner,
    alias: string,
    input: StreamChanges,
    seen?: number,
  ): Promise<StreamWithAddresses> {
    const { accountId, domainId } = owner
    const { kind } = (await this.find(owner, alias)).stream
    const { addresses, problems } = await this.#read(owner, input, kind)
    refuse(problems)
    const {
      archived,
      headers,
      brand,
      retry_for_seconds: retryFor,
      store_content: storeContent,
      track_opens: opens,
      track_links: links,
      guard,
      ignore,
      addresses: given,
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
        ...(brand === undefined ? {} : { brand: brandOf(brand) }),
        ...(retryFor === undefined ? {} : { retry_for_ms: milliseconds(retryFor) }),
        ...(opens === undefined ? {} : { track_opens: flag(opens) }),
        ...(links === undefined ? {} : { track_links: flag(links) }),
        ...guardColumns({ guard, ignore }),
        ...(storeContent === undefined ? {} : { store_content: storeContent ? 1 : 0 }),
        ...(archived === undefined ? {} : { archived_at: archived ? now : null }),
      },
      inbound: { mx: this.#mx(domainId), ...(given === undefined ? {} : { addresses }) },
      seen,
      now,
    })
    this.#workspaceCache?.forget()
    if (changed === undefined) throw missing()
    if (changed.kind === 'other_version') throw changedMeanwhile()
    if (changed.kind === 'address_taken') throw addressTaken(changed)
    return this.#withAddresses(owner, changed.stream)
  }

  async #retentionProblems(domainId: string, input: StreamChanges): Promise<FieldProblem[]> {
    const above = await reading(findDomainRetention(this.#store.read, domainId, this.#retention))
    return retentionProblems(input, above.retention, above.level)
  }

  async #trackingProblems(domainId: string, input: StreamChanges): Promise<FieldProblem[]> {
    if (!wantsTracking(input)) return []
    return trackingProblems(input, await reading(findTrackingRecord(this.#store.read, domainId)))
  }

  /**
   * Deletes a stream without messages. Archives a stream with messages, and returns its final state.
   *
   * @param seen `updated_at` of the only version to remove; any version if undefined (`changed_meanwhile`)
   */
  async remove(owner: Owner, alias: string, seen?: number): Promise<StreamWithAddresses | undefined> {
    if (isFirstStream(alias)) throw staysOpen(alias)
    const { accountId, domainId } = owner
    const removed = await this.#store.write(removeStream, {
      accountId,
      domainId,
      alias,
      mx: this.#mx(domainId),
      seen,
      now: this.#clock.now(),
    })
    this.#workspaceCache?.forget()
    if (removed === 'not_found') throw missing()
    if (removed === 'other_version') throw changedMeanwhile()
    return removed === 'archived' ? this.find(owner, alias) : undefined
  }
}

const flag = (wanted: boolean | null): number | null => (wanted === null ? null : wanted ? 1 : 0)

/** Returns the stored form of a brand; null for an empty brand. */
const brandOf = (brand: Brand | null | undefined): string | null =>
  brand && Object.values(brand).some((value) => value !== null) ? JSON.stringify(brand) : null

const milliseconds = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1_000)

const addressesOf = (
  { alias }: Stream,
  all: readonly (InboundAddress & { readonly stream: string })[],
): string[] => all.filter(({ stream }) => stream === alias).map(inboundAddressText)

/** Returns the inbound addresses of an input without duplicates, and adds invalid addresses to the problems. */
function readAddresses(
  { addresses = [] }: StreamChanges,
  kind: StreamKind | undefined,
  domainName: string,
  problems: FieldProblem[],
): InboundAddress[] {
  const found = new Map<string, InboundAddress>()
  if (addresses.length > 0 && kind !== undefined && kind !== 'inbound') {
    const message = 'Only inbound streams have addresses; leave this field out.'
    problems.push({ path: 'addresses', code: 'not_inbound', message })
    return []
  }
  if (addresses.length > MAX_INBOUND_ADDRESSES) {
    const message = `A stream has at most ${MAX_INBOUND_ADDRESSES} addresses; use *@host for all addresses of a host.`
    problems.push({ path: 'addresses', code: 'too_many', message })
    return []
  }
  for (const [index, text] of addresses.entries()) {
    const address = parseInboundAddress(text, domainName)
    if (typeof address === 'string') {
      problems.push({ path: `addresses[${index}]`, code: 'invalid_address', message: address })
    } else found.set(inboundAddressText(address), address)
  }
  return [...found.values()]
}

function addressTaken({ taken }: AddressTaken): Problem {
  const message = 'An address can belong to only one stream; remove the address from the other stream first.'
  return new Problem(
    'conflict',
    `Another stream of the domain has the address ${inboundAddressText(taken)}; remove the address there first.`,
    { errors: [{ path: 'addresses', code: 'taken', message }] },
  )
}

const missing = (): Problem => new Problem('not_found', 'There is no stream with this alias.')

const staysOpen = (alias: string): Problem =>
  new Problem('conflict', `Every domain has the stream ${alias}; it cannot be archived or deleted.`)

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidFields(problems)
}

function checkAlias(alias: string | undefined): FieldProblem[] {
  if (alias === undefined || /^[a-z][a-z0-9_-]*$/.test(alias)) return []
  const message =
    'An alias begins with a lowercase letter, followed by lowercase letters, digits, "-" and "_".'
  return [{ path: 'alias', code: 'invalid_alias', message }]
}

/** Fields for sending, which inbound streams cannot have. */
const OF_SENDING = [
  'rate',
  'retry_for_seconds',
  'sending_allowance',
  'track_opens',
  'track_links',
  'guard',
] as const

function checkChanges(input: StreamChanges, kind: StreamKind | undefined): FieldProblem[] {
  const { name, rate, headers = {} } = input
  const problems: FieldProblem[] = brandProblems(input.brand)
  if (kind !== undefined && kind !== 'broadcast') {
    const given = [
      input.brand == null ? [] : 'brand',
      input.unsubscribe === 'sender' ? 'unsubscribe' : [],
    ].flat()
    const message = 'Only broadcast streams have an unsubscribe link and page; leave this field out.'
    problems.push(...given.map((path) => ({ path, code: 'not_broadcast', message })))
  }
  if (kind === 'inbound') {
    const given = [
      ...OF_SENDING.filter((field) => input[field] != null),
      ...(Object.keys(headers).length > 0 ? ['headers'] : []),
    ]
    const message = 'An inbound stream sends no mail; leave this field out.'
    problems.push(...given.map((path) => ({ path, code: 'not_of_inbound', message })))
  }
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
    const message = 'On a broadcast stream the service writes this header, with a link for each recipient.'
    problems.push({ path, code: 'header_not_permitted', message })
  }
  return problems
}
