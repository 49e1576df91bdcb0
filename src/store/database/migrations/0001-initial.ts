// All tables of the first release. This file is never changed from version 0.1.0 on; each later change is a separate
// migration. The file is long because it lists all tables.

import { type Kysely, sql } from 'kysely'
import type { DialectName } from '../dialect.ts'
import { CONTENT_PARTITIONS, makeFirstParts } from '../partitions.ts'

/**
 * Column types by database. The collation "C" of PostgreSQL sorts text by its bytes, as SQLite does, and compares text
 * faster than other collations.
 */
const TYPES: Readonly<Record<DialectName, Readonly<Record<string, string>>>> = {
  sqlite: { text: 'text', integer: 'integer', bytes: 'blob' },
  postgres: { text: 'text collate "C"', integer: 'bigint', bytes: 'bytea' },
}

/** Definition of one table. */
interface Definition {
  /**
   * Columns in order, each with a name and a type (`text`, `integer` or `bytes`). The word `key` follows if the column
   * alone is the primary key, `unique` if the values are unique, and `null` if the column may be null.
   */
  readonly columns: string
  /** Columns of the primary key, if no single column is marked as `key`. */
  readonly key?: string
  /**
   * True if SQLite stores the table in the order of its primary key, without a row ID; the default is true if `key` is
   * given.
   */
  readonly clustered?: boolean
  /** True if PostgreSQL writes no write-ahead log for the table, so that a crash of the server empties the table. */
  readonly unlogged?: true
  /**
   * Column by which PostgreSQL partitions the table into ranges; the partitions have the storage parameters of the
   * table (see `makeFirstParts`).
   */
  readonly partitionedBy?: string
  /** Storage parameters on PostgreSQL. */
  readonly options?: string
}

/** Storage parameters for tables whose rows are removed by age, so that freed pages are reused soon. */
const VACUUM = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000'
const VACUUM_WITH_TOAST = `${VACUUM}, toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 1000`

