// The tables: every column with its kind and its values; the migrations create them. The file is long because it is one
// list.

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

// Times are whole milliseconds since the epoch. JSON is text. Every row that belongs to an account or a domain has its
// ID, and every query names that ID.

/**
 * Storage of a column: text that sorts by its bytes, a whole number, or bytes. A moment is a time by the clock of the
 * database, independent of the nodes' clocks.
 */
export type ColumnKind = 'text' | 'integer' | 'bytes' | 'moment'

/** A column and the type of its values. */
interface Column<Value> {
  readonly kind: ColumnKind
  /** Column with the ID of the row that owns the secret; undefined for a column without a secret. */
  readonly secretOf?: string
  /** Never set; carries the type. */
  readonly value?: Value
}

const text = <Value extends string | null = string>(): Column<Value> => ({ kind: 'text' })
const integer = <Value extends number | null = number>(): Column<Value> => ({ kind: 'integer' })
const moment = <Value extends number | null = number>(): Column<Value> => ({ kind: 'moment' })
const bytes = (): Column<Uint8Array> => ({ kind: 'bytes' })
const secret = (secretOf: string): Column<SealedText> => ({ kind: 'text', secretOf })

/** Retention periods of a domain or a stream. */
const RETENTION_DAYS = {
  content_retention_days: integer<number | null>(),
  transcript_retention_days: integer<number | null>(),
  record_retention_days: integer<number | null>(),
}

/** The messages that one retention rule covers, and one of these messages. */
const RETENTION_SWEEP = {
  kind: text<RetentionKind>(),
  domain_id: text(),
  stream: text(),
  message_id: text(),
}

