// The tables: every column with its kind and its values; the migrations make them. Long because they are one list.

import type { AttemptStatus } from '../../model/attempt.ts'
import type { BulkStatus } from '../../model/bulk.ts'
import { DELIVERY_TIME_BOUNDS, deliveryTimeColumn } from '../../model/delivery-time.ts'
import type { DomainEventType, RecordNote, RecordPurpose } from '../../model/domain.ts'
import { COUNTED_EVENTS, type EventType } from '../../model/event.ts'
import type { InboundKind } from '../../model/inbound-message.ts'
import type { ContentFormat, MessageStatus } from '../../model/message.ts'
import type { HoldKind, QueueState } from '../../model/queue-state.ts'
import type { RecipientRole, RecipientStatus } from '../../model/recipient.ts'
import { recordOf } from '../../model/record-of.ts'
import type { RetentionKind } from '../../model/retention.ts'
import type { Role } from '../../model/role.ts'
import type { StreamKind, UnsubscribeBy } from '../../model/stream.ts'
import type { SuppressionReason } from '../../model/suppression.ts'
import type { DeliveryStatus, DisabledReason, WebhookFormat } from '../../model/webhook.ts'
import type { SealedText } from './secrets.ts'

// Times are whole milliseconds since the epoch. JSON is text. Every row that belongs to an account or a domain
// carries its ID, and every query names it.

/**
 * Storage of a column: text that sorts by its bytes, a whole number, or bytes. A moment is a time by the clock of the
 * database, independent of the nodes' clocks.
 */
export type ColumnKind = 'text' | 'integer' | 'bytes' | 'moment'

/** A column, with the values that it may have. */
interface Column<Value> {
  readonly kind: ColumnKind
  /** Column with the ID of the row that the secret belongs to; undefined: it holds no secret. */
  readonly secretOf?: string
  /** Never set: carries the type. */
  readonly value?: Value
}

const text = <Value extends string | null = string>(): Column<Value> => ({ kind: 'text' })
const integer = <Value extends number | null = number>(): Column<Value> => ({ kind: 'integer' })
const moment = <Value extends number | null = number>(): Column<Value> => ({ kind: 'moment' })
const bytes = (): Column<Uint8Array> => ({ kind: 'bytes' })
const secret = (secretOf: string): Column<SealedText> => ({ kind: 'text', secretOf })

/** The retention that a domain or a stream has of its own. */
const RETENTION_DAYS = {
  content_retention_days: integer<number | null>(),
  transcript_retention_days: integer<number | null>(),
  record_retention_days: integer<number | null>(),
}

/** The messages that one rule of the retention is about, and one of them. */
const RETENTION_SWEEP = {
  kind: text<RetentionKind>(),
  domain_id: text(),
  stream: text(),
  message_id: text(),
}