const TABLES: Readonly<Record<string, Definition>> = {
  installation: { columns: 'name text key, value text' },
  sealing: {
    columns: 'id text key, fingerprint text, data_key text, begun_at integer, sealed_at integer null',
  },
  accounts: {
    columns: `
      id text key, name text, status text, sending_allowance integer null, verification_credits integer,
      created_at integer, stored_bytes_limit integer null, suspended_at integer null,
      monthly_allowance integer null, allowance_renews_at integer null, domains_limit integer null,
      keys_limit integer null, external_id text null, reason text null, changed_at integer null,
      deleted_at integer null, allowance_total integer null, allowance_told integer, low_credits integer`,
  },
  stored_bytes: { columns: 'account_id text key, bytes integer, inbound_bytes integer' },
  problem_notices: {
    key: 'account_id, problem',
    clustered: false,
    columns:
      'account_id text, problem text, title text, seen_at integer, told_at integer null, gone_at integer null',
  },
  users: {
    columns: `
      id text key, account_id text, email text unique, name text null, role text, password_hash text,
      created_at integer`,
  },
  domains: {
    key: 'id',
    columns: `
      id text, account_id text, name text, status text, created_at integer, verified_at integer null,
      checked_at integer null, flagged_at integer null, claim_token text null, deleted_at integer null,
      content_retention_days integer null, transcript_retention_days integer null,
      record_retention_days integer null, track_opens integer, track_links integer, cfbl integer,
      rotate_every_days integer null, rotate_at integer null, bimi text null, mta_sts text,
      mta_sts_since integer null, guard text null,
      ignored_findings text null`,
  },
  domain_events: {
    key: 'domain_id, id',
    columns: 'id text, account_id text, domain_id text, type text, at integer, detail text',
  },
  domain_records: {
    key: 'domain_id, purpose',
    columns: `
      domain_id text, account_id text, purpose text, type text, name text, value text, required integer,
      status text, found text, note text null, found_since integer null`,
  },
  dkim_keys: {
    key: 'domain_id, selector',
    columns: `
      id text, account_id text, domain_id text, selector text, algorithm text, private_key text, public_key text,
      created_at integer, state text, notice text null, notice_at integer null`,
  },
  keys: {
    columns: `
      id text key, account_id text, domain_id text null, kind text, name text, hash text unique, last4 text,
      rate text null, created_at integer, last_used_at integer null, last_used_from text null,
      expires_at integer null, revoked_at integer null, scopes text, grants text, every_domain integer,
      networks text null, origins text null, recipients text null, mode text, inbox_id text null,
      created_by text null, previous_hash text null unique, previous_until integer null, used_networks text`,
  },
  key_notices: {
    key: 'key_id, notice',
    columns: `
      key_id text, notice text, account_id text, kind text, at integer, detail text, told_at integer null`,
  },
  key_domains: {
    key: 'key_id, domain_id',
    columns: 'key_id text, account_id text, domain_id text',
  },
  messages: {
    key: 'domain_id, id',
    options: VACUUM,
    columns: `
      id text, account_id text, domain_id text, key_id text, status text, stream text, from_email text,
      from_name text null, subject text, tag text null, metadata text null, size integer, recipient_count integer,
      created_at integer, updated_at integer, expires_at integer null, require_tls integer,
      send_at integer null, words text, resend_of text null, message_id_header text null,
      tags text null, origin text null, inbox_id text null`,
  },
  message_contents: {
    partitionedBy: CONTENT_PARTITIONS.column,
    columns:
      'message_id text key, account_id text, domain_id text, format text, content bytes, bulk_id text null',
  },
  bulks: {
    key: 'account_id, id',
    columns: `
      id text, account_id text, domain_id text, key_id text, stream text, status text, retry_at integer,
      total integer, accepted integer, refused integer, contents integer, created_at integer, name text null,
      tag text null, template_id text null, subject text null, problem text null, lease text null,
      lease_until integer null, finished_at integer null, inbox_id text null`,
  },
  bulk_contents: {
    key: 'bulk_id',
    clustered: false,
    columns: 'bulk_id text, account_id text, domain_id text, source bytes, base bytes',
  },
  bulk_rows: {
    key: 'bulk_id, line',
    options: VACUUM,
    columns: `
      bulk_id text, line integer, account_id text, domain_id text, email text, data text null,
      message_id text null, refusal text null`,
  },
  queue: {
    key: 'message_id, position',
    options: 'fillfactor=70, autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=5000',
    columns: `
      message_id text, position integer, account_id text, domain_id text, destination text, stream text,
      size integer, state text, waits_for text, start_tag integer, due_at integer null, lease text null,
      lease_until integer null, active_since integer null, renewed integer, attempts integer, faults integer,
      possible_duplicate integer`,
  },
  store_heartbeat: {
    key: 'id',
    clustered: false,
    columns: 'id integer, beat_at integer, steady_since integer',
  },
  shared_rates: {
    unlogged: true,
    options: 'fillfactor=30',
    columns: 'name text key, full_at integer, cost integer',
  },
  recipients: {
    key: 'message_id, position',
    options: 'autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000, fillfactor=60',
    columns: `
      message_id text, position integer, account_id text, domain_id text, role text, email text, name text null,
      destination text, status text, attempts integer, last_event_at integer, smtp_code integer null,
      smtp_response text null, mx text null`,
  },
  message_words: {
    key: 'domain_id, word, message_id',
    options: VACUUM,
    columns: 'domain_id text, word text, message_id text',
  },
  message_counts: {
    key: 'account_id, hour_at, domain_id, stream',
    columns: `
      account_id text, domain_id text, stream text, hour_at integer, accepted integer,
      delivered integer, deferred integer, bounced integer, failed integer, suppressed integer, cancelled integer,
      complained integer, unsubscribed integer, opened integer, clicked integer, took_0 integer, took_1 integer,
      took_2 integer, took_3 integer, took_4 integer, took_5 integer, took_6 integer, took_7 integer,
      took_8 integer, took_9 integer, took_10 integer, took_11 integer, took_12 integer, took_13 integer,
      took_14 integer, took_15 integer, took_16 integer, took_17 integer, took_18 integer, took_19 integer,
      took_20 integer, took_21 integer, took_22 integer, took_23 integer, took_24 integer`,
  },
  message_parts: {
    key: 'account_id, hour_at, domain_id, stream, kind, name',
    columns: `
      account_id text, hour_at integer, domain_id text, stream text, kind text, name text, accepted integer,
      delivered integer, deferred integer, bounced integer, failed integer, suppressed integer, cancelled integer,
      complained integer, unsubscribed integer, opened integer, clicked integer, took_0 integer, took_1 integer,
      took_2 integer, took_3 integer, took_4 integer, took_5 integer, took_6 integer, took_7 integer,
      took_8 integer, took_9 integer, took_10 integer, took_11 integer, took_12 integer, took_13 integer,
      took_14 integer, took_15 integer, took_16 integer, took_17 integer, took_18 integer, took_19 integer,
      took_20 integer, took_21 integer, took_22 integer, took_23 integer, took_24 integer`,
  },
  reply_counts: {
    key: 'domain_id, at, stream, provider, source, category, code',
    options: VACUUM,
    columns: `
      account_id text, domain_id text, stream text, provider text, source text, category text, code text,
      at integer, attempts integer, recipients integer, encrypted integer`,
  },
  reply_hours: {
    key: 'domain_id, at, stream, provider, source, category, code',
    options: VACUUM,
    columns: `
      account_id text, domain_id text, stream text, provider text, source text, category text, code text,
      at integer, attempts integer, recipients integer, encrypted integer`,
  },
  incidents: {
    key: 'id',
    columns: `
      id text, account_id text, domain_id text, name text, state text, cause text, provider text null,
      code text null, scope text, began_at integer, noticed_at integer, ended_at integer null,
      muted_until integer null, attempts integer, failed integer, usual_share integer null, recipients integer,
      example_message text null, example_event text null, words text null,
      evidence text, told_at integer null, end_told_at integer null`,
  },
  event_log: { options: VACUUM, columns: 'position integer key, written_at integer, events text' },
  late_events: {
    key: 'at_minute, position_minute',
    columns: 'at_minute integer, position_minute integer, first_position integer, last_position integer',
  },
  event_feed: {
    key: 'domain_id, position',
    options: VACUUM,
    columns: 'domain_id text, position integer, type text, message_id text, event_id text',
  },
  account_events: {
    key: 'id',
    options: VACUUM,
    columns: `
      id text, account_id text, type text, at integer, domain_id text null, object_id text, email text null,
      detail text`,
  },
  event_feed_ends: { clustered: true, columns: 'domain_id text key, position integer' },
  event_log_readers: { columns: 'name text key, position integer' },
  erased_suppressions: {
    key: 'domain_id, stream, hash',
    columns: 'domain_id text, stream text, hash text, account_id text, reason text, created_at integer',
  },
  attempts: {
    key: 'message_id, position, number',
    options: VACUUM,
    columns: `
      message_id text, position integer, number integer, account_id text, domain_id text, started_at integer,
      duration_ms integer, status text, reason text, mx text null, address text null, source text null, tls text null,
      smtp_code integer null, smtp_enhanced text null, smtp_response text null, transcript text`,
  },
  events: {
    key: 'message_id, id',
    options: VACUUM,
    columns:
      'id text, message_id text, account_id text, domain_id text, type text, at integer, email text, detail text',
  },
  tracked_links: {
    key: 'message_id, position, link',
    options: VACUUM,
    columns: `
      message_id text, position integer, link integer, account_id text, domain_id text, hits integer,
      machine_hits integer, first_at integer, last_at integer`,
  },
  idempotency_keys: {
    key: 'key_id, idempotency_key',
    columns:
      'key_id text, idempotency_key text, body_hash text, message_id text, response text, created_at integer',
  },
  keyed_requests: {
    key: 'key_id, idempotency_key',
    columns: 'key_id text, idempotency_key text, lease text null, lease_until integer null',
  },
  keyed_request_steps: {
    key: 'key_id, idempotency_key, step',
    columns: 'key_id text, idempotency_key text, step integer, sealed text',
  },
  queue_pauses: { key: 'kind, value', columns: 'kind text, value text, created_at integer, note text null' },
  domain_relays: { columns: 'domain_id text key, account_id text, url text, created_at integer' },
  mta_sts_policies: {
    columns:
      'domain text key, policy_id text, mode text, mx text, max_age integer, fetched_at integer, expires_at integer',
  },
  tls_results: {
    key: 'day, policy_domain, policy_type, mx, result, sending_ip, receiving_ip',
    columns: `
      day text, policy_domain text, policy_type text, mx text, result text, sending_ip text, receiving_ip text,
      policy text, sessions integer`,
  },
  tls_reports: {
    key: 'day, domain, address',
    columns:
      'day text, domain text, address text, state text, tries integer, next_at integer, detail text null',
  },
  reports: {
    columns: `
      id text key, account_id text, domain_id text, state text, kind text null, submitter text, external_id text,
      begin_at integer null, end_at integer null, received_at integer, authenticated integer null, messages integer,
      failed integer, warnings text, detail text, identity text null, duplicate_of text null, size integer,
      mail_from text, client_address text, helo text, tries integer, lease text null, lease_until integer null`,
  },
  report_contents: {
    options: VACUUM_WITH_TOAST,
    columns: 'report_id text key, account_id text, domain_id text, raw bytes',
  },
  dmarc_rows: {
    key: 'domain_id, day, report_id, position',
    options: VACUUM,
    columns: `
      domain_id text, day text, report_id text, position integer, account_id text, receiver text, address text,
      header_from text, envelope_from text, dkim text, spf text, own_key text, own_path integer, service text,
      dkim_aligned integer, spf_aligned integer, disposition text, reason text, messages integer`,
  },
  report_addresses: { columns: 'address text key, host text, looked_at integer null' },
  report_sources: {
    key: 'domain_id, source_id',
    columns: 'domain_id text, source_id text, account_id text, kind text, name text, changed_at integer',
  },
  test_inboxes: {
    columns: `
      id text key, account_id text, name text, keep_days integer, keep_messages integer, password_hash text,
      changes integer, revision integer, revisions text, created_at integer`,
  },
  test_mails: {
    columns: `
      id text key, inbox_id text, account_id text, message_id text, received_at integer, mail_from text,
      recipients text, tls text null, seen integer, tags text, size integer, added integer, changed integer,
      summary text, search text, raw bytes`,
  },
  credit_grants: {
    key: 'account_id, id',
    columns: 'account_id text, id text, note text null, credits integer, granted_at integer',
  },
  credit_uses: { key: 'account_id, day', columns: 'account_id text, day text, credits integer' },
  verifications: {
    key: 'account_id, id',
    columns: `
      account_id text, id text, key_id text, status text, lease text null, total integer, duplicates integer,
      deliverable integer, undeliverable integer, risky integer, unknown integer, created_at integer,
      lease_until integer null, finished_at integer null, name text null, columns text null`,
  },
  verification_addresses: {
    key: 'verification_id, position',
    columns:
      'verification_id text, account_id text, email text, answer text null, position integer, cells text null',
  },
  verification_checks: {
    key: 'account_id, id',
    columns: `
      account_id text, id text, email text, result text, answer text, key_id text null, user_id text null,
      checked_at integer`,
  },
  link_revocations: { key: 'subject', columns: 'subject text, revoked_at integer' },
  suppressions: {
    key: 'domain_id, stream, email',
    columns: `
      id text, account_id text, domain_id text, stream text, email text, reason text, message_id text null,
      created_at integer, replaced text null`,
  },
  nodes: {
    key: 'id',
    columns:
      'id text, host_name text, roles text, version text, started_at integer, seen_at integer, load text, addresses text',
  },
  list_looks: {
    key: 'subject, zone',
    columns: `
      subject text, zone text, account_id text null, domain_id text null, state text, answer text null, since integer,
      checked_at integer null, due_at integer null, told_at integer null`,
  },
  dns_checks: {
    key: 'kind, subject',
    columns: 'kind text, subject text, state text, detail text, checked_at integer',
  },
  requirement_states: {
    key: 'domain_id, receiver, requirement',
    columns: 'account_id text, domain_id text, receiver text, requirement text, status text, since integer',
  },
  receiver_figures: {
    key: 'domain_id, receiver, requirement',
    columns: `
      account_id text, domain_id text, receiver text, requirement text, status text, measured text, source text,
      as_of integer`,
  },
  receiver_volumes: {
    key: 'account_id, organization, receiver',
    columns: `
      account_id text, organization text, receiver text, highest integer, highest_day text, bulk_since text null`,
  },
  singleton_jobs: { key: 'name', columns: 'name text, lease text null, lease_until integer null' },
  inbox_mails: {
    columns:
      'id text key, received_at integer, mail_from text, rcpt_to text, subject text, size integer, raw bytes',
  },
  inbound_addresses: {
    key: 'host, local, domain_id',
    columns: 'host text, local text, account_id text, domain_id text, stream text',
  },
  inbound_messages: {
    key: 'id',
    options: VACUUM,
    columns: `
      id text, account_id text, domain_id text, stream text, kind text, state text, tries integer,
      received_at integer, mail_from text, rcpt_to text, client_address text, helo text, from_email text,
      subject text, size integer, flags text, tls text null, from_name text null, header_message_id text null,
      authentication text null, lease_until integer null, lease text null`,
  },
  inbound_contents: {
    key: 'inbound_id',
    clustered: false,
    options: VACUUM_WITH_TOAST,
    columns: 'inbound_id text, account_id text, domain_id text, stream text, raw bytes',
  },
  inbound_parsed: {
    key: 'inbound_id',
    options: VACUUM_WITH_TOAST,
    columns: 'inbound_id text, account_id text, domain_id text, stream text, parsed text',
  },
  layouts: {
    key: 'domain_id, id',
    columns: `
      id text, account_id text, domain_id text, alias text null, name text, html text null, text text null,
      version integer, created_at integer, updated_at integer, sample_model text null`,
  },
  templates: {
    key: 'domain_id, id',
    columns: `
      id text, account_id text, domain_id text, alias text null, name text, subject text null, html text null,
      text text null, layout_id text null, required_paths text, inline_css integer, version integer,
      created_at integer, updated_at integer, sample_model text null`,
  },
  template_versions: {
    key: 'template_id, version',
    columns: `
      template_id text, version integer, account_id text, domain_id text, saved_by text, snapshot text,
      created_at integer`,
  },
  streams: {
    key: 'domain_id, alias',
    columns: `
      alias text, account_id text, domain_id text, name text, kind text, rate text null, retry_for_ms integer null,
      sending_allowance integer null, headers text, used integer, archived_at integer null, created_at integer,
      updated_at integer, content_retention_days integer null, transcript_retention_days integer null,
      record_retention_days integer null, store_content integer, track_opens integer null,
      track_links integer null, brand text null, unsubscribe text, guard text null, ignored_findings text null`,
  },
  webhooks: {
    columns: `
      id text key, account_id text, domain_id text, feed_id text, name text, url text, format text, event_types text,
      test_events integer,
      streams text, tags text, batch integer, secrets text, status text, disabled_reason text null,
      disabled_at integer null, position integer, replay_position integer null, replay_until integer null,
      due_at integer null, resume_at integer null, failures integer, failing_since integer null, lease text null,
      lease_until integer null, created_at integer, updated_at integer, replay_before integer null,
      attempted_to integer`,
  },
  webhook_deliveries: {
    key: 'webhook_id, id',
    options: VACUUM,
    columns: `
      webhook_id text, id text, account_id text, domain_id text, event_id text, event_type text, message_id text,
      positions text, status text, attempts integer, log text, due_at integer null`,
  },
  unsubscribe_links: {
    key: 'token',
    columns: `
      token text, account_id text, domain_id text, stream text, email text, message_id text, position integer,
      created_at integer`,
  },
  sessions: {
    key: 'id',
    columns: `
      id text, user_id text, account_id text, hash text unique, address text, user_agent text, created_at integer,
      last_seen_at integer`,
  },
  user_totp: {
    key: 'user_id',
    columns: `
      user_id text, account_id text, secret text, created_at integer, confirmed_at integer null,
      last_step integer null`,
  },
  recovery_codes: { key: 'user_id, hash', columns: 'user_id text, account_id text, hash text' },
  passkeys: {
    key: 'id',
    columns: `
      id text, user_id text, account_id text, credential_id text unique, public_key bytes, counter integer,
      transports text, name text, created_at integer, last_used_at integer null`,
  },
  one_time_tokens: { key: 'hash', columns: 'hash text, purpose text, user_id text null, expires_at integer' },
  invitations: {
    key: 'account_id, id',
    columns: `
      id text, account_id text, email text, role text, hash text unique, invited_by text, created_at integer,
      expires_at integer`,
  },
  login_failures: { key: 'name', columns: 'name text, failures integer, since_at integer' },
  request_log: {
    key: 'account_id, id',
    options: VACUUM,
    columns: `
      account_id text, id text, at integer, key_id text, domain_id text null, method text, path text,
      status integer, code text null, problems text null, problem_count integer, message_id text null, duration_ms integer,
      missed integer, ignored text null`,
  },
  refused_recipients: {
    key: 'account_id, hash, request_id',
    options: VACUUM,
    columns: `
      account_id text, hash text, request_id text, status integer null, code text null, problems text null`,
  },
  object_numbers: {
    key: 'account_id, noun, number',
    columns: 'account_id text, noun text, number integer, id text',
  },
  audit_log: {
    key: 'account_id, id',
    columns: `
      id text, account_id text, at integer, user_id text null, actor text, action text, target text null,
      address text null, detail text`,
  },
  retention_marks: {
    key: 'kind, domain_id, stream',
    columns: 'kind text, domain_id text, stream text, message_id text',
  },
  retention_skipped: {
    key: 'kind, domain_id, stream, message_id',
    columns: 'kind text, domain_id text, stream text, message_id text',
  },
}

