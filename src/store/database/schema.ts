// The tables of the store: every column with its kind and its values; the migrations create the tables. The file is
// long because it is a single list.

import type { AccountEventType, FeedEventType } from '../../model/account-event.ts'
import type { AttemptStatus } from '../../model/attempt.ts'
import type { BounceCategory } from '../../model/bounce-category.ts'
import type { BulkStatus } from '../../model/bulk.ts'
import { DELIVERY_TIME_BOUNDS, deliveryTimeColumn } from '../../model/delivery-time.ts'
import type { DkimNotice, DomainEventType, RecordNote, RecordPurpose } from '../../model/domain.ts'
import { COUNTED_EVENTS, type EventType } from '../../model/event.ts'
import type { Guard } from '../../model/finding.ts'
import type { InboundKind } from '../../model/inbound-message.ts'
import type { InboundMtaSts } from '../../model/inbound-policy.ts'
import type { IncidentCause, IncidentState } from '../../model/incident.ts'
import type { KeyKind } from '../../model/key-kind.ts'
import type { KeyNoticeKind } from '../../model/key-notice.ts'
import type { LookState } from '../../model/list-look.ts'
import type { ContentFormat, MessageStatus } from '../../model/message.ts'
import type { NumberedNoun } from '../../model/numbered-noun.ts'
import type { HoldKind, QueueState } from '../../model/queue-state.ts'
import type { RecipientRole, RecipientStatus } from '../../model/recipient.ts'
import { recordOf } from '../../model/record-of.ts'
import type { ReportKind } from '../../model/report.ts'
import type {
  DnsCheckKind,
  Receiver,
  Requirement,
  RequirementSource,
  RequirementStatus,
} from '../../model/requirement.ts'
import type { RetentionKind } from '../../model/retention.ts'
import type { Role } from '../../model/role.ts'
import type { StreamKind, UnsubscribeBy } from '../../model/stream.ts'
import type { SuppressionReason } from '../../model/suppression.ts'
import type { DeliveryStatus, DisabledReason, WebhookFormat } from '../../model/webhook.ts'
import type { SealedText } from './secrets.ts'

// Times are whole milliseconds since the epoch. JSON is stored as text. Every row that belongs to an account or a
// domain contains the ID of the account or domain, and every query specifies this ID.

/**
 * Storage type of a column: text that sorts by its bytes, an integer, bytes, or a moment. A moment is a time on the
 * clock of the database, independent of the nodes' clocks.
 */
export type ColumnKind = 'text' | 'integer' | 'bytes' | 'moment'