export const TABLES = {
  /** Facts; those that `secretFact` tells hold a secret. */
  installation: { name: text(), value: text() },
  /** The key that the secrets of this store are sealed with, itself sealed by the key file: one row, or none. */
  sealing: {
    id: text<'store'>(),
    /** Of the key file. */
    fingerprint: text(),
    data_key: text(),
    begun_at: integer(),
    /** Null until every secret that was there before is sealed. */
    sealed_at: integer<number | null>(),
  },
  accounts: {
    id: text(),
    name: text(),
    status: text<'active' | 'suspended'>(),
    /** Recipients that may still be sent to; null is without limit. */
    sending_allowance: integer<number | null>(),
    verification_credits: integer(),
    /** Bytes of messages that it may store; null is the installation's limit. */
    stored_bytes_limit: integer<number | null>(),
    created_at: integer(),
  },
  /** Bytes of messages that each account stores, kept by a reader of the event log. */
  stored_bytes: {
    account_id: text(),
    bytes: integer(),
    /** Of these, the bytes of inbound messages. */
    inbound_bytes: integer(),
  },
  /** Problems of accounts, and what their owners were told of them by mail. */
  problem_notices: {
    account_id: text(),
    problem: text(),
    title: text(),
    seen_at: integer(),
    /** Null until the owners were told. */
    told_at: integer<number | null>(),
    /** Time at which it was first found to be over; null while it lasts. */
    gone_at: integer<number | null>(),
  },
  users: {
    id: text(),
    account_id: text(),
    email: text(),
    name: text<string | null>(),
    role: text<Role>(),
    password_hash: text(),
    created_at: integer(),
  },
  domains: {
    id: text(),
    account_id: text(),
    /** A-labels, lower case; unique in the installation among those that are neither deleted nor only claimed. */
    name: text(),
    status: text<'pending' | 'verified' | 'paused'>(),
    created_at: integer(),
    /** Time at which its required records were last seen. */
    verified_at: integer<number | null>(),
    checked_at: integer<number | null>(),
    /** Since when required records of a verified domain are gone. */
    flagged_at: integer<number | null>(),
    /** Token that its account has to publish, while another account holds the domain. */
    claim_token: text<string | null>(),
    /** Its mail and its links remain. */
    deleted_at: integer<number | null>(),
    ...RETENTION_DAYS,
    /** 1: opens, or clicks on links, of its messages are tracked, where they and their stream do not say otherwise. */
    track_opens: integer(),
    track_links: integer(),
  },
  /** Changes of the state of domains, for the people of their account. */
  domain_events: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    type: text<DomainEventType>(),
    at: integer(),
    /** JSON. */
    detail: text(),
  },
  domain_records: {
    domain_id: text(),
    account_id: text(),
    purpose: text<RecordPurpose>(),
    type: text<'TXT' | 'CNAME' | 'MX'>(),
    name: text(),
    value: text(),
    required: integer(),
    status: text<'pending' | 'found' | 'mismatch' | 'missing'>(),
    /** JSON: the values that were found instead, or the right one. */
    found: text(),
    note: text<RecordNote | null>(),
  },
  dkim_keys: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    selector: text(),
    algorithm: text<'rsa-sha256' | 'ed25519-sha256'>(),
    /** PKCS#8 PEM. */
    private_key: secret('id'),
    /** The `p=` of its DNS record. */
    public_key: text(),
    created_at: integer(),
    /** `next`: published beside those that sign; `retiring`: signs no more, but mail under way carries it. */
    state: text<'next' | 'signing' | 'retiring'>(),
  },
  keys: {
    /** `key_…`, or `smtp_…` for an SMTP credential, where it is the user name. */
    id: text(),
    account_id: text(),
    /** The domain it may send for; null for a Verification key. */
    domain_id: text<string | null>(),
    kind: text<'sending' | 'verification' | 'smtp'>(),
    name: text(),
    /** SHA-256 of the secret, hexadecimal. */
    hash: text(),
    last4: text(),
    /** Its own rate limit, such as `50/s`; null for the installation's. */
    rate: text<string | null>(),
    created_at: integer(),
    last_used_at: integer<number | null>(),
    expires_at: integer<number | null>(),
    revoked_at: integer<number | null>(),
  },
  messages: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    key_id: text(),
    /**
     * As it was accepted, until it ends undelivered; of several recipients also `sending` and `delivered`. Which of those
     * of one recipient wait and which are delivered is told by the queue.
     */
    status: text<MessageStatus>(),
    stream: text(),
    from_email: text(),
    from_name: text<string | null>(),
    subject: text(),
    /** Those of the subject that it is found by, a space before each. */
    words: text(),
    tag: text<string | null>(),
    metadata: text<string | null>(),
    /** Bytes as submitted. */
    size: integer(),
    /** 1: handed over only by TLS to a host whose certificate was verified. */
    require_tls: integer(),
    recipient_count: integer(),
    /** Scheduled time; null for at once. */
    send_at: integer<number | null>(),
    created_at: integer(),
    /** Time at which it is given up, however many attempts there were; null: by the schedule alone. */
    expires_at: integer<number | null>(),
    /** Last change of this row; that of the message is the last event of a recipient where it is later. */
    updated_at: integer(),
    /** The message whose content it sends again. */
    resend_of: text<string | null>(),
    /** Its Message-ID without angle brackets, where the sender wrote one; null: the one made from its ID. */
    message_id_header: text<string | null>(),
  },
  message_contents: {
    message_id: text(),
    account_id: text(),
    domain_id: text(),
    format: text<ContentFormat>(),
    content: bytes(),
    /** The bulk whose base the content is a delta of (`store/messages/delta.ts`); null: the content stands here. */
    bulk_id: text<string | null>(),
  },
  /** Mail to many: one message that is sent to each row of a list, with what the row says. */
  bulks: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    key_id: text(),
    /** As the user calls it, the name of a file say. */
    name: text<string | null>(),
    stream: text(),
    tag: text<string | null>(),
    /** ID of its template; null for content of its own. */
    template_id: text<string | null>(),
    subject: text<string | null>(),
    /** `loading` until all rows are there; `paused` while its messages cannot be accepted. */
    status: text<BulkStatus>(),
    /** JSON: the problem that it waits for the end of; null while there is none. */
    problem: text<string | null>(),
    /** Time before which a paused one is not tried again. */
    retry_at: integer(),
    /** Rows, those that became messages, and those that were refused. */
    total: integer(),
    accepted: integer(),
    refused: integer(),
    /** Messages whose stored content is a delta of the base. */
    contents: integer(),
    /** Token of its holder; messages are accepted only under the same lease. */
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
    created_at: integer(),
    finished_at: integer<number | null>(),
  },
  /** The content of a bulk, once. */
  bulk_contents: {
    bulk_id: text(),
    account_id: text(),
    domain_id: text(),
    /** JSON: the message and the sources of its template; what rows are rendered with. */
    source: bytes(),
    /** What the contents of its messages are deltas of; nobody's row is in it. */
    base: bytes(),
  },
  bulk_rows: {
    bulk_id: text(),
    /** Line of the file, from 1. */
    line: integer(),
    account_id: text(),
    domain_id: text(),
    /** The address until there is a message, which has it then; as it was given where it is none. */
    email: text(),
    /** JSON: what the row says; null when it became a message or was refused. */
    data: text<string | null>(),
    message_id: text<string | null>(),
    /** JSON: problems for which it was refused. */
    refusal: text<string | null>(),
  },
  /**
   * The queue: a row for each recipient that is not final. What became of an attempt stands in `recipients`; that one
   * is under way stands here alone.
   */
  queue: {
    message_id: text(),
    position: integer(),
    account_id: text(),
    domain_id: text(),
    /** The recipient's domain. */
    destination: text(),
    stream: text(),
    /** Bytes of the message. */
    size: integer(),
    state: text<QueueState>(),
    /** The share of a throttled one, the pause of a held one; else empty. */
    waits_for: text(),
    /** Its order. */
    start_tag: integer(),
    /** From when on it is ready; null for those that wait for something else. */
    due_at: integer<number | null>(),
    /** The token of the lease that it is under. */
    lease: text<string | null>(),
    /** When the lease ends. */
    lease_until: moment<number | null>(),
    /** When its attempt was claimed. */
    active_since: integer<number | null>(),
    /** 1: the lease was renewed, so that the attempt has gone on for a while. */
    renewed: integer(),
    /** Attempts that ended. */
    attempts: integer(),
    /** Ends of our process in a row while it was active. */
    faults: integer(),
    /** 1: an attempt was cut off after the final dot, so that the receiver may have it already. */
    possible_duplicate: integer(),
  },
  /** When the nodes that share the store last wrote into it; see `queue/heartbeat.ts`. */
  store_heartbeat: {
    /** 1: the only row. */
    id: integer(),
    beat_at: integer(),
    /** End of the last outage; 0 when there was none. */
    steady_since: integer(),
  },
  /** Token buckets of rates that nodes share; see `node/shared-rates.ts`. */
  shared_rates: {
    /** Hash of its name, which may hold a client's address. */
    name: text(),
    /** Microseconds since the epoch, by the database's clock. */
    full_at: integer(),
    /** Microseconds in which the tokens that were taken last come back. */
    cost: integer(),
  },
  /** The recipients of messages, with the last that became of them. */
  recipients: {
    message_id: text(),
    /** From 0, in the order of to, cc, bcc. */
    position: integer(),
    account_id: text(),
    domain_id: text(),
    role: text<RecipientRole>(),
    email: text(),
    name: text<string | null>(),
    /** The recipient's domain, the unit of throttling. */
    destination: text(),
    /** Never `sending`: that an attempt is under way is told by the queue. */
    status: text<Exclude<RecipientStatus, 'sending'>>(),
    /** Attempts that ended. */
    attempts: integer(),
    last_event_at: integer(),
    smtp_code: integer<number | null>(),
    smtp_response: text<string | null>(),
    mx: text<string | null>(),
  },
  /** By which messages are found. */
  message_words: { domain_id: text(), word: text(), message_id: text() },
  /** Events of recipients in each hour, by stream. */
  message_counts: {
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** The beginning of the hour. */
    hour_at: integer(),
    ...recordOf(COUNTED_EVENTS, integer),
    ...recordOf(DELIVERY_TIME_BOUNDS.keys().map(deliveryTimeColumn), integer),
  },
  /** Parts of `message_counts`: by tag, by receiving provider, and bounces by category. */
  message_parts: {
    account_id: text(),
    hour_at: integer(),
    domain_id: text(),
    stream: text(),
    kind: text<'tag' | 'provider' | 'category'>(),
    /** See `messages/message-parts.ts`. */
    name: text(),
    ...recordOf(COUNTED_EVENTS, integer),
    ...recordOf(DELIVERY_TIME_BOUNDS.keys().map(deliveryTimeColumn), integer),
  },
  /** Events that each commit added to `events`, until every reader has read them. */
  event_log: {
    /** Readers go by it; see `events/event-log.ts`. */
    position: integer(),
    written_at: integer(),
    /** JSON. */
    events: text(),
  },
  /** Where events stand in the feed that are later there than their time, by the minutes of both. */
  late_events: {
    at_minute: integer(),
    position_minute: integer(),
    first_position: integer(),
    last_position: integer(),
  },
  /** Every event in the order in which it is followed; positions grow, and none is given twice. */
  event_feed: {
    domain_id: text(),
    /** See `events/feed.ts`. */
    position: integer(),
    type: text<EventType>(),
    message_id: text(),
    event_id: text(),
  },
  /** The last position of each domain. */
  event_feed_ends: { domain_id: text(), position: integer() },
  /** Up to where each reader has read the log. */
  event_log_readers: { name: text(), position: integer() },
  /** Suppressions of erased addresses. */
  erased_suppressions: {
    domain_id: text(),
    stream: text(),
    /** See erased-suppressions.ts. */
    hash: text(),
    account_id: text(),
    reason: text<SuppressionReason>(),
    created_at: integer(),
  },
  /** Up to which message each sweep of the retention has come; empty domain and stream: the installation's sweep. */
  retention_marks: RETENTION_SWEEP,
  /** Older messages that a sweep had to leave, since a recipient waited. */
  retention_skipped: RETENTION_SWEEP,
  attempts: {
    message_id: text(),
    position: integer(),
    number: integer(),
    account_id: text(),
    domain_id: text(),
    started_at: integer(),
    duration_ms: integer(),
    status: text<AttemptStatus>(),
    reason: text(),
    mx: text<string | null>(),
    address: text<string | null>(),
    tls: text<string | null>(),
    smtp_code: integer<number | null>(),
    smtp_enhanced: text<string | null>(),
    smtp_response: text<string | null>(),
    transcript: text(),
  },
  events: {
    id: text(),
    message_id: text(),
    account_id: text(),
    domain_id: text(),
    type: text<EventType>(),
    at: integer(),
    email: text(),
    detail: text(),
  },
  /** Hits of the tracked links of a recipient, in one row for each link that had any. */
  tracked_links: {
    message_id: text(),
    position: integer(),
    /** Number of the link in its message; -1 is the open pixel. */
    link: integer(),
    account_id: text(),
    domain_id: text(),
    /** Hits by people, and by machines. */
    hits: integer(),
    machine_hits: integer(),
    first_at: integer(),
    last_at: integer(),
  },
  idempotency_keys: {
    key_id: text(),
    idempotency_key: text(),
    body_hash: text(),
    message_id: text(),
    response: text(),
    created_at: integer(),
  },
  /** Requests under an Idempotency-Key whose answer is not kept yet, with the lease of the node that works on them. */
  keyed_requests: {
    key_id: text(),
    idempotency_key: text(),
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
  },
  /** Changes that such a request has committed: the result of each, sealed for who knows the caller's secret. */
  keyed_request_steps: { key_id: text(), idempotency_key: text(), step: integer(), sealed: text() },
  queue_pauses: { kind: text<HoldKind>(), value: text(), created_at: integer() },
  /** The smarthosts that domains have of their own; apart from the domains, since the URL holds a secret. */
  domain_relays: {
    domain_id: text(),
    account_id: text(),
    url: secret('domain_id'),
    created_at: integer(),
  },
  mta_sts_policies: {
    /** The recipients' domain that publishes it. */
    domain: text(),
    policy_id: text(),
    mode: text<'none' | 'testing' | 'enforce'>(),
    /** JSON: the patterns for host names. */
    mx: text(),
    /** Seconds, as published. */
    max_age: integer(),
    fetched_at: integer(),
    expires_at: integer(),
  },
  /** Source of TLS reports (RFC 8460). */
  tls_results: {
    /** The day in UTC, `2026-01-31`. */
    day: text(),
    policy_domain: text(),
    policy_type: text<'sts' | 'tlsa'>(),
    /** The host spoken to; empty when no host was. */
    mx: text(),
    /** `success`, or the result type of RFC 8460 §4.3. */
    result: text(),
    /** JSON: the policy in strings, as the report shows it. */
    policy: text(),
    sessions: integer(),
  },
  mailbox_mails: {
    id: text(),
    received_at: integer(),
    mail_from: text(),
    rcpt_to: text(),
    tls: text<string | null>(),
    raw: bytes(),
  },
  credit_grants: {
    account_id: text(),
    id: text(),
    credits: integer(),
    note: text<string | null>(),
    granted_at: integer(),
  },
  /** Credits that verifications took, by day. */
  credit_uses: {
    account_id: text(),
    /** `2026-01-31`, UTC. */
    day: text(),
    credits: integer(),
  },
  /** Lists of addresses to verify. */
  verifications: {
    id: text(),
    account_id: text(),
    key_id: text(),
    /** As the user calls it, the name of a file say. */
    name: text<string | null>(),
    /** JSON: names of the columns that came beside the addresses, in order. */
    columns: text<string | null>(),
    /** `loading` until all addresses are there; `paused` while the account has no credits. */
    status: text<'loading' | 'queued' | 'running' | 'paused' | 'cancelled' | 'done'>(),
    /** Distinct addresses. */
    total: integer(),
    /** Addresses that were given more than once. */
    duplicates: integer(),
    deliverable: integer(),
    undeliverable: integer(),
    risky: integer(),
    unknown: integer(),
    /** Token of its holder; findings are written only under the same lease. */
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
    created_at: integer(),
    finished_at: integer<number | null>(),
  },
  verification_addresses: {
    verification_id: text(),
    /** From 0, in the order of the list. */
    position: integer(),
    account_id: text(),
    email: text(),
    /** JSON: what came of it; null until then. */
    answer: text<string | null>(),
    /** JSON: what stood beside it in the columns of the list. */
    cells: text<string | null>(),
  },
  /** Verifications of single addresses, by an API key or a user. */
  verification_checks: {
    account_id: text(),
    id: text(),
    email: text(),
    result: text<'deliverable' | 'undeliverable' | 'risky' | 'unknown'>(),
    /** JSON. */
    answer: text(),
    key_id: text<string | null>(),
    user_id: text<string | null>(),
    checked_at: integer(),
  },
  /** Links without a login to a message or to the records of a domain: those made until then are worth nothing. */
  link_revocations: {
    subject: text(),
    revoked_at: integer(),
  },
  suppressions: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** In lower case (`suppressionRow`); unique within the stream of the domain. */
    email: text(),
    reason: text<SuppressionReason>(),
    /** The message whose bounce, complaint or link it came from; null when someone put it there. */
    message_id: text<string | null>(),
    created_at: integer(),
    /** The reason that it had before an unsubscription or a complaint. */
    replaced: text<SuppressionReason | null>(),
  },
  /** The nodes that run, and those that did. */
  nodes: {
    id: text(),
    host_name: text(),
    /** `api,smtp` */
    roles: text(),
    version: text(),
    started_at: integer(),
    seen_at: moment(),
    /** JSON of a `NodeLoad`. */
    load: text(),
  },
  /** Work that one node does for all of them. */
  singleton_jobs: { name: text(), lease: text<string | null>(), lease_until: moment<number | null>() },
  inbox_mails: {
    id: text(),
    received_at: integer(),
    /** As it was given: other hosts need not give an address. */
    mail_from: text(),
    rcpt_to: text(),
    subject: text(),
    /** Bytes as received; `raw` has the first of them. */
    size: integer(),
    raw: bytes(),
  },
  /** Addresses of inbound streams; see `model/inbound-address.ts`. */
  inbound_addresses: {
    host: text(),
    local: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
  },
  /** Mail for inbound streams: a row for each stream that a mail came for. */
  inbound_messages: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    kind: text<InboundKind>(),
    /** `received` until it has been read and authenticated; then its event is written. */
    state: text<'received' | 'processed'>(),
    /** How often it was claimed to be read. */
    tries: integer(),
    /** Token of the node that reads it. */
    lease: text<string | null>(),
    /** Until when it does. */
    lease_until: moment<number | null>(),
    received_at: integer(),
    /** As the client gave it. */
    mail_from: text(),
    /** JSON: addresses of the stream that it came for. */
    rcpt_to: text(),
    client_address: text(),
    helo: text(),
    /** Such as `TLSv1.3`. */
    tls: text<string | null>(),
    /** The first author; empty without one. */
    from_email: text(),
    from_name: text<string | null>(),
    subject: text(),
    /** Its Message-ID without angle brackets. */
    header_message_id: text<string | null>(),
    /** Bytes as received. */
    size: integer(),
    /** JSON. */
    flags: text(),
    /** JSON; null until then, and when it could not be done. */
    authentication: text<string | null>(),
  },
  inbound_contents: {
    inbound_id: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    raw: bytes(),
  },
  inbound_parsed: {
    inbound_id: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** JSON. */
    parsed: text(),
  },
  layouts: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** Unique within the domain. */
    alias: text<string | null>(),
    name: text(),
    html: text<string | null>(),
    text: text<string | null>(),
    /** JSON: the model for previews; null without one. */
    sample_model: text<string | null>(),
    /** From 1, one more with every save. */
    version: integer(),
    created_at: integer(),
    updated_at: integer(),
  },
  templates: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** Unique within the domain. */
    alias: text<string | null>(),
    name: text(),
    subject: text<string | null>(),
    html: text<string | null>(),
    text: text<string | null>(),
    layout_id: text<string | null>(),
    /** JSON: paths that the model must have. */
    required_paths: text(),
    /** 1: CSS goes into style attributes. */
    inline_css: integer(),
    /** JSON: the model for previews; null without one. */
    sample_model: text<string | null>(),
    /** From 1, one more with every save. */
    version: integer(),
    created_at: integer(),
    updated_at: integer(),
  },
  /** Of templates and layouts, told apart by the ID. */
  template_versions: {
    template_id: text(),
    version: integer(),
    account_id: text(),
    domain_id: text(),
    /** The ID of the key that saved it, or `operator`. */
    saved_by: text(),
    /** JSON: all that was saved. */
    snapshot: text(),
    created_at: integer(),
  },
  streams: {
    alias: text(),
    account_id: text(),
    domain_id: text(),
    name: text(),
    kind: text<StreamKind>(),
    /** Rate limit, such as `50/s`; null for none. */
    rate: text<string | null>(),
    /** After how many milliseconds its mail is given up; null for the installation's schedule. */
    retry_for_ms: integer<number | null>(),
    /** Recipients that may still be sent to; null is without limit. */
    sending_allowance: integer<number | null>(),
    /** JSON: header fields that each of its messages gets. */
    headers: text(),
    /** JSON of a `Brand`, for the unsubscribe page; null without one. */
    brand: text<string | null>(),
    /** Whose List-Unsubscribe its messages have, where they come with one. */
    unsubscribe: text<UnsubscribeBy>(),
    /** 1: it has had a message, so that it is archived instead of deleted. */
    used: integer(),
    /** 0: the content of a message goes as soon as none of its recipients waits. */
    store_content: integer(),
    /** Null: as the domain says. */
    track_opens: integer<number | null>(),
    track_links: integer<number | null>(),
    archived_at: integer<number | null>(),
    created_at: integer(),
    updated_at: integer(),
    ...RETENTION_DAYS,
  },
  webhooks: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    name: text(),
    url: text(),
    format: text<WebhookFormat>(),
    /** JSON, these and the next two: those that it gets; none is all. */
    event_types: text(),
    streams: text(),
    tags: text(),
    /** Events of one request at most. */
    batch: integer(),
    secrets: secret('id'),
    /** `deleted`: its deliveries are still to be removed. */
    status: text<'enabled' | 'disabled' | 'deleted'>(),
    disabled_reason: text<DisabledReason | null>(),
    disabled_at: integer<number | null>(),
    /** Up to where in the feed of its domain every event has had an attempt. */
    position: integer(),
    /** The same for a replay, and where that ends; null without one. */
    replay_position: integer<number | null>(),
    replay_until: integer<number | null>(),
    /** Time before which the events of the replay are; null without one. */
    replay_before: integer<number | null>(),
    /** The last position whose event has had an attempt. Where it is `position` or less, no event ahead has had one. */
    attempted_to: integer(),
    /** When the first of its pending deliveries is due. */
    due_at: integer<number | null>(),
    /** Until when it is left alone. */
    resume_at: integer<number | null>(),
    /** Failed attempts in a row, and since when. */
    failures: integer(),
    failing_since: integer<number | null>(),
    /** Token of the node that delivers. */
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
    created_at: integer(),
    updated_at: integer(),
  },
  webhook_deliveries: {
    webhook_id: text(),
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** Of its first event, these three. */
    event_id: text(),
    event_type: text<EventType>(),
    message_id: text(),
    /** JSON: places of its events in the feed; none in a test. */
    positions: text(),
    status: text<DeliveryStatus>(),
    /** Attempts that were made. */
    attempts: integer(),
    /** JSON: the last of them. */
    log: text(),
    due_at: integer<number | null>(),
  },
  /** Targets of the links in mail of broadcast streams. */
  unsubscribe_links: {
    token: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** In its only spelling. */
    email: text(),
    /** The newest message that carried the link, and the recipient's position in it. */
    message_id: text(),
    position: integer(),
    created_at: integer(),
  },
  /** Logins of users. */
  sessions: {
    id: text(),
    user_id: text(),
    account_id: text(),
    /** SHA-256 of the token in the cookie. */
    hash: text(),
    /** Client address at the login. */
    address: text(),
    user_agent: text(),
    created_at: integer(),
    /** Kept to the minute. */
    last_seen_at: integer(),
  },
  /** The second factor of a user. */
  user_totp: {
    user_id: text(),
    account_id: text(),
    secret: secret('user_id'),
    created_at: integer(),
    /** Null until the first code has shown that the user has it. */
    confirmed_at: integer<number | null>(),
    /** The time step of the last code that was taken: none is taken twice. */
    last_step: integer<number | null>(),
  },
  /** Codes that stand for the second factor, each once: a row goes when it is used. */
  recovery_codes: { user_id: text(), account_id: text(), hash: text() },
  passkeys: {
    id: text(),
    user_id: text(),
    account_id: text(),
    /** WebAuthn's, base64url. */
    credential_id: text(),
    /** COSE. */
    public_key: bytes(),
    /** Signatures made, as the authenticator counts them; 0 for those that do not count. */
    counter: integer(),
    /** JSON. */
    transports: text(),
    name: text(),
    created_at: integer(),
    last_used_at: integer<number | null>(),
  },
  /** Links and challenges that are good for one use: a row goes when it is used. */
  one_time_tokens: {
    /** SHA-256 of the token. */
    hash: text(),
    purpose: text<'first_run' | 'password_reset' | 'passkey_login' | 'passkey_making'>(),
    user_id: text<string | null>(),
    expires_at: integer(),
  },
  invitations: {
    id: text(),
    account_id: text(),
    email: text(),
    role: text<Role>(),
    /** SHA-256 of the token in its link. */
    hash: text(),
    /** The user who invited. */
    invited_by: text(),
    created_at: integer(),
    expires_at: integer(),
  },
  /** Failed logins by what was tried: an address to log in with. */
  login_failures: { name: text(), failures: integer(), since_at: integer() },
  /** Requests that keys made of the API. */
  request_log: {
    account_id: text(),
    id: text(),
    at: integer(),
    key_id: text(),
    domain_id: text<string | null>(),
    method: text(),
    /** Without its query; IDs as they are, other names as their pattern. */
    path: text(),
    status: integer(),
    /** Of the problem document. */
    code: text<string | null>(),
    duration_ms: integer(),
    /** Requests of the account that have no entry since the one before. */
    missed: integer(),
  },
  /** Changes made through the dashboard and the command line; append-only. */
  audit_log: {
    id: text(),
    account_id: text(),
    at: integer(),
    /** Null when it was no user. */
    user_id: text<string | null>(),
    /** Author, in words that stay when the user goes: an address. */
    actor: text(),
    action: text(),
    /** The ID or name of what it was done to. */
    target: text<string | null>(),
    /** Client address. */
    address: text<string | null>(),
    /** JSON; never a secret. */
    detail: text(),
  },
}

type ValueOf<One> = One extends Column<infer Value> ? Value : never

/** The rows of each table. */
export type Tables = {
  [Table in keyof typeof TABLES]: {
    [Name in keyof (typeof TABLES)[Table]]: ValueOf<(typeof TABLES)[Table][Name]>
  }
} & Record<'message_counts' | 'message_parts', Record<`took_${number}`, number>>

/** The columns that hold secrets, each with the column that names the owner. */
export const SECRET_COLUMNS = Object.entries(TABLES).flatMap(([table, columns]) =>
  Object.entries(columns as Readonly<Record<string, Column<unknown>>>).flatMap(([column, { secretOf }]) =>
    secretOf === undefined ? [] : [{ table: table as keyof Tables, column, owner: secretOf }],
  ),
)

/** Storage of a column. */
export const kindOf = <Table extends keyof Tables>(table: Table, column: string): ColumnKind => {
  const found = (TABLES[table] as Readonly<Record<string, Column<unknown>>>)[column]
  if (found === undefined) throw new Error(`${table} has no column ${column}`)
  return found.kind
}