const INDEXES = [
  'index account_events_by_any_case on account_events (lower(email)) where lower(email) is not null',
  'unique index accounts_by_external_id on accounts (external_id) where deleted_at is null',
  `index accounts_suspended on accounts (id) where status = 'suspended'`,
  'index audit_log_by_action on audit_log (account_id, action, id)',
  'index bulk_rows_by_any_case on bulk_rows (lower(email))',
  'index bulks_open on bulks (created_at) where finished_at is null',
  'unique index domains_by_account on domains (account_id, name) where deleted_at is null',
  'unique index domains_by_name on domains (name) where deleted_at is null and claim_token is null',
  'index dkim_notices on dkim_keys (notice_at) where notice is not null',
  `index domains_paused on domains (name) where status = 'paused'`,
  'index domains_to_check on domains (checked_at) where deleted_at is null',
  'index domains_to_rotate on domains (rotate_at) where rotate_at is not null',
  'index event_feed_ends_by_position on event_feed_ends (position)',
  'index idempotency_keys_by_age on idempotency_keys (created_at)',
  'index incidents_of_account on incidents (account_id, id)',
  'index incidents_of_domain on incidents (domain_id, id)',
  `unique index incidents_open on incidents (domain_id, name) where state = 'open'`,
  `index incidents_to_tell on incidents (id) where told_at is null or (state = 'closed' and end_told_at is null)`,
  'index inbound_addresses_domain on inbound_addresses (domain_id, stream)',
  'index inbound_contents_domain on inbound_contents (domain_id, inbound_id)',
  'index inbound_messages_domain on inbound_messages (domain_id, id)',
  `index inbound_messages_received on inbound_messages (id) where state = 'received'`,
  'index key_notices_to_tell on key_notices (at) where told_at is null',
  'index keys_by_account on keys (account_id, id)',
  'index late_events_by_position on late_events (last_position)',
  'unique index layouts_by_alias on layouts (domain_id, alias)',
  'index login_failures_by_age on login_failures (since_at)',
  'index test_inboxes_of_account on test_inboxes (account_id, id)',
  'unique index test_mails_of_message on test_mails (message_id, inbox_id)',
  'index test_mails_by_change on test_mails (inbox_id, changed)',
  'index test_mails_by_size on test_mails (account_id, size)',
  'index test_mails_of_inbox on test_mails (inbox_id, id)',
  'index test_mails_unread on test_mails (inbox_id) where seen = 0',
  `index message_parts_complained on message_parts (account_id, hour_at, domain_id, name) where kind = 'provider' and complained > 0`,
  `index messages_by_ending on messages (domain_id, status, id, recipient_count) where status in ('sending', 'partially_delivered', 'bounced', 'suppressed', 'failed', 'cancelled')`,
  'index messages_by_original on messages (domain_id, resend_of, id) where resend_of is not null',
  'index mta_sts_policies_expiry on mta_sts_policies (expires_at)',
  'unique index object_numbers_by_id on object_numbers (account_id, noun, id)',
  'index one_time_tokens_by_age on one_time_tokens (expires_at)',
  'index passkeys_by_user on passkeys (user_id)',
  'index queue_by_due on queue (due_at) where due_at is not null',
  'index queue_by_lease_end on queue (lease_until) where lease_until is not null',
  'index queue_by_order on queue (state, waits_for, start_tag) where due_at is null and lease_until is null',
  `index queue_by_status on queue (domain_id, (case when state = 'scheduled' then 'scheduled' when attempts > 0 then 'deferred' else 'queued' end), message_id) where lease_until is null`,
  'index recipients_by_any_case on recipients (domain_id, lower(email), message_id)',
  'index refused_recipients_by_request on refused_recipients (account_id, request_id)',
  'index reply_counts_by_time on reply_counts (at, domain_id)',
  'index reply_hours_by_time on reply_hours (at, domain_id)',
  'index report_addresses_to_look_up on report_addresses (address) where looked_at is null',
  'unique index reports_by_identity on reports (domain_id, identity) where identity is not null',
  'index reports_of_domain on reports (domain_id, id)',
  `index reports_received on reports (id) where state = 'received'`,
  'index sessions_by_user on sessions (user_id)',
  'index streams_without_content on streams (domain_id) where store_content = 0',
  'index suppressions_by_address on suppressions (account_id, email, reason)',
  'index suppressions_by_any_case on suppressions (lower(email))',
  'unique index suppressions_by_id on suppressions (domain_id, id)',
  `index tls_reports_due on tls_reports (next_at) where state = 'due'`,
  'index tls_reports_by_address on tls_reports (address, day)',
  'unique index templates_by_alias on templates (domain_id, alias)',
  'index templates_by_layout on templates (domain_id, layout_id)',
  'index unsubscribe_links_by_any_case on unsubscribe_links (lower(email))',
  'index users_by_account on users (account_id)',
  'index verification_addresses_by_any_case on verification_addresses (lower(email))',
  'index verification_checks_by_length on verification_checks (length(email), id, email)',
  'index webhook_deliveries_by_message on webhook_deliveries (webhook_id, message_id)',
  'index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where due_at is not null',
  'index webhooks_by_domain on webhooks (domain_id, id)',
  'index webhooks_by_feed on webhooks (feed_id, id)',
]