/** A column and the type of its values. */
interface Column<Value> {
  readonly kind: ColumnKind
  /** Name of the column with the ID of the row that owns the secret; undefined for a column without a secret. */
  readonly secretOf?: string
  /** Carries the value type; the property is never set. */
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

/** Settings of a domain or a stream for the check of messages (`GuardColumns`). */
const GUARD = { guard: text<Guard | null>(), ignored_findings: text<string | null>() }

/** Columns that identify a retention sweep, and a message of this sweep. */
const RETENTION_SWEEP = {
  kind: text<RetentionKind>(),
  domain_id: text(),
  stream: text(),
  message_id: text(),
}

/** Numbers of attempts in a step of time, by the reply and by the addresses of both sides. */
const REPLY_COUNT = {
  account_id: text(),
  domain_id: text(),
  stream: text(),
  /** Provider of the mail host; empty for a host of no known provider. */
  provider: text(),
  /** Own IP address; empty if no connection was made. */
  source: text(),
  /** Category of the failure; empty for a delivery. */
  category: text<BounceCategory | ''>(),
  /** Code of the refusal; empty for a delivery, and for a failure without a reply. */
  code: text(),
  /** Beginning of the five minutes or of the hour. */
  at: integer(),
  attempts: integer(),
  /** Number of first attempts. */
  recipients: integer(),
  /** Number of attempts on an encrypted connection. */
  encrypted: integer(),
}

export const TABLES = {
  /** Facts about the installation by name; the facts that `secretFact` describes are secrets. */
  installation: { name: text(), value: text() },
  /**
   * The data key that seals the secrets of this store. The data key is sealed with the key file; the table has at most
   * one row.
   */
  sealing: {
    id: text<'store'>(),
    /** Fingerprint of the key file. */
    fingerprint: text(),
    data_key: text(),
    begun_at: integer(),
    /** Time at which the sealing of all earlier secrets ended; null before that time. */
    sealed_at: integer<number | null>(),
  },
  accounts: {
    id: text(),
    name: text(),
    status: text<'active' | 'suspended'>(),
    /** Number of recipients that the account may still send to since the last renewal; null if there is no limit. */
    sending_allowance: integer<number | null>(),
    verification_credits: integer(),
    /** Maximum number of message bytes that the account may store; null if the limit of the installation applies. */
    stored_bytes_limit: integer<number | null>(),
    created_at: integer(),
    /** Time at which the account was suspended; null for an active account. */
    suspended_at: integer<number | null>(),
    /** Number of recipients in each calendar month; null for an allowance that does not renew. */
    monthly_allowance: integer<number | null>(),
    /** Time at which the monthly allowance begins anew; the first message after this time renews the allowance. */
    allowance_renews_at: integer<number | null>(),
    /** Allowance since the last change or renewal, of which `sending_allowance` is left; null if there is no limit. */
    allowance_total: integer<number | null>(),
    /** Highest percentage of the allowance whose use is an event since the last change or renewal; 0 without an event. */
    allowance_told: integer(),
    /** Number of verification credits below which credits are low; 0 before the first grant. */
    low_credits: integer(),
    /** Maximum numbers of domains and keys; null if the limits of every account apply. */
    domains_limit: integer<number | null>(),
    keys_limit: integer<number | null>(),
    /** ID of the account in the system of the operator; unique among the accounts that are not deleted. */
    external_id: text<string | null>(),
    /** Reason of the suspension, for operators. */
    reason: text<string | null>(),
    /** Time of the last change by an operator or an owner, which is the version of the account; null before. */
    changed_at: integer<number | null>(),
    /** Time at which the account was deleted. A deleted account is suspended and has no users, keys and domains. */
    deleted_at: integer<number | null>(),
  },
  /** Number of message bytes that each account stores, updated by a reader of the event log. */
  stored_bytes: {
    account_id: text(),
    bytes: integer(),
    /** Part of `bytes` that inbound messages use. */
    inbound_bytes: integer(),
  },
  /** Problems of accounts, and the notices about these problems that the owners received by mail. */
  problem_notices: {
    account_id: text(),
    problem: text(),
    title: text(),
    seen_at: integer(),
    /** Time at which the notice was sent; null before the notice. */
    told_at: integer<number | null>(),
    /** Time at which the problem was first found to be over; null while the problem lasts. */
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
    /**
     * Domain name as A-labels in lower case; unique in the installation among domains that are neither deleted nor
     * merely claimed.
     */
    name: text(),
    status: text<'pending' | 'verified' | 'paused'>(),
    created_at: integer(),
    /** Time at which the required DNS records were last found. */
    verified_at: integer<number | null>(),
    checked_at: integer<number | null>(),
    /** Time since which required DNS records of a verified domain have been missing. */
    flagged_at: integer<number | null>(),
    /** Token that the account must publish in DNS while another account holds the domain. */
    claim_token: text<string | null>(),
    /** Time at which the domain was deleted; mail and links of the domain remain. */
    deleted_at: integer<number | null>(),
    ...RETENTION_DAYS,
    /**
     * Value 1 if opens or link clicks of the domain's messages are tracked, unless the message or its stream overrides
     * this setting.
     */
    track_opens: integer(),
    track_links: integer(),
    /** Value 1 if copies for one recipient carry an address for complaints (RFC 9477). */
    cfbl: integer(),
    /** Interval in days at which the DKIM keys are replaced; null if only users replace the keys. */
    rotate_every_days: integer<number | null>(),
    /** Time at which the next DKIM keys are due; null without an interval. */
    rotate_at: integer<number | null>(),
    /** Result of the last check of the BIMI record as JSON; null before the first check, and without a record. */
    bimi: text<string | null>(),
    /** MTA-STS of the inbound hosts. */
    mta_sts: text<InboundMtaSts>(),
    /** Time at which the mode of MTA-STS was set; null before the first change. */
    mta_sts_since: integer<number | null>(),
    ...GUARD,
  },
  /** Changes of the state of domains, shown to the users of the account. */
  domain_events: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    type: text<DomainEventType>(),
    at: integer(),
    /** Details of the event as JSON. */
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
    /** Wrong values that were found in DNS, or the correct value, as JSON. */
    found: text(),
    note: text<RecordNote | null>(),
    /** Time since which every answered check has found the record; null if the last answered check did not. */
    found_since: integer<number | null>(),
  },
  dkim_keys: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    selector: text(),
    algorithm: text<'rsa-sha256' | 'ed25519-sha256'>(),
    /** Private key in PKCS#8 format, PEM-encoded. */
    private_key: secret('id'),
    /** Value of the `p=` tag in the DNS record. */
    public_key: text(),
    created_at: integer(),
    /**
     * State of the key: a `next` key is published in addition to the signing keys; a `retiring` key signs no new mail,
     * but mail in transit carries its signature.
     */
    state: text<'next' | 'signing' | 'retiring'>(),
    /** Notice to the owners whose mail is not sent yet, and the time of its cause; null for none. */
    notice: text<DkimNotice | null>(),
    notice_at: integer<number | null>(),
  },
  keys: {
    /** ID with the prefix `key_`, or with the prefix `smtp_` for an SMTP credential, whose ID is also the user name. */
    id: text(),
    account_id: text(),
    /** Domain of a Sending key or an SMTP credential; null for any other key. */
    domain_id: text<string | null>(),
    kind: text<KeyKind>(),
    name: text(),
    /** SHA-256 of the secret in hexadecimal. */
    hash: text(),
    last4: text(),
    /** Rate limit of the key, such as `50/s`; null if the limit of the installation applies. */
    rate: text<string | null>(),
    created_at: integer(),
    last_used_at: integer<number | null>(),
    /** Network of the client that last used the key, such as `192.0.2.0/24`. */
    last_used_from: text<string | null>(),
    expires_at: integer<number | null>(),
    revoked_at: integer<number | null>(),
    /** Scopes of the key as JSON, written out. */
    scopes: text(),
    /** Scopes as JSON that a management key may give to keys in addition to its own scopes. */
    grants: text(),
    /** Value 1 for a management key of every domain of the account; 0 if `key_domains` lists the domains. */
    every_domain: integer(),
    /** Networks as JSON from which the key may be used; null for any address. */
    networks: text<string | null>(),
    /** Origins as JSON of the web pages that may use a public key; null for any other key. */
    origins: text<string | null>(),
    /** Addresses and `*@domain` as JSON to which the key may send; null for any address. */
    recipients: text<string | null>(),
    /** `test` for a key whose mail never leaves the installation. */
    mode: text<'live' | 'test'>(),
    /** Test inbox that gets the mail of a test key; null for a live key. */
    inbox_id: text<string | null>(),
    /** ID of the user or the key that created the key, or `operator` or `command_line`; null if unknown. */
    created_by: text<string | null>(),
    /** Hash of the secret before the last rotation, which is valid until `previous_until`. */
    previous_hash: text<string | null>(),
    previous_until: integer<number | null>(),
    /** Networks of the clients that have used the key, as JSON, at most `MAX_USED_NETWORKS`. */
    used_networks: text(),
  },
  /** Notices about keys for the owners of an account, each of which is sent once by mail. */
  key_notices: {
    key_id: text(),
    /** Name of the notice with its occasion, such as `refused_network 2026-01-31`, so that a notice is not repeated. */
    notice: text(),
    account_id: text(),
    kind: text<KeyNoticeKind>(),
    at: integer(),
    /** Details for the mail as JSON. */
    detail: text(),
    /** Time at which the mail was sent; null before. */
    told_at: integer<number | null>(),
  },
  /** Domains of management keys that work on some domains of the account only; a row stays when the domain is deleted. */
  key_domains: {
    key_id: text(),
    account_id: text(),
    domain_id: text(),
  },
  messages: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    key_id: text(),
    /**
     * Status of the message at acceptance, or a final status without delivery; a message with several recipients may
     * also be `sending` or `delivered`. The queue shows whether a message with one recipient is waiting or was
     * delivered.
     */
    status: text<MessageStatus>(),
    stream: text(),
    from_email: text(),
    from_name: text<string | null>(),
    subject: text(),
    /** Search words of the message, each with a leading space. */
    words: text(),
    tag: text<string | null>(),
    metadata: text<string | null>(),
    /** Size of the submitted message in bytes. */
    size: integer(),
    /** Value 1 if the message may only be delivered over TLS to a host with a verified certificate. */
    require_tls: integer(),
    recipient_count: integer(),
    /** Scheduled time of sending; null to send immediately. */
    send_at: integer<number | null>(),
    created_at: integer(),
    /**
     * Time at which delivery is given up, regardless of the number of attempts; null if only the retry schedule
     * applies.
     */
    expires_at: integer<number | null>(),
    /** Time of the last change of this row. A later event of a recipient does not always change this row. */
    updated_at: integer(),
    /** ID of the message whose content this message sends again. */
    resend_of: text<string | null>(),
    /**
     * Message-ID that the sender set, without angle brackets; null if the Message-ID is derived from the message's ID.
     */
    message_id_header: text<string | null>(),
    /** All tags as JSON if the message has more than one tag, the first of which is `tag`; null otherwise. */
    tags: text<string | null>(),
    /** `MessageOrigin` as JSON; null if the message has neither a template nor reply addresses. */
    origin: text<string | null>(),
    /** Test inbox to which the message goes instead of its recipients; null for a live message. */
    inbox_id: text<string | null>(),
  },
  message_contents: {
    message_id: text(),
    account_id: text(),
    domain_id: text(),
    format: text<ContentFormat>(),
    content: bytes(),
    /**
     * ID of the bulk if the content is a delta of the bulk's base (`store/messages/delta.ts`); null for complete
     * content.
     */
    bulk_id: text<string | null>(),
  },
  /** Bulk mail: one message that is sent for each row of a list, with the data of the row. */
  bulks: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    key_id: text(),
    /** Name given by the user, for example a file name. */
    name: text<string | null>(),
    stream: text(),
    tag: text<string | null>(),
    /** ID of the template; null for content without a template. */
    template_id: text<string | null>(),
    subject: text<string | null>(),
    /** Status of the bulk: `loading` until all rows are stored, `paused` while its messages cannot be accepted. */
    status: text<BulkStatus>(),
    /** Problem that pauses the bulk, as JSON; null without a problem. */
    problem: text<string | null>(),
    /** Time before which a paused bulk is not retried. */
    retry_at: integer(),
    /** Test inbox to which the messages go; null for live messages. */
    inbox_id: text<string | null>(),
    /** Numbers of all rows, of rows that became messages, and of refused rows. */
    total: integer(),
    accepted: integer(),
    refused: integer(),
    /** Number of messages whose stored content is a delta of the base content. */
    contents: integer(),
    /** Lease token of the node that processes the bulk; messages are accepted only under the current lease. */
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
    /** Message and template sources from which the rows are rendered, as JSON. */
    source: bytes(),
    /** Base content; the messages' contents are deltas of the base, which contains no data of any row. */
    base: bytes(),
  },
  bulk_rows: {
    bulk_id: text(),
    /** Line number in the file, starting at 1. */
    line: integer(),
    account_id: text(),
    domain_id: text(),
    /** Recipient address, or the given text if the text is no address; empty once the row became a message. */
    email: text(),
    /** Data of the row as JSON; null once the row became a message or was refused. */
    data: text<string | null>(),
    message_id: text<string | null>(),
    /** Problems of a refused row as JSON. */
    refusal: text<string | null>(),
  },
  /**
   * The queue has one row for each recipient without a final status. Results of attempts are in `recipients`, but only
   * the queue shows that an attempt is in progress.
   */
  queue: {
    message_id: text(),
    position: integer(),
    account_id: text(),
    domain_id: text(),
    /** Domain of the recipient, or the ID of a test inbox. */
    destination: text(),
    stream: text(),
    /** Size of the message in bytes. */
    size: integer(),
    state: text<QueueState>(),
    /**
     * Share for which a throttled recipient waits, or pause that holds the recipient; empty for any other recipient.
     */
    waits_for: text(),
    /** Start tag of the recipient in fair queueing. */
    start_tag: integer(),
    /** Time at which the recipient becomes ready; null if the recipient does not wait for a time. */
    due_at: integer<number | null>(),
    /** Token of the current lease. */
    lease: text<string | null>(),
    /** End of the lease. */
    lease_until: moment<number | null>(),
    /** Time at which the attempt was claimed. */
    active_since: integer<number | null>(),
    /** Value 1 if the lease was renewed, which means that the attempt has lasted for a while. */
    renewed: integer(),
    /** Number of ended attempts. */
    attempts: integer(),
    /** Number of consecutive times that a process ended while the recipient was active. */
    faults: integer(),
    /** Value 1 if an attempt was cut off after the final dot, so that the receiver may already have the message. */
    possible_duplicate: integer(),
  },
  /** Time at which a node last wrote to the shared store; see `queue/heartbeat.ts`. */
  store_heartbeat: {
    /** ID of the only row, which is 1. */
    id: integer(),
    beat_at: integer(),
    /** Time at which the last outage ended; 0 without an outage. */
    steady_since: integer(),
  },
  /** Token buckets of the rates that nodes share; see `node/shared-rates.ts`. */
  shared_rates: {
    /** Hash of the name of the rate, which may contain a client's address. */
    name: text(),
    /** Time at which the bucket is full, in microseconds since the epoch on the clock of the database. */
    full_at: integer(),
    /** Time in microseconds in which the tokens taken last are refilled. */
    cost: integer(),
  },
  /** Recipients of messages with their latest state. */
  recipients: {
    message_id: text(),
    /** Position of the recipient in the order of to, cc and bcc, starting at 0. */
    position: integer(),
    account_id: text(),
    domain_id: text(),
    role: text<RecipientRole>(),
    email: text(),
    name: text<string | null>(),
    /** Domain of the recipient or ID of a test inbox (`model/test-inbox.ts`), the unit of throttling. */
    destination: text(),
    /**
     * Status of the recipient, which is never `sending`, because only the queue shows that an attempt is in progress.
     */
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
  /** Numbers of recipient events in each hour, by stream. */
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
  /** Numbers of attempts in each five minutes. */
  reply_counts: REPLY_COUNT,
  /** Sums of `reply_counts` over each hour, which the pages about days and weeks read. */
  reply_hours: REPLY_COUNT,
  incidents: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** Name of the cause within the domain; one incident of a name is open at a time. */
    name: text(),
    state: text<IncidentState>(),
    cause: text<IncidentCause>(),
    provider: text<string | null>(),
    code: text<string | null>(),
    /** JSON of an `IncidentScope`. */
    scope: text(),
    began_at: integer(),
    noticed_at: integer(),
    ended_at: integer<number | null>(),
    muted_until: integer<number | null>(),
    attempts: integer(),
    failed: integer(),
    /** Usual share of failures in millionths; null if unknown. */
    usual_share: integer<number | null>(),
    /** Number of recipients whose first attempt failed. */
    recipients: integer(),
    /** Event of a failure, as an example. */
    example_message: text<string | null>(),
    example_event: text<string | null>(),
    /** Sentences of the room that opened the incident; null for the sentences of the catalogue. */
    /** Name and values of the sentences about the incident as JSON; null for those of its provider, code and cause. */
    words: text<string | null>(),
    /** JSON of the `IncidentEvidence`. */
    evidence: text(),
    /** Times at which the owners were told of the incident and of its end. */
    told_at: integer<number | null>(),
    end_told_at: integer<number | null>(),
  },
  /** Events that each commit added to `events`, kept until all readers of the event log have processed the row. */
  event_log: {
    /** Position by which readers follow the event log; see `events/event-log.ts`. */
    position: integer(),
    written_at: integer(),
    /** Events of the commit as JSON. */
    events: text(),
  },
  /** Feed positions of late events, by the minute of the event's time and the minute of the position. */
  late_events: {
    at_minute: integer(),
    position_minute: integer(),
    first_position: integer(),
    last_position: integer(),
  },
  /**
   * Every event of a domain in feed order; positions increase, and each position is used only once. The feed of an
   * account has the ID of the account in place of the ID of a domain, and the object of the event in place of a message.
   */
  event_feed: {
    domain_id: text(),
    /** See `events/feed.ts`. */
    position: integer(),
    type: text<FeedEventType>(),
    message_id: text(),
    event_id: text(),
  },
  /** Events of accounts; the table `event_feed` has their order. */
  account_events: {
    id: text(),
    account_id: text(),
    type: text<AccountEventType>(),
    at: integer(),
    /** Domain of the object; null for an object of the whole account. */
    domain_id: text<string | null>(),
    object_id: text(),
    /** Address that the event is about, in lower case; null for an event about no address. */
    email: text<string | null>(),
    /** Details as JSON, without the address. */
    detail: text(),
  },
  /** Last feed position of each domain. */
  event_feed_ends: { domain_id: text(), position: integer() },
  /** Position up to which each reader has processed the event log. */
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
   * Message up to which each retention sweep has progressed; domain and stream are empty for the sweep of the
   * installation.
   */
  retention_marks: RETENTION_SWEEP,
  /** Older messages that a retention sweep skipped because a recipient was waiting. */
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
    /** Own IP address of the connection. */
    source: text<string | null>(),
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
    /** Number of the link in its message; -1 for the tracking pixel. */
    link: integer(),
    account_id: text(),
    domain_id: text(),
    /** Numbers of hits by people and by programs. */
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
  /**
   * Requests with an Idempotency-Key whose response is not stored yet, with the lease of the node that handles the
   * request.
   */
  keyed_requests: {
    key_id: text(),
    idempotency_key: text(),
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
  },
  /** Committed steps of the requests in `keyed_requests`: the result of each step, sealed with the caller's secret. */
  keyed_request_steps: { key_id: text(), idempotency_key: text(), step: integer(), sealed: text() },
  queue_pauses: {
    kind: text<HoldKind>(),
    value: text(),
    created_at: integer(),
    /** Reason that the operator wrote for other operators. */
    note: text<string | null>(),
  },
  /** Smarthosts of domains, in a separate table because the URL contains a secret. */
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
    /** Patterns of MX host names as JSON. */
    mx: text(),
    /** Maximum age of the policy in seconds, as published. */
    max_age: integer(),
    fetched_at: integer(),
    expires_at: integer(),
  },
  /** TLS results of connections, as the source of TLS reports (RFC 8460). */
  tls_results: {
    /** Day in UTC, such as `2026-01-31`. */
    day: text(),
    policy_domain: text(),
    policy_type: text<'sts' | 'tlsa' | 'no-policy-found'>(),
    /** Contacted MX host; empty if no host was contacted. */
    mx: text(),
    /** Result of the connection: `success`, or a result type of RFC 8460 §4.3. */
    result: text(),
    /** Own IP address, and IP address of the host, in failed sessions; empty for a success and if unknown. */
    sending_ip: text(),
    receiving_ip: text(),
    /** Policy strings for the report as JSON. */
    policy: text(),
    sessions: integer(),
  },
  /**
   * TLS reports to the recipient domains of a day: one row without an address for each domain, and one row for each
   * address to which the report is sent.
   */
  tls_reports: {
    /** Day of the report in UTC, such as `2026-01-31`. */
    day: text(),
    domain: text(),
    /** URI in the record of the domain, such as `mailto:tls@example.com`; empty in the row of the domain. */
    address: text(),
    /**
     * `due`: the addresses are still to be looked up, or the report is still to be sent; `done`: the addresses were
     * looked up; `sent`: the report was queued as mail, or accepted by the web server; `refused`: the address refuses
     * reports for good; `skipped`: the address gets no report of this day; `given_up`: the day for sending is over.
     */
    state: text<'due' | 'done' | 'sent' | 'refused' | 'skipped' | 'given_up'>(),
    tries: integer(),
    /** Time of the next try while the row is due, in milliseconds since the epoch. */
    next_at: integer(),
    /** Reason of the last failure. */
    detail: text<string | null>(),
  },
  /** Reports of receivers about a domain, and complaints. */
  reports: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** State: `received` until a thread has read the mail of the report. */
    state: text<'received' | 'read' | 'unreadable'>(),
    kind: text<ReportKind | null>(),
    submitter: text(),
    external_id: text(),
    begin_at: integer<number | null>(),
    end_at: integer<number | null>(),
    received_at: integer(),
    /** Value 1 if DKIM or SPF proves the submitter, 0 if not; null for an uploaded report. */
    authenticated: integer<number | null>(),
    messages: integer(),
    failed: integer(),
    /** Warnings as JSON. */
    warnings: text(),
    /** Contents of the report without its rows, as JSON: policy, TLS policies, or the reason why it is unreadable. */
    detail: text(),
    /** Hash of submitter, domain, ID and period, by which a repeated report is found; null for a repeated report. */
    identity: text<string | null>(),
    /** First report with the same identity, for a repeated report. */
    duplicate_of: text<string | null>(),
    size: integer(),
    /** Envelope of the mail of the report; empty for an uploaded report. */
    mail_from: text(),
    client_address: text(),
    helo: text(),
    tries: integer(),
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
  },
  report_contents: { report_id: text(), account_id: text(), domain_id: text(), raw: bytes() },
  /** Messages of DMARC reports, by day, source and result. */
  dmarc_rows: {
    domain_id: text(),
    /** Day in UTC on which the period of the report begins, such as `2026-01-31`. */
    day: text(),
    report_id: text(),
    position: integer(),
    account_id: text(),
    /** Organization that wrote the report. */
    receiver: text(),
    /** IP address; empty for the small rows of a report together. */
    address: text(),
    header_from: text(),
    envelope_from: text(),
    /** DKIM results, each as `domain/selector=result`, separated by spaces. */
    dkim: text(),
    /** SPF result as `domain=result`. */
    spf: text(),
    /** Result of a signature with a key of this installation; empty without one. */
    own_key: text<'pass' | 'fail' | ''>(),
    /** Value 1 if SPF passes for the return path of the domain. */
    own_path: integer(),
    /** Name of a known mail service that signed the messages or has their return path; empty for none. */
    service: text(),
    /** Aligned results: 1 for pass. */
    dkim_aligned: integer(),
    spf_aligned: integer(),
    disposition: text(),
    reason: text(),
    messages: integer(),
  },
  /** Host names of the source addresses of DMARC rows, confirmed by a lookup of the name. */
  report_addresses: {
    address: text(),
    /** Confirmed host name; empty if there is none. */
    host: text(),
    /** Null until the address was looked up. */
    looked_at: integer<number | null>(),
  },
  /** Sources that the customer has named. */
  report_sources: {
    domain_id: text(),
    source_id: text(),
    account_id: text(),
    kind: text<'known' | 'unknown'>(),
    name: text(),
    changed_at: integer(),
  },
  /** Test inboxes of accounts. */
  test_inboxes: {
    id: text(),
    account_id: text(),
    name: text(),
    /** Number of days and number of mails that the inbox keeps. */
    keep_days: integer(),
    keep_messages: integer(),
    /** SHA-256 of the password for the compatible endpoints, in hexadecimal. */
    password_hash: text(),
    /** Number of mails and recipients that were added, by which a wait learns of new mail. */
    changes: integer(),
    /** Number of revisions: changes of the mail that the inbox keeps already. */
    revision: integer(),
    /** The last revisions, by which the followers of the inbox learn of the changes: `Revisions` as JSON. */
    revisions: text(),
    created_at: integer(),
  },
  /** Mail in test inboxes, one row for each message. */
  test_mails: {
    /** ID with the prefix `mbx_`, in the order of arrival. */
    id: text(),
    inbox_id: text(),
    account_id: text(),
    /** Message of a test credential; for mail that the mail host of the playground received, the ID of the row. */
    message_id: text(),
    received_at: integer(),
    mail_from: text(),
    /** Envelope recipients that accepted the mail, as JSON. */
    recipients: text(),
    tls: text<string | null>(),
    /** Value 1 once a client has read the mail. */
    seen: integer(),
    /** Tags as JSON. */
    tags: text(),
    size: integer(),
    /** Number of changes of the inbox after the mail was added, by which followers find new mail. */
    added: integer(),
    /** Number of changes of the inbox after the last change of the mail, by which a wait finds new mail. */
    changed: integer(),
    /** `MailSummary` as JSON (`model/test-inbox.ts`). */
    summary: text(),
    /** Text that searches look at: subject, addresses and the beginning of the text, in the form of `foldedText`. */
    search: text(),
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
  /** Lists of email addresses to verify. */
  verifications: {
    id: text(),
    account_id: text(),
    key_id: text(),
    /** Name given by the user, for example a file name. */
    name: text<string | null>(),
    /** Names of the other columns of the list as JSON, in order. */
    columns: text<string | null>(),
    /** Status of the list: `loading` until all addresses are stored, `paused` while the account has no credits. */
    status: text<'loading' | 'queued' | 'running' | 'paused' | 'cancelled' | 'done'>(),
    /** Number of distinct addresses. */
    total: integer(),
    /** Number of repeated addresses. */
    duplicates: integer(),
    deliverable: integer(),
    undeliverable: integer(),
    risky: integer(),
    unknown: integer(),
    /** Lease token of the node that verifies the list; results are written only under the current lease. */
    lease: text<string | null>(),
    lease_until: moment<number | null>(),
    created_at: integer(),
    finished_at: integer<number | null>(),
  },
  verification_addresses: {
    verification_id: text(),
    /** Position in the list, starting at 0. */
    position: integer(),
    account_id: text(),
    email: text(),
    /** Result of the verification as JSON; null before the verification. */
    answer: text<string | null>(),
    /** Cells of the other columns of the list as JSON. */
    cells: text<string | null>(),
  },
  /** Verifications of single addresses by an API key or a user. */
  verification_checks: {
    account_id: text(),
    id: text(),
    email: text(),
    result: text<'deliverable' | 'undeliverable' | 'risky' | 'unknown'>(),
    /** Result of the verification as JSON. */
    answer: text(),
    key_id: text<string | null>(),
    user_id: text<string | null>(),
    checked_at: integer(),
  },
  /**
   * Revocations of links that work without a login and show a message or the records of a domain; links created before
   * the revocation are invalid.
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
    /** Message whose bounce, complaint or unsubscribe link caused the suppression; null for a manual entry. */
    message_id: text<string | null>(),
    created_at: integer(),
    /** Reason that an unsubscription or a complaint replaced. */
    replaced: text<SuppressionReason | null>(),
  },
  /** Running and former nodes. */
  nodes: {
    id: text(),
    host_name: text(),
    /** Roles of the node, such as `api,smtp`. */
    roles: text(),
    version: text(),
    started_at: integer(),
    seen_at: moment(),
    /** JSON of a `NodeLoad`. */
    load: text(),
    /** Source addresses of the node with their HELO names, as JSON of `NodeAddress`. */
    addresses: text(),
  },
  /** Lookups of the own addresses and domains in block lists; the latest lookup of each in each list. */
  list_looks: {
    /** IP address, or domain name in A-labels. */
    subject: text(),
    zone: text(),
    /** Account and ID of a sending domain; null for an address. */
    account_id: text<string | null>(),
    domain_id: text<string | null>(),
    state: text<LookState>(),
    /** Answer of the list with its meaning, or the reason of `not_known`; null without an answer. */
    answer: text<string | null>(),
    /** Time at which the state began. */
    since: integer(),
    /** Time of the latest lookup; null before the first. */
    checked_at: integer<number | null>(),
    /** Time of the next lookup; null while no node uses the address and no account has the domain. */
    due_at: integer<number | null>(),
    /** Time at which the listing was reported; null while no listing is reported. */
    told_at: integer<number | null>(),
  },
  /** DNS checks of the own addresses and domains, which large receivers make as well. */
  dns_checks: {
    kind: text<DnsCheckKind>(),
    /** IP address, or domain name in A-labels. */
    subject: text(),
    state: text<RequirementStatus>(),
    detail: text(),
    checked_at: integer(),
  },
  /** Verdicts about the requirements of receivers, with the time since which each holds. */
  requirement_states: {
    account_id: text(),
    domain_id: text(),
    receiver: text<Receiver>(),
    requirement: text<Requirement>(),
    status: text<RequirementStatus>(),
    since: integer(),
  },
  /** Figures that receivers report about domains, the latest of each requirement. */
  receiver_figures: {
    account_id: text(),
    domain_id: text(),
    receiver: text<Receiver>(),
    requirement: text<Requirement>(),
    status: text<RequirementStatus>(),
    /** Measured value as JSON. */
    measured: text(),
    source: text<RequirementSource>(),
    as_of: integer(),
  },
  /** Highest daily number of messages to a receiver, of all domains of an account below one registrable domain. */
  receiver_volumes: {
    account_id: text(),
    organization: text(),
    receiver: text<Receiver>(),
    highest: integer(),
    /** Day in UTC, such as `2026-01-31`. */
    highest_day: text(),
    /** First day with as many messages as a bulk sender; null before. */
    bulk_since: text<string | null>(),
  },
  /** Jobs that one node does for all nodes. */
  singleton_jobs: { name: text(), lease: text<string | null>(), lease_until: moment<number | null>() },
  inbox_mails: {
    id: text(),
    received_at: integer(),
    /** Envelope sender as given by the client, possibly text that is not an address. */
    mail_from: text(),
    rcpt_to: text(),
    subject: text(),
    /** Size of the received mail in bytes; `raw` contains only the first part of the mail. */
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
  /** Inbound mail, with one row for each stream to which a message was addressed. */
  inbound_messages: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    kind: text<InboundKind>(),
    /**
     * State of the message: `received` until the message is parsed and authenticated, at which time the event is
     * written.
     */
    state: text<'received' | 'processed'>(),
    /** Number of claims for parsing. */
    tries: integer(),
    /** Lease token of the node that parses the message. */
    lease: text<string | null>(),
    /** End of the lease. */
    lease_until: moment<number | null>(),
    received_at: integer(),
    /** Envelope sender as given by the client. */
    mail_from: text(),
    /** Addresses of the stream to which the message was addressed, as JSON. */
    rcpt_to: text(),
    client_address: text(),
    helo: text(),
    /** TLS version of the connection, such as `TLSv1.3`; null without TLS. */
    tls: text<string | null>(),
    /** Address of the first author; empty without an author. */
    from_email: text(),
    from_name: text<string | null>(),
    subject: text(),
    /** Message-ID without angle brackets. */
    header_message_id: text<string | null>(),
    /** Size of the received message in bytes. */
    size: integer(),
    /** Flags of the message as JSON. */
    flags: text(),
    /** Results of authentication as JSON; null before authentication and if authentication failed. */
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
    /** Parsed message as JSON. */
    parsed: text(),
  },
  layouts: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** Alias of the layout, unique within the domain. */
    alias: text<string | null>(),
    name: text(),
    html: text<string | null>(),
    text: text<string | null>(),
    /** Template model for previews as JSON; null without a model. */
    sample_model: text<string | null>(),
    /** Version number, which starts at 1 and increases by one with every save. */
    version: integer(),
    created_at: integer(),
    updated_at: integer(),
  },
  templates: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** Alias of the template, unique within the domain. */
    alias: text<string | null>(),
    name: text(),
    subject: text<string | null>(),
    html: text<string | null>(),
    text: text<string | null>(),
    layout_id: text<string | null>(),
    /** Paths that the template model must have, as JSON. */
    required_paths: text(),
    /** Value 1 if CSS is moved into style attributes. */
    inline_css: integer(),
    /** Template model for previews as JSON; null without a model. */
    sample_model: text<string | null>(),
    /** Version number, which starts at 1 and increases by one with every save. */
    version: integer(),
    created_at: integer(),
    updated_at: integer(),
  },
  /** Versions of templates and layouts; the ID shows whether a version belongs to a template or a layout. */
  template_versions: {
    template_id: text(),
    version: integer(),
    account_id: text(),
    domain_id: text(),
    /** ID of the key that saved the version, or `operator`. */
    saved_by: text(),
    /** Saved content of the version as JSON. */
    snapshot: text(),
    created_at: integer(),
  },
  streams: {
    alias: text(),
    account_id: text(),
    domain_id: text(),
    name: text(),
    kind: text<StreamKind>(),
    /** Rate limit of the stream, such as `50/s`; null without a limit. */
    rate: text<string | null>(),
    /**
     * Milliseconds after which delivery of the stream's mail is given up; null if the retry schedule of the
     * installation applies.
     */
    retry_for_ms: integer<number | null>(),
    /** Number of recipients that the stream may still send to; null if there is no limit. */
    sending_allowance: integer<number | null>(),
    /** Header fields that are added to each message of the stream, as JSON. */
    headers: text(),
    /** Brand of the unsubscribe page as JSON (`Brand`); null without a brand. */
    brand: text<string | null>(),
    /** Party (`service` or `sender`) whose List-Unsubscribe is used if a submitted message already has this field. */
    unsubscribe: text<UnsubscribeBy>(),
    /** Value 1 if the stream has had a message, so that the stream is archived instead of deleted. */
    used: integer(),
    /** Value 0 if the content of a message is removed as soon as none of its recipients is waiting. */
    store_content: integer(),
    /** Setting for the tracking of opens or clicks; null to use the setting of the domain. */
    track_opens: integer<number | null>(),
    track_links: integer<number | null>(),
    ...GUARD,
    archived_at: integer<number | null>(),
    created_at: integer(),
    updated_at: integer(),
    ...RETENTION_DAYS,
  },
  /** Webhooks; a webhook of an account has the ID of the account in place of the ID of a domain. */
  webhooks: {
    id: text(),
    account_id: text(),
    domain_id: text(),
    /** Feed that the webhook delivers: of the domain, of the account, or of all accounts. */
    feed_id: text(),
    name: text(),
    url: text(),
    format: text<WebhookFormat>(),
    /**
     * Selected event types as JSON, where an empty list selects all; the columns `streams` and `tags` have the same
     * form.
     */
    event_types: text(),
    /** Value 1 if the webhook also gets the events of test messages. */
    test_events: integer(),
    streams: text(),
    tags: text(),
    /** Maximum number of events in one webhook request. */
    batch: integer(),
    secrets: secret('id'),
    /** Status of the webhook; the deliveries of a `deleted` webhook still have to be removed. */
    status: text<'enabled' | 'disabled' | 'deleted'>(),
    disabled_reason: text<DisabledReason | null>(),
    disabled_at: integer<number | null>(),
    /** Position in the feed up to which every event has had a delivery attempt. */
    position: integer(),
    /**
     * Feed position up to which every event of a replay has had a delivery attempt, and end of the replay; null without
     * a replay.
     */
    replay_position: integer<number | null>(),
    replay_until: integer<number | null>(),
    /** Time before which the events of the replay happened; null without a replay. */
    replay_before: integer<number | null>(),
    /**
     * Highest feed position of an event with an attempt; greater than `position` only if later events were attempted
     * before earlier events.
     */
    attempted_to: integer(),
    /** Time at which the first pending delivery is due. */
    due_at: integer<number | null>(),
    /** Time at which the current pause of the webhook ends. */
    resume_at: integer<number | null>(),
    /** Number of consecutive failed attempts, and time of the first of these attempts. */
    failures: integer(),
    failing_since: integer<number | null>(),
    /** Lease token of the node that delivers to the webhook. */
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
    /** ID of the first event in the delivery; the next two columns have the type and the message of this event. */
    event_id: text(),
    event_type: text<FeedEventType>(),
    message_id: text(),
    /** Feed positions of the delivered events as JSON; empty for a test. */
    positions: text(),
    status: text<DeliveryStatus>(),
    /** Number of attempts. */
    attempts: integer(),
    /** Last attempts of the delivery as JSON. */
    log: text(),
    due_at: integer<number | null>(),
  },
  /** Unsubscribe links in mail of broadcast streams, with the recipient to whom each link belongs. */
  unsubscribe_links: {
    token: text(),
    account_id: text(),
    domain_id: text(),
    stream: text(),
    /** Address in canonical spelling. */
    email: text(),
    /** Newest message with the link, and position of the recipient in this message. */
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
    /** Time of the last use, with a precision of one minute. */
    last_seen_at: integer(),
  },
  /** Second factor of a user. */
  user_totp: {
    user_id: text(),
    account_id: text(),
    secret: secret('user_id'),
    created_at: integer(),
    /** Time at which a first code proved that the user has the secret; null before the first code. */
    confirmed_at: integer<number | null>(),
    /** Time step of the last accepted code; each code is accepted once. */
    last_step: integer<number | null>(),
  },
  /** Recovery codes that replace the second factor; each row is removed when its code is used. */
  recovery_codes: { user_id: text(), account_id: text(), hash: text() },
  passkeys: {
    id: text(),
    user_id: text(),
    account_id: text(),
    /** ID of the WebAuthn credential in base64url. */
    credential_id: text(),
    /** Public key in COSE format. */
    public_key: bytes(),
    /** Signature counter of the authenticator; 0 if the authenticator does not count signatures. */
    counter: integer(),
    /** Transports of the authenticator as JSON. */
    transports: text(),
    name: text(),
    created_at: integer(),
    last_used_at: integer<number | null>(),
  },
  /** Single-use tokens of links and challenges; each row is removed when its token is used. */
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
  /** Numbers of login attempts, by the hashed name of the counter. */
  login_failures: { name: text(), failures: integer(), since_at: integer() },
  /** API requests of keys, and refused SMTP commands. */
  request_log: {
    account_id: text(),
    id: text(),
    at: integer(),
    key_id: text(),
    domain_id: text<string | null>(),
    method: text(),
    /**
     * Path of the request without the query string; IDs are stored in full, and other path parameters as their pattern.
     */
    path: text(),
    status: integer(),
    /** Code of the problem document in the response. */
    code: text<string | null>(),
    /** JSON: problems of the fields by path and code, without values; null if no field has a problem. */
    problems: text<string | null>(),
    /** Number of problems of the fields, of which `problems` has the first ones. */
    problem_count: integer(),
    /** ID of the message that the request made. */
    message_id: text<string | null>(),
    duration_ms: integer(),
    /** Number of requests of the account since the previous log entry that were not logged. */
    missed: integer(),
    /** JSON: names of the fields that a compatible endpoint ignored; null if it ignored none. */
    ignored: text<string | null>(),
  },
  /** Recipients of refused requests and messages; the rows end with their entry of the request log. */
  refused_recipients: {
    account_id: text(),
    /** Keyed hash of the address; see `access/recipient-hash.ts`. */
    hash: text(),
    /** ID of the entry of the request log. */
    request_id: text(),
    /** Status, code and problems of a refused message of an accepted request; null as those of the request. */
    status: integer<number | null>(),
    code: text<string | null>(),
    problems: text<string | null>(),
  },
  /** Numbers of objects, for clients of other services whose IDs are integers. A number is never used again. */
  object_numbers: {
    account_id: text(),
    noun: text<NumberedNoun>(),
    /** Counts from 1 within the account and the noun. */
    number: integer(),
    id: text(),
  },
  /** Append-only log of changes made through the dashboard and the command line. */
  audit_log: {
    id: text(),
    account_id: text(),
    at: integer(),
    /** ID of the user who made the change; null if the author was not a user. */
    user_id: text<string | null>(),
    /** Author as text that remains after the user is removed, such as an email address. */
    actor: text(),
    action: text(),
    /** ID or name of the changed object. */
    target: text<string | null>(),
    /** Client address. */
    address: text<string | null>(),
    /** Details of the change as JSON; contains no secrets. */
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

/** Columns with secrets, each with the column that names the owner of the secret. */
export const SECRET_COLUMNS = Object.entries(TABLES).flatMap(([table, columns]) =>
  Object.entries(columns as Readonly<Record<string, Column<unknown>>>).flatMap(([column, { secretOf }]) =>
    secretOf === undefined ? [] : [{ table: table as keyof Tables, column, owner: secretOf }],
  ),
)

/** Returns the storage type of a column. */
export const kindOf = <Table extends keyof Tables>(table: Table, column: string): ColumnKind => {
  const found = (TABLES[table] as Readonly<Record<string, Column<unknown>>>)[column]
  if (found === undefined) throw new Error(`${table} has no column ${column}`)
  return found.kind
}