export const TABLES = {
  /** Facts by name; the facts that `secretFact` describes are secrets. */
  installation: { name: text(), value: text() },
  /** The data key that seals the secrets of this store, itself sealed with the key file: one row or none. */
  sealing: {
    id: text<'store'>(),
    /** Fingerprint of the key file. */
    fingerprint: text(),
    data_key: text(),
    begun_at: integer(),
    /** Time at which every earlier secret was sealed; null before. */
    sealed_at: integer<number | null>(),
  },
  accounts: {
    id: text(),
    name: text(),
    status: text<'active' | 'suspended'>(),
    /** Recipients that the account may still send to; null for no limit. */
    sending_allowance: integer<number | null>(),
    verification_credits: integer(),
    /** Bytes of messages that the account may store; null for the limit of the installation. */
    stored_bytes_limit: integer<number | null>(),
    created_at: integer(),
  },
  /** Bytes of messages that each account stores, updated by a reader of the event log. */
  stored_bytes: {
    account_id: text(),
    bytes: integer(),
    /** Part of `bytes` in inbound messages. */
    inbound_bytes: integer(),
  },
  /** Problems of accounts, and the notices of them that the owners got by mail. */
  problem_notices: {
    account_id: text(),
    problem: text(),
    title: text(),
    seen_at: integer(),
    /** Time of the notice; null before. */
    told_at: integer<number | null>(),
    /** Time at which the problem was first found to be over; null while it lasts. */
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
    /** A-labels in lower case; unique in the installation among domains that are neither deleted nor merely claimed. */
    name: text(),
    status: text<'pending' | 'verified' | 'paused'>(),
    created_at: integer(),
    /** Time at which the required records were last found. */
    verified_at: integer<number | null>(),
    checked_at: integer<number | null>(),
    /** Time since which required records of a verified domain are missing. */
    flagged_at: integer<number | null>(),
    /** Token that the account has to publish while another account holds the domain. */
    claim_token: text<string | null>(),
    /** Time of the deletion; mail and links of the domain remain. */
    deleted_at: integer<number | null>(),
    ...RETENTION_DAYS,
    /** 1: opens or link clicks of its messages are tracked, unless the message or its stream says otherwise. */
    track_opens: integer(),
    track_links: integer(),
  },
  /** Changes of the state of domains, for the users of the account. */
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
    /** JSON: the wrong values that were found, or the correct one. */
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
    /** Value of `p=` in the DNS record. */
    public_key: text(),
    created_at: integer(),
    /**
     * `next`: published in addition to the signing keys; `retiring`: signs no new mail, while mail under way carries
     * its signature.
     */
    state: text<'next' | 'signing' | 'retiring'>(),
  },
  keys: {
    /** `key_…`, or `smtp_…` for an SMTP credential, where the ID is the user name. */
    id: text(),
    account_id: text(),
    /** Domain that the key may send for; null for a Verification key. */
    domain_id: text<string | null>(),
    kind: text<'sending' | 'verification' | 'smtp'>(),
    name: text(),
    /** SHA-256 of the secret in hexadecimal. */
    hash: text(),
    last4: text(),
    /** Rate limit of the key, such as `50/s`; null for the limit of the installation. */
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
     * Status at acceptance, or a final undelivered status; with several recipients also `sending` and `delivered`. For
     * a message with one recipient, the queue shows whether it waits or was delivered.
     */
    status: text<MessageStatus>(),
    stream: text(),
    from_email: text(),
    from_name: text<string | null>(),
    subject: text(),
    /** Words of the subject for searches, each after a space. */
    words: text(),
    tag: text<string | null>(),
    metadata: text<string | null>(),
    /** Size in bytes as submitted. */
    size: integer(),
    /** 1: handed over only through TLS to a host with a verified certificate. */
    require_tls: integer(),
    recipient_count: integer(),
    /** Scheduled time; null for immediate sending. */
    send_at: integer<number | null>(),
    created_at: integer(),
    /** Time at which delivery is given up, whatever the number of attempts; null for the retry schedule alone. */
    expires_at: integer<number | null>(),
    /** Last change of this row. The last change of the message is the last event of a recipient, if that is later. */
    updated_at: integer(),
    /** Message whose content this message sends again. */
    resend_of: text<string | null>(),
    /** The sender's Message-ID without angle brackets; null if the Message-ID is made from the message's ID. */
    message_id_header: text<string | null>(),
  },
  message_contents: {
    message_id: text(),
    account_id: text(),
    domain_id: text(),
    format: text<ContentFormat>(),
    content: bytes(),
    /** Bulk whose base the content is a delta of (`store/messages/delta.ts`); null for complete content. */
    bulk_id: text<string | null>(),
  },
  /** Bulk mail: one message that is sent for each row of a list, with the data of the row. */
  bulks: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    key_id: text(),
    /** Name given by the user, for example that of a file. */
    name: text<string | null>(),
    stream: text(),
    tag: text<string | null>(),
    /** ID of the template; null for content without a template. */
    template_id: text<string | null>(),
    subject: text<string | null>(),
    /** `loading` until all rows are stored; `paused` while its messages cannot be accepted. */
    status: text<BulkStatus>(),
    /** JSON: the problem that pauses the bulk; null without one. */
    problem: text<string | null>(),
    /** Time before which a paused bulk is not tried again. */
    retry_at: integer(),
    /** Numbers of all rows, of rows that became messages, and of refused rows. */
    total: integer(),
    accepted: integer(),
    refused: integer(),
    /** Number of messages whose stored content is a delta of the base. */
    contents: integer(),
    /** Token of the holder; messages are accepted only under the current lease. */
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
    created_at: integer(),
    finished_at: integer<number | null>(),
  },
  /** The shared content of a bulk. */
  bulk_contents: {
    bulk_id: text(),
    account_id: text(),
    domain_id: text(),
    /** JSON: the message and the sources of its template, for rendering the rows. */
    source: bytes(),
    /** Content that the contents of the messages are deltas of; it contains data of no row. */
    base: bytes(),
  },
  bulk_rows: {
    bulk_id: text(),
    /** Line of the file, from 1. */
    line: integer(),
    account_id: text(),
    domain_id: text(),
    /** Address, until the message has it; the given text if that is not an address. */
    email: text(),
    /** JSON: the data of the row; null once the row became a message or was refused. */
    data: text<string | null>(),
    message_id: text<string | null>(),
    /** JSON: problems of a refused row. */
    refusal: text<string | null>(),
  },
  /**
   * The queue: a row for each recipient that is not final. Results of attempts are in `recipients`; only this table
   * shows that an attempt is under way.
   */
  queue: {
    message_id: text(),
    position: integer(),
    account_id: text(),
    domain_id: text(),
    /** Domain of the recipient. */
    destination: text(),
    stream: text(),
    /** Bytes of the message. */
    size: integer(),
    state: text<QueueState>(),
    /** Share of a throttled recipient, pause of a held one; otherwise empty. */
    waits_for: text(),
    /** Position in the fair order. */
    start_tag: integer(),
    /** Time from which on the recipient is ready; null while it waits for something else. */
    due_at: integer<number | null>(),
    /** Token of the current lease. */
    lease: text<string | null>(),
    /** End of the lease. */
    lease_until: moment<number | null>(),
    /** Time at which the attempt was claimed. */
    active_since: integer<number | null>(),
    /** 1: the lease was renewed, so the attempt has lasted for a while. */
    renewed: integer(),
    /** Number of ended attempts. */
    attempts: integer(),
    /** Number of ends of a process in a row while the recipient was active. */
    faults: integer(),
    /** 1: an attempt was cut off after the final dot, so the receiver may already have the message. */
    possible_duplicate: integer(),
  },
  /** Time at which a node last wrote to the shared store; see `queue/heartbeat.ts`. */
  store_heartbeat: {
    /** 1 in the only row. */
    id: integer(),
    beat_at: integer(),
    /** End of the last outage; 0 without one. */
    steady_since: integer(),
  },
  /** Token buckets of the rates that nodes share; see `node/shared-rates.ts`. */
  shared_rates: {
    /** Hash of the name, which may contain a client's address. */
    name: text(),
    /** Microseconds since the epoch by the clock of the database. */
    full_at: integer(),
    /** Microseconds in which the last tokens taken are refilled. */
    cost: integer(),
  },
  /** Recipients of messages with their latest state. */
  recipients: {
    message_id: text(),
    /** From 0 in the order of to, cc, bcc. */
    position: integer(),
    account_id: text(),
    domain_id: text(),
    role: text<RecipientRole>(),
    email: text(),
    name: text<string | null>(),
    /** Domain of the recipient, the unit of throttling. */
    destination: text(),
    /** Never `sending`: the queue shows that an attempt is under way. */
    status: text<Exclude<RecipientStatus, 'sending'>>(),
    /** Number of ended attempts. */
    attempts: integer(),
    last_event_at: integer(),
    smtp_code: integer<number | null>(),
    smtp_response: text<string | null>(),
    mx: text<string | null>(),
  },
  /** Words by which searches find messages. */
  message_words: { domain_id: text(), word: text(), message_id: text() },
  /** Events of recipients in each hour, by stream. */
  message_counts: {
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** Beginning of the hour. */
    hour_at: integer(),
    ...recordOf(COUNTED_EVENTS, integer),
    ...recordOf(DELIVERY_TIME_BOUNDS.keys().map(deliveryTimeColumn), integer),
  },
  /** Breakdown of `message_counts` by tag and receiving provider, and of bounces by category. */
  message_parts: {
    account_id: text(),
    hour_at: integer(),
    domain_id: text(),
    stream: text(),
    kind: text<'tag' | 'provider' | 'category'>(),
    /** See `readers/message-parts.ts`. */
    name: text(),
    ...recordOf(COUNTED_EVENTS, integer),
    ...recordOf(DELIVERY_TIME_BOUNDS.keys().map(deliveryTimeColumn), integer),
  },
  /** Events that each commit added to `events`, until every reader has read them. */
  event_log: {
    /** Position by which readers follow the log; see `events/event-log.ts`. */
    position: integer(),
    written_at: integer(),
    /** JSON. */
    events: text(),
  },
  /** Positions of events that the feed has later than their time, by the minutes of both. */
  late_events: {
    at_minute: integer(),
    position_minute: integer(),
    first_position: integer(),
    last_position: integer(),
  },
  /** Every event in feed order; positions grow, and each is used once. */
  event_feed: {
    domain_id: text(),
    /** See `events/feed.ts`. */
    position: integer(),
    type: text<EventType>(),
    message_id: text(),
    event_id: text(),
  },
  /** Last position of each domain. */
  event_feed_ends: { domain_id: text(), position: integer() },
  /** Position up to which each reader has read the log. */
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
  /**
   * Message up to which each sweep of the retention has come; domain and stream are empty for the sweep of the
   * installation.
   */
  retention_marks: RETENTION_SWEEP,
  /** Older messages that a sweep skipped because a recipient was waiting. */
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
  /** Hits of the tracked links of a recipient, one row for each link with a hit. */
  tracked_links: {
    message_id: text(),
    position: integer(),
    /** Number of the link in its message; -1 for the open pixel. */
    link: integer(),
    account_id: text(),
    domain_id: text(),
    /** Numbers of hits by people and by machines. */
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
  /** Requests under an Idempotency-Key whose answer is not stored yet, with the lease of the node that handles them. */
  keyed_requests: {
    key_id: text(),
    idempotency_key: text(),
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
  },
  /** Committed changes of such a request: the result of each, sealed with the caller's secret. */
  keyed_request_steps: { key_id: text(), idempotency_key: text(), step: integer(), sealed: text() },
  queue_pauses: { kind: text<HoldKind>(), value: text(), created_at: integer() },
  /** Smarthosts of domains, in a table of their own because the URL contains a secret. */
  domain_relays: {
    domain_id: text(),
    account_id: text(),
    url: secret('domain_id'),
    created_at: integer(),
  },
  mta_sts_policies: {
    /** Recipient domain that publishes the policy. */
    domain: text(),
    policy_id: text(),
    mode: text<'none' | 'testing' | 'enforce'>(),
    /** JSON: patterns of host names. */
    mx: text(),
    /** Seconds, as published. */
    max_age: integer(),
    fetched_at: integer(),
    expires_at: integer(),
  },
  /** Source of TLS reports (RFC 8460). */
  tls_results: {
    /** Day in UTC, such as `2026-01-31`. */
    day: text(),
    policy_domain: text(),
    policy_type: text<'sts' | 'tlsa'>(),
    /** Contacted host; empty without one. */
    mx: text(),
    /** `success`, or a result type of RFC 8460 §4.3. */
    result: text(),
    /** JSON: strings of the policy for the report. */
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
  /** Credits used by verifications, by day. */
  credit_uses: {
    account_id: text(),
    /** Day in UTC, such as `2026-01-31`. */
    day: text(),
    credits: integer(),
  },
  /** Lists of addresses for verification. */
  verifications: {
    id: text(),
    account_id: text(),
    key_id: text(),
    /** Name given by the user, for example that of a file. */
    name: text<string | null>(),
    /** JSON: names of the other columns of the list, in order. */
    columns: text<string | null>(),
    /** `loading` until all addresses are stored; `paused` while the account has no credits. */
    status: text<'loading' | 'queued' | 'running' | 'paused' | 'cancelled' | 'done'>(),
    /** Number of distinct addresses. */
    total: integer(),
    /** Number of repeated addresses. */
    duplicates: integer(),
    deliverable: integer(),
    undeliverable: integer(),
    risky: integer(),
    unknown: integer(),
    /** Token of the holder; findings are written only under the current lease. */
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
    created_at: integer(),
    finished_at: integer<number | null>(),
  },
  verification_addresses: {
    verification_id: text(),
    /** From 0 in the order of the list. */
    position: integer(),
    account_id: text(),
    email: text(),
    /** JSON: the result; null before. */
    answer: text<string | null>(),
    /** JSON: cells of the other columns of the list. */
    cells: text<string | null>(),
  },
  /** Verifications of single addresses by an API key or a user. */
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
  /**
   * Revocations of links that need no login, to a message or to the records of a domain: links made until then are
   * invalid.
   */
  link_revocations: {
    subject: text(),
    revoked_at: integer(),
  },
  suppressions: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** Address in lower case (`suppressionRow`); unique within the stream of the domain. */
    email: text(),
    reason: text<SuppressionReason>(),
    /** Message whose bounce, complaint or link caused the suppression; null for a manual entry. */
    message_id: text<string | null>(),
    created_at: integer(),
    /** Reason before an unsubscription or a complaint. */
    replaced: text<SuppressionReason | null>(),
  },
  /** Running and former nodes. */
  nodes: {
    id: text(),
    host_name: text(),
    /** Such as `api,smtp`. */
    roles: text(),
    version: text(),
    started_at: integer(),
    seen_at: moment(),
    /** JSON of a `NodeLoad`. */
    load: text(),
  },
  /** Jobs that one node does for all nodes. */
  singleton_jobs: { name: text(), lease: text<string | null>(), lease_until: moment<number | null>() },
  inbox_mails: {
    id: text(),
    received_at: integer(),
    /** As given: other hosts may give text that is no address. */
    mail_from: text(),
    rcpt_to: text(),
    subject: text(),
    /** Bytes as received; `raw` has the first part of them. */
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
  /** Mail for inbound streams: one row for each stream that a message was addressed to. */
  inbound_messages: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    kind: text<InboundKind>(),
    /** `received` until the message is parsed and authenticated; its event is written then. */
    state: text<'received' | 'processed'>(),
    /** Number of claims for parsing. */
    tries: integer(),
    /** Token of the node that parses the message. */
    lease: text<string | null>(),
    /** End of the lease. */
    lease_until: moment<number | null>(),
    received_at: integer(),
    /** As given by the client. */
    mail_from: text(),
    /** JSON: the addresses of the stream that the message was addressed to. */
    rcpt_to: text(),
    client_address: text(),
    helo: text(),
    /** Such as `TLSv1.3`. */
    tls: text<string | null>(),
    /** First author; empty without one. */
    from_email: text(),
    from_name: text<string | null>(),
    subject: text(),
    /** Message-ID without angle brackets. */
    header_message_id: text<string | null>(),
    /** Size in bytes as received. */
    size: integer(),
    /** JSON. */
    flags: text(),
    /** JSON; null before authentication, and when it failed. */
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
    /** JSON: the template model for previews; null without one. */
    sample_model: text<string | null>(),
    /** Starts at 1 and grows by one with every save. */
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
    /** JSON: paths that the template model must have. */
    required_paths: text(),
    /** 1: CSS is moved into style attributes. */
    inline_css: integer(),
    /** JSON: the template model for previews; null without one. */
    sample_model: text<string | null>(),
    /** Starts at 1 and grows by one with every save. */
    version: integer(),
    created_at: integer(),
    updated_at: integer(),
  },
  /** Versions of templates and layouts; the ID shows which. */
  template_versions: {
    template_id: text(),
    version: integer(),
    account_id: text(),
    domain_id: text(),
    /** ID of the key that saved the version, or `operator`. */
    saved_by: text(),
    /** JSON: the saved content. */
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
    /** Milliseconds after which delivery of its mail is given up; null for the retry schedule of the installation. */
    retry_for_ms: integer<number | null>(),
    /** Recipients that the stream may still send to; null for no limit. */
    sending_allowance: integer<number | null>(),
    /** JSON: header fields that are added to each of its messages. */
    headers: text(),
    /** JSON of a `Brand`, for the unsubscribe page; null without one. */
    brand: text<string | null>(),
    /** Side whose List-Unsubscribe is used for messages that have one already. */
    unsubscribe: text<UnsubscribeBy>(),
    /** 1: the stream has had a message, so that it is archived instead of deleted. */
    used: integer(),
    /** 0: the content of a message is removed as soon as none of its recipients waits. */
    store_content: integer(),
    /** Null: as set for the domain. */
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
    /** JSON, like the next two columns: the selected values; an empty list selects all. */
    event_types: text(),
    streams: text(),
    tags: text(),
    /** Maximum number of events in one request. */
    batch: integer(),
    secrets: secret('id'),
    /** `deleted`: its deliveries still have to be removed. */
    status: text<'enabled' | 'disabled' | 'deleted'>(),
    disabled_reason: text<DisabledReason | null>(),
    disabled_at: integer<number | null>(),
    /** Position in the feed of its domain up to which every event has had an attempt. */
    position: integer(),
    /** Such a position of a replay, and the end of the replay; null without one. */
    replay_position: integer<number | null>(),
    replay_until: integer<number | null>(),
    /** Time before which the events of the replay happened; null without one. */
    replay_before: integer<number | null>(),
    /** Last position whose event has had an attempt; greater than `position` only if a later event has had one. */
    attempted_to: integer(),
    /** Time at which the first pending delivery is due. */
    due_at: integer<number | null>(),
    /** End of the current pause. */
    resume_at: integer<number | null>(),
    /** Number of failed attempts in a row, and the time of the first of them. */
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
    /** These three columns describe the first event. */
    event_id: text(),
    event_type: text<EventType>(),
    message_id: text(),
    /** JSON: positions of the events in the feed; empty for a test. */
    positions: text(),
    status: text<DeliveryStatus>(),
    /** Number of attempts. */
    attempts: integer(),
    /** JSON: the last attempts. */
    log: text(),
    due_at: integer<number | null>(),
  },
  /** Targets of the links in mail of broadcast streams. */
  unsubscribe_links: {
    token: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** Address in canonical spelling. */
    email: text(),
    /** Newest message with the link, and the recipient's position in it. */
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
    /** Client address at login. */
    address: text(),
    user_agent: text(),
    created_at: integer(),
    /** Time to the minute. */
    last_seen_at: integer(),
  },
  /** Second factor of a user. */
  user_totp: {
    user_id: text(),
    account_id: text(),
    secret: secret('user_id'),
    created_at: integer(),
    /** Time at which a first code proved that the user has the secret; null before. */
    confirmed_at: integer<number | null>(),
    /** Time step of the last accepted code; each code is accepted once. */
    last_step: integer<number | null>(),
  },
  /** Codes that replace the second factor; each row is removed at its use. */
  recovery_codes: { user_id: text(), account_id: text(), hash: text() },
  passkeys: {
    id: text(),
    user_id: text(),
    account_id: text(),
    /** ID of the WebAuthn credential in base64url. */
    credential_id: text(),
    /** COSE key. */
    public_key: bytes(),
    /** Number of signatures as the authenticator counts them; 0 if it does not count. */
    counter: integer(),
    /** JSON. */
    transports: text(),
    name: text(),
    created_at: integer(),
    last_used_at: integer<number | null>(),
  },
  /** Tokens of links and challenges that are valid once; each row is removed at its use. */
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
    /** SHA-256 of the token in the link. */
    hash: text(),
    /** User who sent the invitation. */
    invited_by: text(),
    created_at: integer(),
    expires_at: integer(),
  },
  /** Failed logins by the address that was tried. */
  login_failures: { name: text(), failures: integer(), since_at: integer() },
  /** API requests of keys. */
  request_log: {
    account_id: text(),
    id: text(),
    at: integer(),
    key_id: text(),
    domain_id: text<string | null>(),
    method: text(),
    /** Path without the query; IDs in full, other names as their pattern. */
    path: text(),
    status: integer(),
    /** Problem code of the answer. */
    code: text<string | null>(),
    duration_ms: integer(),
    /** Number of requests of the account since the entry before that have no entry. */
    missed: integer(),
  },
  /** Changes made through the dashboard and the command line; append-only. */
  audit_log: {
    id: text(),
    account_id: text(),
    at: integer(),
    /** Null if the author was not a user. */
    user_id: text<string | null>(),
    /** Author as a text that stays after the user is removed, such as an address. */
    actor: text(),
    action: text(),
    /** ID or name of the changed object. */
    target: text<string | null>(),
    /** Client address. */
    address: text<string | null>(),
    /** JSON; never a secret. */
    detail: text(),
  },
}

type ValueOf<One> = One extends Column<infer Value> ? Value : never

/** Rows of each table. */
export type Tables = {
  [Table in keyof typeof TABLES]: {
    [Name in keyof (typeof TABLES)[Table]]: ValueOf<(typeof TABLES)[Table][Name]>
  }
} & Record<'message_counts' | 'message_parts', Record<`took_${number}`, number>>

/** Columns with secrets, each with the column that names the owner. */
export const SECRET_COLUMNS = Object.entries(TABLES).flatMap(([table, columns]) =>
  Object.entries(columns as Readonly<Record<string, Column<unknown>>>).flatMap(([column, { secretOf }]) =>
    secretOf === undefined ? [] : [{ table: table as keyof Tables, column, owner: secretOf }],
  ),
)

/** Returns the storage of a column. */
export const kindOf = <Table extends keyof Tables>(table: Table, column: string): ColumnKind => {
  const found = (TABLES[table] as Readonly<Record<string, Column<unknown>>>)[column]
  if (found === undefined) throw new Error(`${table} has no column ${column}`)
  return found.kind
}