/** Readers of the event log, each of which starts at the beginning of the log. */
const READERS = ['figures', 'search', 'feed', 'replies']

/** Creates the tables, their indexes and their initial rows. */
export async function up(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  for (const [name, definition] of Object.entries(TABLES)) {
    await sql.raw(tableText(name, definition, dialect)).execute(db)
  }
  for (const index of INDEXES) await sql.raw(`create ${index}`).execute(db)
  if (dialect === 'postgres') await makeFirstParts(db, CONTENT_PARTITIONS, VACUUM_WITH_TOAST, Date.now())
  for (const name of READERS) {
    await sql`insert into event_log_readers (name, position) values (${sql.lit(name)}, 0)`.execute(db)
  }
}

/** Returns the statement that creates a table. */
function tableText(
  name: string,
  { columns, key, clustered = key !== undefined, unlogged, partitionedBy, options }: Definition,
  dialect: DialectName,
): string {
  const parts = columns.split(',').map((column) => columnText(column.trim(), dialect))
  if (key !== undefined) parts.push(`constraint ${name}_key primary key (${key})`)
  const text = (kind: string, end = ''): string => `create ${kind} ${name} (${parts.join(', ')}) ${end}`
  if (dialect === 'sqlite') return text('table', clustered ? 'without rowid' : '')
  if (partitionedBy !== undefined) return text('table', `partition by range (${partitionedBy})`)
  return text(unlogged ? 'unlogged table' : 'table', options && `with (${options})`)
}

/** Returns the SQL definition of a column in `TABLES`. */
function columnText(column: string, dialect: DialectName): string {
  const [name = '', type = '', ...marks] = column.split(' ')
  const words = [name, TYPES[dialect][type]]
  if (!marks.includes('null')) words.push('not null')
  if (marks.includes('unique')) words.push('unique')
  if (marks.includes('key')) words.push('primary key')
  return words.join(' ')
}
