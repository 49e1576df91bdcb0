// The tables as the query builder knows them; the migrations make them. Long because they are one list.

import type { AttemptStatus } from '../../model/attempt.ts'
import type { DomainEventType, RecordNote, RecordPurpose } from '../../model/domain.ts'
import type { CountedEvent, EventType } from '../../model/event.ts'
import type { ContentFormat, MessageStatus } from '../../model/message.ts'
import type { PauseKind, QueueState } from '../../model/queue-state.ts'
import type { RecipientRole, RecipientStatus } from '../../model/recipient.ts'
import type { Role } from '../../model/role.ts'
import type { StreamKind } from '../../model/stream.ts'
import type { SuppressionReason } from '../../model/suppression.ts'

// Times are whole milliseconds since the epoch. JSON is text. Every row that belongs to an account or a domain
// carries its ID, and every query names it.

export interface Tables {
  installation: { name: string; value: string }
  accounts: {
    id: string
    name: string
    status: 'active' | 'suspended'
    /** Recipients that may still be sent to; null is without limit. */
    sending_allowance: number | null
    verification_credits: number
    /** Bytes of messages that it may store; null is the installation's limit. */
    stored_bytes_limit: number | null
    created_at: number
  }
  /** Bytes of messages that each account stores, kept by a reader of the event log. */
  stored_bytes: { account_id: string; bytes: number }
  users: {
    id: string
    account_id: string
    email: string
    name: string | null
    role: Role
    password_hash: string
    created_at: number
  }
  domains: {
    id: string
    account_id: string
    /** A-labels, lower case; unique in the installation among those that are neither deleted nor only claimed. */
    name: string
    status: 'pending' | 'verified' | 'paused'
    created_at: number
    /** When its required records were last seen. */
    verified_at: number | null
    checked_at: number | null
    /** Since when required records of a verified domain are gone. */
    flagged_at: number | null
    /** What its account has to publish, while another account holds the domain. */
    claim_token: string | null
    /** Its mail and its links remain. */
    deleted_at: number | null
  }
  /** What happened to domains, for the people of their account. */
  domain_events: {
    id: string
    account_id: string
    domain_id: string
    type: DomainEventType
    at: number
    /** JSON. */
    detail: string
  }
  domain_records: {
    domain_id: string
    account_id: string
    purpose: RecordPurpose
    type: 'TXT' | 'CNAME'
    name: string
    value: string
    required: number
    status: 'pending' | 'found' | 'mismatch' | 'missing'
    /** JSON: the values that were found instead, or the right one. */
    found: string
    note: RecordNote | null
  }
  dkim_keys: {
    id: string
    account_id: string
    domain_id: string
    selector: string
    algorithm: 'rsa-sha256' | 'ed25519-sha256'
    /** PKCS#8 PEM. */
    private_key: string
    /** The `p=` of its DNS record. */
    public_key: string
    created_at: number
    /** `next`: published beside those that sign; `retiring`: signs no more, but mail under way carries it. */
    state: 'next' | 'signing' | 'retiring'
  }
  keys: {
    /** `key_…`, or `smtp_…` for an SMTP credential, where it is the user name. */
    id: string
    account_id: string
    /** The domain it may send for; null for a Verification key. */
    domain_id: string | null
    kind: 'sending' | 'verification' | 'smtp'
    name: string
    /** SHA-256 of the secret, hexadecimal. */
    hash: string
    last4: string
    /** Its own rate limit, such as `50/s`; null for the installation's. */
    rate: string | null
    created_at: number
    last_used_at: number | null
    expires_at: number | null
    revoked_at: number | null
  }
  messages: {
    id: string
    account_id: string
    domain_id: string
    key_id: string
    status: MessageStatus
    stream: string
    from_email: string
    from_name: string | null
    subject: string
    /** Those of the subject that it is found by, a space before each. */
    words: string
    tag: string | null
    metadata: string | null
    /** Octets as submitted. */
    size: number
    /** 1: handed over only by TLS to a host whose certificate was verified. */
    require_tls: number
    recipient_count: number
    /** When it is to be sent; null for at once. */
    send_at: number | null
    created_at: number
    /** When it is given up, however many attempts there were; null: by the schedule alone. */
    expires_at: number | null
    updated_at: number
  }
  message_contents: {
    message_id: string
    account_id: string
    domain_id: string
    format: ContentFormat
    content: Uint8Array
  }
  recipients: {
    message_id: string
    /** From 0, in the order of to, cc, bcc. */
    position: number
    account_id: string
    domain_id: string
    role: RecipientRole
    email: string
    name: string | null
    /** The recipient's domain, the unit of throttling. */
    destination: string
    status: RecipientStatus
    /** What it waits for: the queue (see lanes.ts). Null when final. */
    lane: QueueState | null
    /** When it is due; its turn while it is ready; when its lease ends while an attempt runs. Null when final. */
    next_attempt_at: number | null
    /** Who holds it; a result is written only under the same lease. */
    lease: string | null
    /** Attempts that ended. */
    attempts: number
    /** Attempts in a row that ended with our node or in an error of ours. */
    faults: number
    /** 1: an attempt was cut off after the final dot, so that the receiver may have it already. */
    possible_duplicate: number
    last_event_at: number
    smtp_code: number | null
    smtp_response: string | null
    mx: string | null
  }
  /** By which messages are found. */
  message_words: { domain_id: string; word: string; message_id: string }
  /** What happened to recipients in each hour, by stream; rows that differ in the shard are added up. */
  message_counts: {
    account_id: string
    domain_id: string
    stream: string
    /** The beginning of the hour. */
    hour_at: number
    /** 0; earlier versions spread what they counted at the same time over several rows. */
    shard: number
  } & Record<CountedEvent, number> &
    Record<`took_${number}`, number>
  /** What each commit added to `events`, until every reader has read it. */
  event_log: {
    /** Readers go by it; see `events/event-log.ts`. */
    position: number
    written_at: number
    /** JSON. */
    events: string
  }
  /** Up to where each reader has read the log. */
  event_log_readers: { name: string; position: number }
  attempts: {
    message_id: string
    position: number
    number: number
    account_id: string
    domain_id: string
    started_at: number
    duration_ms: number
    status: AttemptStatus
    reason: string
    mx: string | null
    address: string | null
    tls: string | null
    smtp_code: number | null
    smtp_enhanced: string | null
    smtp_response: string | null
    transcript: string
  }
  events: {
    id: string
    message_id: string
    account_id: string
    domain_id: string
    type: EventType
    at: number
    email: string
    detail: string
  }
  idempotency_keys: {
    key_id: string
    idempotency_key: string
    body_hash: string
    message_id: string
    response: string
    created_at: number
  }
  queue_pauses: { kind: PauseKind; value: string; created_at: number }
  /** The smarthosts that domains have of their own; apart from the domains, since the URL holds a secret. */
  domain_relays: { domain_id: string; account_id: string; url: string; created_at: number }
  mta_sts_policies: {
    /** The recipients' domain that publishes it. */
    domain: string
    policy_id: string
    mode: 'none' | 'testing' | 'enforce'
    /** JSON: the patterns for host names. */
    mx: string
    /** Seconds, as published. */
    max_age: number
    fetched_at: number
    expires_at: number
  }
  /** What a TLS report is made from (RFC 8460). */
  tls_results: {
    /** The day in UTC, `2026-01-31`. */
    day: string
    policy_domain: string
    policy_type: 'sts' | 'tlsa'
    /** The host spoken to; empty when no host was. */
    mx: string
    /** `success`, or the result type of RFC 8460 §4.3. */
    result: string
    /** JSON: the policy in strings, as the report shows it. */
    policy: string
    sessions: number
  }
  mailbox_mails: {
    id: string
    received_at: number
    mail_from: string
    rcpt_to: string
    tls: string | null
    raw: Uint8Array
  }
  credit_grants: {
    account_id: string
    id: string
    credits: number
    note: string | null
    granted_at: number
  }
  /** Credits that verifications took, by day. */
  credit_uses: {
    account_id: string
    /** `2026-01-31`, UTC. */
    day: string
    credits: number
  }
  /** Lists of addresses to verify. */
  verifications: {
    id: string
    account_id: string
    key_id: string
    /** `loading` until all addresses are there; `paused` while the account has no credits. */
    status: 'loading' | 'queued' | 'running' | 'paused' | 'done'
    /** Distinct addresses. */
    total: number
    /** Addresses that were given more than once. */
    duplicates: number
    deliverable: number
    undeliverable: number
    risky: number
    unknown: number
    /** Who works on it; what is found out is written only under the same lease. */
    lease: string | null
    lease_until: number | null
    created_at: number
    finished_at: number | null
  }
  verification_addresses: {
    verification_id: string
    /** From 0, in the order of the list. */
    position: number
    account_id: string
    email: string
    /** JSON: what came of it; null until then. */
    answer: string | null
  }
  suppressions: {
    id: string
    account_id: string
    domain_id: string
    stream: string
    /** In its only spelling (`Address.email`); unique within the stream of the domain. */
    email: string
    reason: SuppressionReason
    /** The message whose bounce, complaint or link it came from; null when someone put it there. */
    message_id: string | null
    created_at: number
    /** The reason that it had before somebody unsubscribed or complained. */
    replaced: SuppressionReason | null
  }
  /** The nodes that run, and those that did. */
  nodes: {
    id: string
    host_name: string
    /** `api,smtp` */
    roles: string
    version: string
    started_at: number
    seen_at: number
  }
  /** Work that one node does at a time. */
  duties: { name: string; holder: string; until_at: number }
  inbox_mails: {
    id: string
    received_at: number
    /** As it was given: other hosts need not give an address. */
    mail_from: string
    rcpt_to: string
    subject: string
    /** Octets as received; `raw` has the first of them. */
    size: number
    raw: Uint8Array
  }
  layouts: {
    id: string
    account_id: string
    domain_id: string
    /** Unique within the domain. */
    alias: string | null
    name: string
    html: string | null
    text: string | null
    /** From 1, one more with every save. */
    version: number
    created_at: number
    updated_at: number
  }
  templates: {
    id: string
    account_id: string
    domain_id: string
    /** Unique within the domain. */
    alias: string | null
    name: string
    subject: string | null
    html: string | null
    text: string | null
    layout_id: string | null
    /** JSON: paths that the model must have. */
    required_paths: string
    /** 1: CSS goes into style attributes. */
    inline_css: number
    /** From 1, one more with every save. */
    version: number
    created_at: number
    updated_at: number
  }
  /** Of templates and layouts, told apart by the ID. */
  template_versions: {
    template_id: string
    version: number
    account_id: string
    domain_id: string
    /** The ID of the key that saved it, or `operator`. */
    saved_by: string
    /** JSON: all that was saved. */
    snapshot: string
    created_at: number
  }
  streams: {
    alias: string
    account_id: string
    domain_id: string
    name: string
    kind: StreamKind
    /** How fast its mail goes out, such as `50/s`; null is as fast as it can. */
    rate: string | null
    /** After how many milliseconds its mail is given up; null for the installation's schedule. */
    retry_for_ms: number | null
    /** Recipients that may still be sent to; null is without limit. */
    sending_allowance: number | null
    /** JSON: header fields that each of its messages gets. */
    headers: string
    /** 1: it has had a message, so that it is archived instead of deleted. */
    used: number
    archived_at: number | null
    created_at: number
    updated_at: number
  }
  /** What the links in mail of broadcast streams lead to. */
  unsubscribe_links: {
    token: string
    account_id: string
    domain_id: string
    stream: string
    /** In its only spelling. */
    email: string
    /** The newest message that carried the link, and the recipient's position in it. */
    message_id: string
    position: number
    created_at: number
  }
  /** Who is logged in. */
  sessions: {
    id: string
    user_id: string
    account_id: string
    /** SHA-256 of the token in the cookie. */
    hash: string
    /** Where it was opened from. */
    address: string
    user_agent: string
    created_at: number
    /** Kept to the minute. */
    last_seen_at: number
  }
  /** The second factor of a user. */
  user_totp: {
    user_id: string
    account_id: string
    /** Sealed (see access/sealing.ts). */
    secret: string
    created_at: number
    /** Null until the first code has shown that the user has it. */
    confirmed_at: number | null
    /** The time step of the last code that was taken: none is taken twice. */
    last_step: number | null
  }
  /** Codes that stand for the second factor, each once: a row goes when it is used. */
  recovery_codes: { user_id: string; account_id: string; hash: string }
  passkeys: {
    id: string
    user_id: string
    account_id: string
    /** WebAuthn's, base64url. */
    credential_id: string
    /** COSE. */
    public_key: Uint8Array
    /** How often the authenticator says it has signed; 0 for those that do not count. */
    counter: number
    /** JSON. */
    transports: string
    name: string
    created_at: number
    last_used_at: number | null
  }
  /** Links and challenges that are good for one use: a row goes when it is used. */
  one_time_tokens: {
    /** SHA-256 of the token. */
    hash: string
    purpose: 'first_run' | 'password_reset' | 'passkey_login' | 'passkey_making'
    user_id: string | null
    expires_at: number
  }
  invitations: {
    id: string
    account_id: string
    email: string
    role: Role
    /** SHA-256 of the token in its link. */
    hash: string
    /** The user who invited. */
    invited_by: string
    created_at: number
    expires_at: number
  }
  /** Failed logins by what was tried: an address to log in with. */
  login_failures: { name: string; failures: number; since_at: number }
  /** What was changed through the dashboard and the command line; append-only. */
  audit_log: {
    id: string
    account_id: string
    at: number
    /** Null when it was no user. */
    user_id: string | null
    /** Who, in words that stay when the user goes: an address. */
    actor: string
    action: string
    /** The ID or name of what it was done to. */
    target: string | null
    /** Where it came from. */
    address: string | null
    /** JSON; never a secret. */
    detail: string
  }
}
