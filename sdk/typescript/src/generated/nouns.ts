// The nouns of the API with a method for each operation, generated from docs/openapi.json by `npm run sdk`.
// SHA-256 of the document: 987ac9806dd98dcf8f55096b950b9c093857cf0425fcf1bfd66c3157337af7f4

import type { EventStream } from '../event-stream.ts'
import type { Listing } from '../listing.ts'
import type { RequestOptions } from '../request.ts'
import type * as t from './types.ts'

/** Version of the package. */
export const VERSION = '0.1.0'

/** Content of a file that is sent: a text or bytes. */
export type FileBody = string | Uint8Array | Blob

/** Filter of a list by values of the metadata, such as `'metadata.order_id'`. */
export type MetadataFilter = { readonly [Name in `metadata.${string}`]?: string }

/** Request of a webhook in the format `standard`. */
export interface WebhookEvent {
  readonly type: t.Event['type']
  readonly timestamp: t.Timestamp
  readonly data: t.Event
}

/** Operation of the API. */
export interface Operation {
  readonly method: string
  /** Path; the arguments of the method replace its parameters in their order. */
  readonly url: string
  /** Media types of the body. */
  readonly body?: readonly string[]
  readonly answer?: 'list' | 'events'
  /** True if the operation takes `?domain=`. */
  readonly ofDomain?: true
}

/** Returns the nouns, whose methods call `call`. */
export function nounsOf(call: (operation: Operation, args: readonly unknown[]) => unknown): object {
  const nouns: Record<string, unknown> = {}
  for (const [id, operation] of Object.entries(OPERATIONS)) {
    const steps = id.split('.')
    const name = steps.pop() as string
    let noun = nouns
    for (const step of steps) noun = (noun[step] ??= {}) as Record<string, unknown>
    noun[name] = (...args: readonly unknown[]) => call(operation, args)
  }
  return nouns
}

export interface AccountCalls {
  /**
   * Suppress addresses in the account.
   *
   * Takes one address (`email`), or up to 100,000 addresses in `suppressions`. No domain of the account sends to the addresses, regardless of the stream. An address that is already suppressed keeps its first reason, except that a complaint replaces any other reason.
   *
   * Requires the scope `account:write`.
   */
  addSuppressions(body?: NonNullable<t.AccountAddSuppressionsData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.AccountAddSuppressionsResponse>
  /**
   * Remove a suppression of the account.
   *
   * Requires the scope `account:write`.
   */
  deleteSuppression(email: string, options?: NonNullable<t.AccountDeleteSuppressionData['query']> & RequestOptions): Promise<void>
  /**
   * Retrieve the account.
   *
   * Requires the scope `account:read`.
   */
  get(options?: RequestOptions): Promise<t.Account>
  /**
   * Retrieve the usage of the account.
   *
   * Returns the number of recipients by the day or month in which an event happened, delayed by about one second. A key of some domains gets the mail of these domains.
   *
   * Requires the scope `account:read`.
   */
  getUsage(options?: NonNullable<t.AccountGetUsageData['query']> & RequestOptions): Promise<t.Usage>
  /**
   * List suppressions of the account.
   *
   * Returns the addresses to which no domain of the account sends, newest first.
   *
   * Requires the scope `account:read`.
   */
  listSuppressions(options?: NonNullable<t.AccountListSuppressionsData['query']> & RequestOptions): Listing<t.AccountSuppressionList>
  /**
   * Remove many suppressions of the account.
   *
   * Complaints are removed only with `force`. Suppressions of single domains and streams stay.
   *
   * Requires the scope `account:write`.
   */
  removeSuppressions(body: NonNullable<t.AccountRemoveSuppressionsData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.SuppressionsRemoved>
  /**
   * Rename the account.
   *
   * Requires the scope `account:write`.
   */
  update(body: NonNullable<t.AccountUpdateData['body']>, options?: RequestOptions & { readonly ifMatch?: string }): Promise<t.Account>
}

export interface AccountEventsCalls {
  /**
   * List or follow account events.
   *
   * Returns the events of the account and of its domains, keys, limits and lists, newest first. With `order=asc` a client can follow the events, as with `GET /v1/events`: `next_cursor` is never null, and the next request with the cursor returns the events since then, each once. A page may have fewer than `limit` events. A key of some domains gets the events of these domains and of the whole account. Events stay readable as long as records of messages are kept.
   *
   * Requires the scope `account:read`.
   */
  list(options?: NonNullable<t.AccountEventsListData['query']> & RequestOptions): Listing<t.AccountEventList>
  /**
   * Stream account events.
   *
   * Sends server-sent events, as `GET /v1/events/stream` does: `event` is the type, `data` is the event as in `GET /v1/account-events`, and `id` is its position.
   *
   * Requires the scope `account:read`.
   */
  stream(options?: NonNullable<t.AccountEventsStreamData['query']> & RequestOptions): EventStream<t.AccountEvent>
}

export interface AccountWebhooksCalls {
  readonly deliveries: AccountWebhooksDeliveriesCalls
  /**
   * Create a webhook of the account.
   *
   * Creates a webhook, which receives new events from now on. Only this response contains the secret. The webhook gets the events of `GET /v1/account-events`, in the format of Standard Webhooks.
   *
   * Requires the scope `account:write`.
   */
  create(body: NonNullable<t.AccountWebhooksCreateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.AccountWebhookWithSecret>
  /**
   * Delete a webhook of the account.
   *
   * Requires the scope `account:write`.
   */
  delete(webhookId: string, options?: RequestOptions & { readonly ifMatch?: string }): Promise<void>
  /**
   * Retrieve a webhook of the account.
   *
   * Requires the scope `account:read`.
   */
  get(webhookId: string, options?: RequestOptions): Promise<t.AccountWebhook>
  /**
   * List webhooks of the account.
   *
   * Requires the scope `account:read`.
   */
  list(options?: NonNullable<t.AccountWebhooksListData['query']> & RequestOptions): Listing<t.AccountWebhookList>
  /**
   * Replay the events of a time range to a webhook of the account.
   *
   * Delivers the events again with the same IDs and in order, in addition to new events.
   *
   * Requires the scope `account:write`.
   */
  replay(webhookId: string, body: NonNullable<t.AccountWebhooksReplayData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.AccountWebhook>
  /**
   * Rotate the secret of a webhook of the account.
   *
   * Creates a new secret, which only this response contains. For some time, requests are also signed with the previous secret.
   *
   * Requires the scope `account:write`.
   */
  rotateSecret(webhookId: string, body?: NonNullable<t.AccountWebhooksRotateSecretData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.AccountWebhookWithSecret>
  /**
   * Test a webhook of the account.
   *
   * Sends a sample event immediately and returns the outcome. The event is not retried.
   *
   * Requires the scope `account:write`.
   */
  test(webhookId: string, body?: NonNullable<t.AccountWebhooksTestData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.AccountWebhookDelivery>
  /**
   * Change a webhook of the account.
   *
   * Changes the given fields; omitted fields stay unchanged.
   *
   * Requires the scope `account:write`.
   */
  update(webhookId: string, body: NonNullable<t.AccountWebhooksUpdateData['body']>, options?: RequestOptions & { readonly ifMatch?: string }): Promise<t.AccountWebhook>
}

export interface AccountWebhooksDeliveriesCalls {
  /**
   * Retrieve a delivery of a webhook of the account with its request.
   *
   * Requires the scope `account:read`.
   */
  get(webhookId: string, deliveryId: string, options?: RequestOptions): Promise<t.AccountWebhookDeliveryDetails>
  /**
   * List the deliveries of a webhook of the account.
   *
   * Requires the scope `account:read`.
   */
  list(webhookId: string, options?: NonNullable<t.AccountWebhooksDeliveriesListData['query']> & RequestOptions): Listing<t.AccountWebhookDeliveryList>
  /**
   * Retry a delivery of a webhook of the account.
   *
   * Makes the delivery due at once with the same ID, regardless of its earlier result.
   *
   * Requires the scope `account:write`.
   */
  retry(webhookId: string, deliveryId: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.AccountWebhookDelivery>
}

export interface AccountsCalls {
  /**
   * Create an account.
   *
   * With `owner_email` the owner gets an invitation by mail, whose link is in the response as well. Nobody can log in to an account without an owner; its keys are made with `POST /v1/accounts/{account_id}/keys`.
   *
   * Requires the scope `accounts:write`.
   */
  create(body: NonNullable<t.AccountsCreateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.NewAccountWithInvitation>
  /**
   * Create a management key of an account.
   *
   * The secret is shown only here. The key belongs to the account, ends after an hour unless `expires_at` says otherwise, and is in the list of keys and in the audit log of the account as created by the operator. A key gives only scopes among its `grants`, and no further network, recipient, rate or expiry than its own.
   *
   * Requires the scope `accounts:write`.
   */
  createKey(accountId: string, body: NonNullable<t.AccountsCreateKeyData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.KeyWithSecret>
  /**
   * Delete an account.
   *
   * Requires the name of the account in `?confirm=`. The users, keys, domains, webhooks and address lists of the account end at once, and queued messages are cancelled; attempts in progress continue to their end. Messages and logs remain until their retention ends.
   *
   * Requires the scope `accounts:write`.
   */
  delete(accountId: string, options?: NonNullable<t.AccountsDeleteData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<void>
  /**
   * Retrieve an account.
   *
   * Requires the scope `accounts:read`.
   */
  get(accountId: string, options?: RequestOptions): Promise<t.OperatedAccount>
  /**
   * Retrieve the usage of an account.
   *
   * Returns the number of recipients by the day or month in which an event happened, delayed by about one second.
   *
   * Requires the scope `accounts:read`.
   */
  getUsage(accountId: string, options?: NonNullable<t.AccountsGetUsageData['query']> & RequestOptions): Promise<t.Usage>
  /**
   * Grant credits to an account.
   *
   * A negative number takes credits back. The balance never falls below 0.
   *
   * Requires the scope `accounts:write`.
   */
  grantCredits(accountId: string, body: NonNullable<t.AccountsGrantCreditsData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.CreditBalance>
  /**
   * List accounts.
   *
   * All accounts of the installation, newest first.
   *
   * Requires the scope `accounts:read`.
   */
  list(options?: NonNullable<t.AccountsListData['query']> & RequestOptions): Listing<t.AccountList>
  /**
   * Change an account.
   *
   * Omitted fields stay unchanged, and null resets a field to its default. A suspension takes effect on every node at once: the account can neither send nor verify, and its queued messages are held. The recipients of the present month count against a new allowance of each month.
   *
   * Requires the scope `accounts:write`.
   */
  update(accountId: string, body: NonNullable<t.AccountsUpdateData['body']>, options?: RequestOptions & { readonly ifMatch?: string }): Promise<t.OperatedAccount>
}

export interface AuditCalls {
  /**
   * List the audit log.
   *
   * Every change of the account and of its objects, newest first, by users, keys, the operator and the command line.
   *
   * Requires the scope `audit:read`.
   */
  list(options: { readonly format: 'csv' } & NonNullable<t.AuditListData['query']> & RequestOptions): Promise<string>
  list(options?: NonNullable<t.AuditListData['query']> & RequestOptions): Listing<t.AuditLog>
}

export interface AuthenticationCalls {
  /**
   * Retrieve the authentication of mail by source.
   *
   * Sums the DMARC reports of a domain by the source of the mail: this service, forwarders, known services and unknown senders. `failing_since` is the day since which a source that passed before fails.
   *
   * Requires the scope `incidents:read`.
   */
  get(options?: NonNullable<t.AuthenticationGetData['query']> & RequestOptions): Listing<t.Authentication>
  /**
   * Name a source of mail.
   *
   * Marks a source as known, with a name, or as unknown. This service and forwarders keep their kinds.
   *
   * Requires the scope `incidents:write`.
   */
  nameSource(sourceId: string, body: NonNullable<t.AuthenticationNameSourceData['body']>, options?: NonNullable<t.AuthenticationNameSourceData['query']> & RequestOptions): Promise<t.NamedSource>
}

export interface BulkCalls {
  readonly rows: BulkRowsCalls
  /**
   * Cancel a bulk.
   *
   * Stops turning rows into messages, and cancels waiting messages (scheduled, queued or deferred), also if the bulk is `done`. The status is `cancelling` until all these messages are cancelled, then `cancelled`. Delivered messages and messages in an attempt are not affected. The response is 409 if no message is waiting.
   *
   * Requires the scope `messages:write`.
   */
  cancel(bulkId: string, options?: NonNullable<t.BulkCancelData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Bulk>
  /**
   * Send one message to many.
   *
   * Sends a template, or content in the request, to up to 100,000 rows. Every row becomes a separate message. In JSON lines (`application/x-ndjson`), the first line is the message, a send request without recipients; each further line is a row `{ "to", "template_model", "metadata" }`. With `text/csv`, or the first sheet of an XLSX workbook, the query contains the message; one column contains the addresses (`email` or a similar name), `to_name` contains display names, and `metadata.…` contains metadata. All other columns, and the column of addresses, are variables; `order.number` is a field of `order`. The response is sent when all rows are on stable storage. Invalid rows are refused one by one, and listed with their line under `/rows`. The rows do not count against the rate limit of the key.
   *
   * Requires the scope `messages:send`.
   */
  create(body: FileBody | readonly [t.BulkMessage, ...(readonly t.BulkRow[])], options?: NonNullable<t.BulkCreateData['query']> & RequestOptions & { readonly idempotencyKey?: string } & { readonly contentType?: 'application/x-ndjson' | 'text/csv' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }): Promise<t.BulkAnswer>
  /**
   * Retrieve the progress of a bulk.
   *
   * Requires the scope `messages:read`.
   */
  get(bulkId: string, options?: NonNullable<t.BulkGetData['query']> & RequestOptions): Promise<t.Bulk>
  /**
   * List bulks.
   *
   * Newest first.
   *
   * Requires the scope `messages:read`.
   */
  list(options?: NonNullable<t.BulkListData['query']> & RequestOptions): Listing<t.BulkList>
}

export interface BulkRowsCalls {
  /**
   * List the rows of a bulk.
   *
   * Returns the result of each row in the order of the file, as JSON pages or as one CSV file.
   *
   * Requires the scope `messages:read`.
   */
  list(bulkId: string, options: { readonly format: 'csv' } & NonNullable<t.BulkRowsListData['query']> & RequestOptions): Promise<string>
  list(bulkId: string, options?: NonNullable<t.BulkRowsListData['query']> & RequestOptions): Listing<t.BulkRows>
}

export interface CreditsCalls {
  /**
   * Retrieve the verification credits.
   *
   * Requires the scope `verifications:read`.
   */
  get(options?: RequestOptions): Promise<t.Credits>
}

export interface DeliverabilityCalls {
  /**
   * Retrieve deliverability by provider.
   *
   * Figures of the receiving providers in a period, whose ends are rounded to the hour, and the open incidents. Figures that nobody has reported are null.
   *
   * Requires the scope `incidents:read`.
   */
  get(options?: NonNullable<t.DeliverabilityGetData['query']> & RequestOptions): Listing<t.Deliverability>
}

export interface DomainsCalls {
  readonly dkim: DomainsDkimCalls
  readonly dnsHosting: DomainsDnsHostingCalls
  readonly recordLinks: DomainsRecordLinksCalls
  readonly records: DomainsRecordsCalls
  readonly zone: DomainsZoneCalls
  /**
   * Add a domain.
   *
   * Answers with all DNS records to publish, which stay the same until a step of the key rotation. If another account has the domain, `claim` is one more record, which proves that the domain is yours. If this account has it, `existing.domain_id` of the refusal names it. A key of listed domains adds no domain.
   *
   * Requires the scope `domains:write`.
   */
  create(body: NonNullable<t.DomainsCreateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
  /**
   * Delete a domain.
   *
   * The keys of the domain stop working at once, and its queued messages are cancelled. `confirm` repeats the name of the domain.
   *
   * Requires the scope `domains:write`.
   */
  delete(domain: string, options?: NonNullable<t.DomainsDeleteData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<void>
  /**
   * Retrieve a domain.
   *
   * With all of its DNS records and the results of their last check.
   *
   * Requires the scope `domains:read`.
   */
  get(domain: string, options?: RequestOptions): Promise<t.Domain>
  /**
   * List domains.
   *
   * Sorted by name. A key of some domains lists these domains.
   *
   * Requires the scope `domains:read`.
   */
  list(options?: NonNullable<t.DomainsListData['query']> & RequestOptions): Listing<t.DomainList>
  /**
   * Pause a domain.
   *
   * A paused domain accepts no messages, and its queued messages wait.
   *
   * Requires the scope `domains:write`.
   */
  pause(domain: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
  /**
   * Resume a domain.
   *
   * The domain sends again if its required records were found.
   *
   * Requires the scope `domains:write`.
   */
  resume(domain: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
  /**
   * Change a domain.
   *
   * Omitted fields stay unchanged, and null resets a field to its default.
   *
   * Requires the scope `domains:write`.
   */
  update(domain: string, body: NonNullable<t.DomainsUpdateData['body']>, options?: RequestOptions & { readonly ifMatch?: string }): Promise<t.Domain>
  /**
   * Verify a domain.
   *
   * Looks up all DNS records now, and answers with the expected and the found values. With `wait` the records are looked up again every 5 seconds until the domain is verified or the time is over; the answer has the last result. A domain is looked up at most 30 times a minute.
   *
   * Requires the scope `domains:verify`.
   */
  verify(domain: string, options?: NonNullable<t.DomainsVerifyData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
}

export interface DomainsDkimCalls {
  /**
   * Discard the new DKIM keys.
   *
   * Ends a rotation before the switch.
   *
   * Requires the scope `domains:write`.
   */
  discard(domain: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
  /**
   * Retire the old DKIM keys.
   *
   * Ends a rotation; then the records of the old keys can be removed. Refused in the first ten minutes after the switch.
   *
   * Requires the scope `domains:write`.
   */
  retire(domain: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
  /**
   * Make new DKIM keys.
   *
   * Publish the records of the new keys in addition to the present ones, then switch. Refused during another rotation.
   *
   * Requires the scope `domains:write`.
   */
  rotate(domain: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
  /**
   * Sign with the new DKIM keys.
   *
   * Refused until the record of the new RSA key is found. The records of the old keys stay published until they are retired.
   *
   * Requires the scope `domains:write`.
   */
  switch(domain: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Domain>
}

export interface DomainsDnsHostingCalls {
  /**
   * Find the DNS provider of a domain.
   *
   * Asks the DNS for the zone of the domain and its name servers; at most 30 times a minute for a domain.
   *
   * Requires the scope `domains:read`.
   */
  get(domain: string, options?: RequestOptions): Promise<t.DnsHosting>
}

export interface DomainsRecordLinksCalls {
  /**
   * Share the DNS records of a domain.
   *
   * Makes a link to a page with the records for a person without a login. The link expires.
   *
   * Requires the scope `domains:read`.
   */
  create(domain: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.RecordLink>
  /**
   * Revoke the links to the DNS records of a domain.
   *
   * All links so far stop working.
   *
   * Requires the scope `domains:verify`.
   */
  delete(domain: string, options?: RequestOptions): Promise<void>
}

export interface DomainsRecordsCalls {
  /**
   * List the DNS records of a domain.
   *
   * All records to publish, with the results of their last check; the list has one page. The record that claims the domain from another account comes first.
   *
   * Requires the scope `domains:read`.
   */
  list(domain: string, options?: RequestOptions): Listing<t.DomainRecordList>
}

export interface DomainsZoneCalls {
  /**
   * Retrieve the DNS records as a zone file.
   *
   * The records as text that a name server can load (RFC 1035 §5.1).
   *
   * Requires the scope `domains:read`.
   */
  get(domain: string, options?: RequestOptions): Promise<string>
}

export interface ErasuresCalls {
  /**
   * Erase an address.
   *
   * Removes all data that the domain stores under an address: messages, recipients, events, attempts, contents, links, and inbound messages from or to the address. If a message has other recipients, only its content and the rows of this recipient are removed. Suppressions are kept as a hash. Texts that merely quote the address are not searched: deliveries of webhooks, with responses that may quote payloads, are removed after seven days, and the audit log is kept. The address matches case-insensitively; a tag has to match exactly. An erasure cannot be undone.
   *
   * Requires the scope `erasures:write`.
   */
  create(body: NonNullable<t.ErasuresCreateData['body']>, options?: NonNullable<t.ErasuresCreateData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.ErasuresCreateResponse>
}

export interface EventsCalls {
  /**
   * List or follow events.
   *
   * Returns events, newest first. With `order=asc` a client can follow the events: the list begins with the oldest event, or at the time `after`, and `next_cursor` is never null. Store the cursor, and send it with the next request to get the events since then: no event is missed or returned twice, even if many events are written at the same time. A page without `data` and with an unchanged `next_cursor` is the end of the list; wait before the next request. A search through very many events may return fewer than `limit` events; continue with `next_cursor`. `?metadata.<key>=<value>` finds messages whose metadata have this value, among the first 10 keys of each message; several such parameters apply together. Events become readable about 250 ms after they happen, and stay readable as long as their messages are kept. With `message_id` or `recipient`, newest first, only events of the newest 1,000 messages are found.
   *
   * Requires the scope `messages:read`.
   */
  list(options?: NonNullable<t.EventsListData['query']> & MetadataFilter & RequestOptions): Listing<t.EventList>
  /**
   * Stream events.
   *
   * Sends server-sent events: `event` is the type, `data` is the event as in `GET /v1/events`, and `id` is its position. A client that reconnects with `Last-Event-ID`, as every `EventSource` does, gets all missed events, and no event twice. Comments keep the stream open until the key is revoked or the node stops. `?metadata.<key>=<value>` finds messages whose metadata have this value, among the first 10 keys of each message; several such parameters apply together.
   *
   * Requires the scope `messages:read`.
   */
  stream(options?: NonNullable<t.EventsStreamData['query']> & MetadataFilter & RequestOptions): EventStream<t.Event>
}

export interface ExplainCalls {
  /**
   * Explain why mail did not arrive.
   *
   * The weightiest verdict wins. Without `message_id`, `subject` and `after`, the seven days before the newest message count. The SMTP dialog requires the scope `content:read`.
   *
   * Requires the scope `messages:read`.
   */
  get(options: NonNullable<t.ExplainGetData['query']> & RequestOptions): Promise<t.Explanation>
}

export interface InboundCalls {
  /**
   * Retrieve an inbound message.
   *
   * Without the scope `content:read` the fields of the content are empty.
   *
   * Requires the scope `inbound:read`.
   */
  get(inboundId: string, options?: NonNullable<t.InboundGetData['query']> & RequestOptions): Promise<t.InboundMessage>
  /**
   * Retrieve an inbound message as it was received.
   *
   * Returns the complete message (RFC 5322), byte for byte.
   *
   * Requires the scope `content:read`.
   */
  getRaw(inboundId: string, options?: NonNullable<t.InboundGetRawData['query']> & RequestOptions): Promise<Uint8Array>
  /**
   * List inbound messages.
   *
   * Newest first.
   *
   * Requires the scope `inbound:read`.
   */
  list(options?: NonNullable<t.InboundListData['query']> & RequestOptions): Listing<t.InboundList>
}

export interface InboxesCalls {
  readonly messages: InboxesMessagesCalls
  /**
   * Create a test inbox.
   *
   * The password for `base_url` is shown only here. Credentials that are created with `inbox_id` send to the inbox.
   *
   * Requires the scope `inboxes:write`.
   */
  create(body: NonNullable<t.InboxesCreateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.InboxCreated>
  /**
   * Delete a test inbox.
   *
   * Removes its mail and revokes its credentials. Test messages that wait in the queue fail.
   *
   * Requires the scope `inboxes:write`.
   */
  delete(inboxId: string, options?: RequestOptions): Promise<void>
  /**
   * Retrieve a test inbox.
   *
   * Requires the scope `inboxes:read`.
   */
  get(inboxId: string, options?: RequestOptions): Promise<t.Inbox>
  /**
   * List test inboxes.
   *
   * Newest first. A test key lists its own inbox.
   *
   * Requires the scope `inboxes:read`.
   */
  list(options?: NonNullable<t.InboxesListData['query']> & RequestOptions): Listing<t.InboxList>
  /**
   * Change a test inbox.
   *
   * Omitted fields stay unchanged. New limits apply from the next mail on.
   *
   * Requires the scope `inboxes:write`.
   */
  update(inboxId: string, body: NonNullable<t.InboxesUpdateData['body']>, options?: RequestOptions): Promise<t.Inbox>
  /**
   * Wait for a mail in a test inbox.
   *
   * Returns the first mail that matches, with its content, as soon as there is one; the list is empty if the time ends before. A test key may call this for its own inbox.
   *
   * Requires the scope `inboxes:read`.
   */
  wait(inboxId: string, options?: NonNullable<t.InboxesWaitData['query']> & RequestOptions): Listing<t.InboxMails>
}

export interface InboxesMessagesCalls {
  /**
   * Remove all mail of a test inbox.
   *
   * Requires the scope `inboxes:write`.
   */
  clear(inboxId: string, options?: RequestOptions): Promise<void>
  /**
   * Remove a mail of a test inbox.
   *
   * Requires the scope `inboxes:write`.
   */
  delete(inboxId: string, mailId: string, options?: RequestOptions): Promise<void>
  /**
   * Retrieve a mail of a test inbox.
   *
   * Marks the mail as read. `links` and `codes` are what a test follows or types in.
   *
   * Requires the scope `inboxes:read`.
   */
  get(inboxId: string, mailId: string, options?: RequestOptions): Promise<t.InboxMail>
  /**
   * Retrieve a file of a mail of a test inbox.
   *
   * Requires the scope `inboxes:read`.
   */
  getAttachment(inboxId: string, mailId: string, number: string, options?: RequestOptions): Promise<Uint8Array>
  /**
   * Retrieve the source of a mail of a test inbox.
   *
   * Returns the complete mail (RFC 5322), as a host would have received it.
   *
   * Requires the scope `inboxes:read`.
   */
  getRaw(inboxId: string, mailId: string, options?: RequestOptions): Promise<Uint8Array>
  /**
   * List the mail of a test inbox.
   *
   * Newest first. Several filters apply together.
   *
   * Requires the scope `inboxes:read`.
   */
  list(inboxId: string, options?: NonNullable<t.InboxesMessagesListData['query']> & RequestOptions): Listing<t.InboxMailList>
}

export interface IncidentsCalls {
  /**
   * Retrieve an incident.
   *
   * Requires the scope `incidents:read`.
   */
  get(incidentId: string, options?: RequestOptions): Promise<t.Incident>
  /**
   * List incidents.
   *
   * Newest first. An incident is opened when two looks, a minute apart, find a share of failed attempts that is high, unusual and improbable; it closes when at least 30 minutes and 20 attempts have less than half of the share.
   *
   * Requires the scope `incidents:read`.
   */
  list(options?: NonNullable<t.IncidentsListData['query']> & RequestOptions): Listing<t.IncidentList>
  /**
   * Mute an incident.
   *
   * A muted incident causes no mail, and is not on the home page. It stays open until it is over.
   *
   * Requires the scope `incidents:write`.
   */
  mute(incidentId: string, body: NonNullable<t.IncidentsMuteData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Incident>
}

export interface InvitationsCalls {
  /**
   * Invite a user.
   *
   * Mails a link that is valid for seven days, and replaces an earlier invitation of the same address. Only an owner who is logged in can invite an owner.
   *
   * Requires the scope `people:write`.
   */
  create(body: NonNullable<t.InvitationsCreateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.InvitationWithLink>
  /**
   * Withdraw an invitation.
   *
   * Only an owner who is logged in can withdraw the invitation of an owner.
   *
   * Requires the scope `people:write`.
   */
  delete(invitationId: string, options?: RequestOptions): Promise<void>
  /**
   * List invitations.
   *
   * Invitations that nobody has accepted, newest first. All invitations are on one page.
   *
   * Requires the scope `people:read`.
   */
  list(options?: RequestOptions): Listing<t.InvitationList>
}

export interface KeyCalls {
  /**
   * Show the key of the request.
   *
   * Returns the rights of the credential. SMTP credentials call this endpoint with their user name and password (HTTP Basic).
   *
   * Any key may call this.
   */
  get(options?: RequestOptions): Promise<t.CurrentKey>
}

export interface KeysCalls {
  /**
   * Create a key.
   *
   * The secret is shown only here. A key has no more scopes, domains, networks and recipients than the key or the user that creates it; scopes among the `grants` of a management key may be given as well. Networks and recipients that are left out are those of the creating key. Only a user who has logged in recently creates a management key.
   *
   * Requires the scope `keys:write`.
   */
  create(body: NonNullable<t.KeysCreateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.KeyWithSecret>
  /**
   * Revoke a key.
   *
   * Every node refuses the key from now on. Repeating this has the same result.
   *
   * Requires the scope `keys:write`.
   */
  delete(keyId: string, options?: RequestOptions): Promise<void>
  /**
   * Retrieve a key.
   *
   * Requires the scope `keys:read`.
   */
  get(keyId: string, options?: RequestOptions): Promise<t.Key>
  /**
   * List keys.
   *
   * Newest first, with expired and revoked keys. A key of some domains lists the keys of these domains.
   *
   * Requires the scope `keys:read`.
   */
  list(options?: NonNullable<t.KeysListData['query']> & RequestOptions): Listing<t.KeyList>
  /**
   * Rotate the secret of a key.
   *
   * Makes a new secret, shown here only. The secret so far stays valid for `overlap`; both are one key in lists, limits and the audit log.
   *
   * Requires the scope `keys:write`.
   */
  rotate(keyId: string, body?: NonNullable<t.KeysRotateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.KeyWithSecret>
  /**
   * Change a key.
   *
   * Omitted fields stay unchanged, and null resets a field to its default. The change takes effect on every node at once. The key gets no right that neither the caller nor the key has.
   *
   * Requires the scope `keys:write`.
   */
  update(keyId: string, body: NonNullable<t.KeysUpdateData['body']>, options?: RequestOptions): Promise<t.Key>
}

export interface LayoutsCalls {
  readonly versions: LayoutsVersionsCalls
  /**
   * Create a layout.
   *
   * Requires the scope `templates:write`.
   */
  create(body: NonNullable<t.LayoutsCreateData['body']>, options?: NonNullable<t.LayoutsCreateData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Layout>
  /**
   * Delete a layout.
   *
   * Requires the scope `templates:write`.
   */
  delete(idOrAlias: string, options?: NonNullable<t.LayoutsDeleteData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<void>
  /**
   * Retrieve a layout.
   *
   * Requires the scope `templates:read`.
   */
  get(idOrAlias: string, options?: NonNullable<t.LayoutsGetData['query']> & RequestOptions): Promise<t.Layout>
  /**
   * List layouts.
   *
   * Requires the scope `templates:read`.
   */
  list(options?: NonNullable<t.LayoutsListData['query']> & RequestOptions): Listing<t.LayoutList>
  /**
   * Replace a layout.
   *
   * Replaces all fields. Omitted fields become empty, except for `sample_model`. Messages that were accepted earlier are not affected.
   *
   * Requires the scope `templates:write`.
   */
  replace(idOrAlias: string, body: NonNullable<t.LayoutsReplaceData['body']>, options?: NonNullable<t.LayoutsReplaceData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<t.Layout>
}

export interface LayoutsVersionsCalls {
  /**
   * Retrieve a version of a layout.
   *
   * Requires the scope `templates:read`.
   */
  get(idOrAlias: string, version: string, options?: NonNullable<t.LayoutsVersionsGetData['query']> & RequestOptions): Promise<t.LayoutVersion>
  /**
   * List the versions of a layout.
   *
   * Requires the scope `templates:read`.
   */
  list(idOrAlias: string, options?: NonNullable<t.LayoutsVersionsListData['query']> & RequestOptions): Listing<t.VersionList>
  /**
   * Restore a version of a layout.
   *
   * Saves the content of the version as the newest version.
   *
   * Requires the scope `templates:write`.
   */
  restore(idOrAlias: string, version: string, options?: NonNullable<t.LayoutsVersionsRestoreData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Layout>
}

export interface MessagesCalls {
  /**
   * Cancel a message.
   *
   * Cancels every recipient that is neither final nor in an attempt; the response shows the new states. The response is 409 if no recipient can be cancelled, and 200 if the cancellation is repeated.
   *
   * Requires the scope `messages:write`.
   */
  cancel(messageId: string, options?: NonNullable<t.MessagesCancelData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Message>
  /**
   * Check a message without sending it.
   *
   * Finds broken links, placeholders that were not replaced, secrets, parts that mail programs do not support, and recipients that are known to be dead. Nothing is stored, sent or charged. The network is used for `links: "fetch"` and `spam: true` only.
   *
   * Requires the scope `messages:read`.
   */
  check(body?: NonNullable<t.MessagesCheckData['body']>, options?: NonNullable<t.MessagesCheckData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.CheckAnswer>
  /**
   * Retrieve a message.
   *
   * Requires the scope `messages:read`.
   */
  get(messageId: string, options?: NonNullable<t.MessagesGetData['query']> & RequestOptions): Promise<t.Message>
  /**
   * Retrieve a message as it is sent.
   *
   * Returns the complete message (RFC 5322) with its signatures.
   *
   * Requires the scope `content:read`.
   */
  getRaw(messageId: string, options?: NonNullable<t.MessagesGetRawData['query']> & RequestOptions): Promise<Uint8Array>
  /**
   * List messages.
   *
   * Returns messages, newest first. `?metadata.<key>=<value>` finds messages whose metadata have this value, among the first 10 keys of each message; several such parameters apply together. A search through very many messages may return fewer than `limit` messages; continue with `next_cursor`.
   *
   * Requires the scope `messages:read`.
   */
  list(options: { readonly format: 'csv' } & NonNullable<t.MessagesListData['query']> & MetadataFilter & RequestOptions): Promise<string>
  list(options?: NonNullable<t.MessagesListData['query']> & MetadataFilter & RequestOptions): Listing<t.MessageList>
  /**
   * Retry a message now.
   *
   * Makes every recipient that waits for a further attempt due at once. The response is 409 if no recipient waits for an attempt: a scheduled message keeps its time (`PATCH /v1/messages/{message_id}` changes the time), and a held message waits until it is resumed.
   *
   * Requires the scope `messages:write`.
   */
  retry(messageId: string, options?: NonNullable<t.MessagesRetryData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.RetryAnswer>
  /**
   * Send a message.
   *
   * Responds when the message is on stable storage.
   *
   * Requires the scope `messages:send`.
   */
  send(body: NonNullable<t.MessagesSendData['body']>, options?: NonNullable<t.MessagesSendData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.SendAnswer>
  /**
   * Send a batch of messages.
   *
   * Takes an array of 1 to 500 send requests. Each request is accepted or refused independently: `data` contains the results in the same order, and the paths in an `error` are relative to the request. All accepted messages are on stable storage before the response is sent. Each message counts against the rate limit; a batch that exceeds the remaining rate is accepted, and later requests have to wait. An `Idempotency-Key` applies to the whole batch: a repeated batch gets the same response, including refusals.
   *
   * Requires the scope `messages:send`.
   */
  sendBatch(body: NonNullable<t.MessagesSendBatchData['body']>, options?: NonNullable<t.MessagesSendBatchData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.BatchAnswer>
  /**
   * Send a complete message.
   *
   * Takes a message with its header and its MIME parts, and treats the message like mail by SMTP: fields such as `X-Stream`, `X-Tag`, `X-Metadata-<key>` and `X-Template-Alias` have the same effect and are removed, faults that are safe to repair are repaired, and the same messages are refused; `line` in `errors` is the line of the message. Lines end with CRLF. The recipients of the envelope get the message; `To` and `Cc` are only shown, and `Bcc` is removed.
   *
   * Requires the scope `messages:send`.
   */
  sendRaw(body: FileBody, options?: NonNullable<t.MessagesSendRawData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.SendAnswer>
  /**
   * Change the time of a message.
   *
   * Changes the time of a message that is `scheduled`, or sends the message now. The response is 409 if the message no longer waits for its time, for example because sending has begun, and 200 if the change is repeated.
   *
   * Requires the scope `messages:write`.
   */
  update(messageId: string, body: NonNullable<t.MessagesUpdateData['body']>, options?: NonNullable<t.MessagesUpdateData['query']> & RequestOptions): Promise<t.Message>
}

export interface OperatorCalls {
  readonly listings: OperatorListingsCalls
  readonly queue: OperatorQueueCalls
  readonly settings: OperatorSettingsCalls
}

export interface OperatorListingsCalls {
  /**
   * List the lookups in block lists.
   *
   * Returns the latest lookup of each address and each sending domain in each block list. Lookups follow every hour; a listing is reported after a second lookup ten minutes later.
   *
   * Requires the scope `operator:read`.
   */
  list(options?: NonNullable<t.OperatorListingsListData['query']> & RequestOptions): Listing<t.Listings>
}

export interface OperatorQueueCalls {
  /**
   * Cancel recipients.
   *
   * Cancels queued recipients. Active recipients are not affected.
   *
   * Requires the scope `operator:write`.
   */
  cancel(body?: NonNullable<t.OperatorQueueCancelData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.QueueActionAnswer>
  /**
   * Show a message with its attempts.
   *
   * Returns a message of any account, as `postrider queue show` does.
   *
   * Requires the scope `operator:read`.
   */
  getMessage(messageId: string, options?: RequestOptions): Promise<t.InspectedMessage>
  /**
   * List the queue by destination.
   *
   * Requires the scope `operator:read`.
   */
  list(options?: NonNullable<t.OperatorQueueListData['query']> & RequestOptions): Listing<t.Queue>
  /**
   * List queued recipients.
   *
   * Returns recipients in the order of their next attempts; filters are combined with AND.
   *
   * Requires the scope `operator:read`.
   */
  listRecipients(options?: NonNullable<t.OperatorQueueListRecipientsData['query']> & RequestOptions): Listing<t.WaitingRecipients>
  /**
   * Pause a destination, stream or domain.
   *
   * Starts no new attempts. Running attempts end normally, and messages are still accepted and queued.
   *
   * Requires the scope `operator:write`.
   */
  pause(body?: NonNullable<t.OperatorQueuePauseData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.HoldAnswer>
  /**
   * Resume a destination, stream or domain.
   *
   * The response is 404 if the object is not paused.
   *
   * Requires the scope `operator:write`.
   */
  resume(body?: NonNullable<t.OperatorQueueResumeData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.HoldAnswer>
  /**
   * Retry recipients now.
   *
   * Makes queued recipients due at once. Active recipients are not affected, and scheduled recipients keep their time.
   *
   * Requires the scope `operator:write`.
   */
  retry(body?: NonNullable<t.OperatorQueueRetryData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.QueueActionAnswer>
}

export interface OperatorSettingsCalls {
  /**
   * List the settings in force.
   *
   * Returns every setting of the node that answers, with its value, its source and its default. Settings that may contain a secret show `set`.
   *
   * Requires the scope `operator:read`.
   */
  list(options?: RequestOptions): Listing<t.Settings>
}

export interface PeopleCalls {
  /**
   * Remove a user.
   *
   * The sessions of the user end at once. Only an owner who is logged in can remove an owner, and an account keeps its last owner.
   *
   * Requires the scope `people:write`.
   */
  delete(userId: string, options?: RequestOptions): Promise<void>
  /**
   * List users.
   *
   * The users of the account, oldest first. All users are on one page.
   *
   * Requires the scope `people:read`.
   */
  list(options?: RequestOptions): Listing<t.UserList>
  /**
   * Change the role of a user.
   *
   * The role applies at once, also to open sessions. Only an owner who is logged in can change an owner or appoint one.
   *
   * Requires the scope `people:write`.
   */
  update(userId: string, body: NonNullable<t.PeopleUpdateData['body']>, options?: RequestOptions): Promise<t.User>
}

export interface ReportsCalls {
  /**
   * Retrieve a report.
   *
   * Requires the scope `incidents:read`.
   */
  get(reportId: string, options?: NonNullable<t.ReportsGetData['query']> & RequestOptions): Promise<t.Report>
  /**
   * Retrieve the file of a report.
   *
   * Returns the file as it was received, byte for byte; it is kept for 45 days.
   *
   * Requires the scope `content:read`.
   */
  getRaw(reportId: string, options?: NonNullable<t.ReportsGetRawData['query']> & RequestOptions): Promise<Uint8Array>
  /**
   * List reports.
   *
   * Newest first: DMARC and TLS reports of receivers, and complaints.
   *
   * Requires the scope `incidents:read`.
   */
  list(options?: NonNullable<t.ReportsListData['query']> & RequestOptions): Listing<t.ReportList>
  /**
   * Upload a report.
   *
   * The body is the file itself: XML, JSON, gzip, zip, or a whole mail. The content decides its kind, whatever the Content-Type is. A report that was received before is answered with 200 and the first report. A report about another domain, and a file that is no report, are refused.
   *
   * Requires the scope `incidents:write`.
   */
  upload(body: FileBody, options?: NonNullable<t.ReportsUploadData['query']> & RequestOptions & { readonly idempotencyKey?: string } & { readonly contentType?: 'application/xml' | 'application/gzip' | 'application/zip' | 'application/tlsrpt+json' | 'message/rfc822' }): Promise<t.ReportsUploadResponse>
}

export interface RequestsCalls {
  /**
   * List the request log.
   *
   * Requests of the keys of the account, newest first, including refused requests, and the refusals of SMTP credentials by SMTP. A key of some domains lists the requests in these domains.
   *
   * Requires the scope `requests:read`.
   */
  list(options?: NonNullable<t.RequestsListData['query']> & RequestOptions): Listing<t.RequestLog>
}

export interface RequirementsCalls {
  /**
   * List the requirements of large receivers.
   *
   * Returns for Gmail, Yahoo and Outlook.com each requirement of bulk senders with its status, its source and a remedy. DNS checks are repeated every hour; refusals of the last 24 hours and TLS of the last 7 days count.
   *
   * Requires the scope `incidents:read`.
   */
  list(options?: NonNullable<t.RequirementsListData['query']> & RequestOptions): Listing<t.Requirements>
}

export interface SmtpCredentialsCalls {
  /**
   * Create an SMTP credential.
   *
   * The password is shown only here, with the host and the ports to use. A credential sends from one domain. Networks and recipients that are left out are those of the creating key, and no others can be given.
   *
   * Requires the scope `keys:write`.
   */
  create(body: NonNullable<t.SmtpCredentialsCreateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.SmtpCredentialWithPassword>
  /**
   * Revoke an SMTP credential.
   *
   * Every node refuses its logins from now on. Repeating this has the same result.
   *
   * Requires the scope `keys:write`.
   */
  delete(username: string, options?: RequestOptions): Promise<void>
  /**
   * Retrieve an SMTP credential.
   *
   * Requires the scope `keys:read`.
   */
  get(username: string, options?: RequestOptions): Promise<t.SmtpCredential>
  /**
   * List SMTP credentials.
   *
   * Newest first, with expired and revoked credentials. A key of some domains lists the credentials of these domains.
   *
   * Requires the scope `keys:read`.
   */
  list(options?: NonNullable<t.SmtpCredentialsListData['query']> & RequestOptions): Listing<t.SmtpCredentialList>
  /**
   * Rotate the password of an SMTP credential.
   *
   * Makes a new password, shown here only. The password so far stays valid for `overlap`; the user name stays.
   *
   * Requires the scope `keys:write`.
   */
  rotate(username: string, body?: NonNullable<t.SmtpCredentialsRotateData['body']>, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.SmtpCredentialWithPassword>
  /**
   * Change an SMTP credential.
   *
   * Omitted fields stay unchanged, and null resets a field to its default. The change takes effect on every node at once. A credential stays at its domain.
   *
   * Requires the scope `keys:write`.
   */
  update(username: string, body: NonNullable<t.SmtpCredentialsUpdateData['body']>, options?: RequestOptions): Promise<t.SmtpCredential>
}

export interface StatsCalls {
  /**
   * Retrieve figures.
   *
   * Returns the number of recipients by the hour or day in which an event happened: a recipient may be accepted on one day and delivered on the next day. Statistics are delayed by about one second.
   *
   * Requires the scope `stats:read`.
   */
  get(options?: NonNullable<t.StatsGetData['query']> & RequestOptions): Promise<t.Stats>
}

export interface StreamsCalls {
  /**
   * Create a stream.
   *
   * Requires the scope `streams:write`.
   */
  create(body: NonNullable<t.StreamsCreateData['body']>, options?: NonNullable<t.StreamsCreateData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Stream>
  /**
   * Delete or archive a stream.
   *
   * Archives and returns a stream with messages (200), or deletes an unused stream (204).
   *
   * Requires the scope `streams:write`.
   */
  delete(alias: string, options?: NonNullable<t.StreamsDeleteData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<t.StreamsDeleteResponse>
  /**
   * Retrieve a stream.
   *
   * Requires the scope `streams:read`.
   */
  get(alias: string, options?: NonNullable<t.StreamsGetData['query']> & RequestOptions): Promise<t.Stream>
  /**
   * List streams.
   *
   * Returns all streams, including archived streams.
   *
   * Requires the scope `streams:read`.
   */
  list(options?: NonNullable<t.StreamsListData['query']> & RequestOptions): Listing<t.StreamList>
  /**
   * Change a stream.
   *
   * Changes the given fields. Omitted fields stay unchanged; alias and kind cannot be changed.
   *
   * Requires the scope `streams:write`.
   */
  update(alias: string, body: NonNullable<t.StreamsUpdateData['body']>, options?: NonNullable<t.StreamsUpdateData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<t.Stream>
}

export interface SuppressionsCalls {
  /**
   * Suppress addresses.
   *
   * Takes one address (`email`), or up to 100,000 addresses: in `suppressions`, or as `text/csv` or an XLSX workbook with a column `email` (or a similar name, or the name in `?column=`) and optional columns `stream` and `reason`. An address that is already suppressed keeps its first reason, except that a complaint replaces any other reason. Invalid entries are reported, and all other entries are added.
   *
   * Requires the scope `suppressions:write`.
   */
  add(body: NonNullable<t.SuppressionsAddData['body']> | FileBody, options?: NonNullable<t.SuppressionsAddData['query']> & RequestOptions & { readonly idempotencyKey?: string } & { readonly contentType?: 'text/csv' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }): Promise<t.SuppressionsAddResponse>
  /**
   * Remove a suppression.
   *
   * Requires the scope `suppressions:write`.
   */
  delete(email: string, options?: NonNullable<t.SuppressionsDeleteData['query']> & RequestOptions): Promise<void>
  /**
   * List suppressions.
   *
   * Requires the scope `suppressions:read`.
   */
  list(options: { readonly format: 'csv' } & NonNullable<t.SuppressionsListData['query']> & RequestOptions): Promise<string>
  list(options?: NonNullable<t.SuppressionsListData['query']> & RequestOptions): Listing<t.SuppressionList>
  /**
   * Remove many suppressions.
   *
   * Takes JSON or a table, as for adding. Complaints are removed only with `force`. Invalid entries are reported, and all other addresses are removed.
   *
   * Requires the scope `suppressions:write`.
   */
  removeMany(body: NonNullable<t.SuppressionsRemoveManyData['body']> | FileBody, options?: NonNullable<t.SuppressionsRemoveManyData['query']> & RequestOptions & { readonly idempotencyKey?: string } & { readonly contentType?: 'text/csv' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }): Promise<t.SuppressionsRemoved>
}

export interface TemplatesCalls {
  readonly versions: TemplatesVersionsCalls
  /**
   * Create a template.
   *
   * Requires the scope `templates:write`.
   */
  create(body: NonNullable<t.TemplatesCreateData['body']>, options?: NonNullable<t.TemplatesCreateData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Template>
  /**
   * Delete a template.
   *
   * Requires the scope `templates:write`.
   */
  delete(idOrAlias: string, options?: NonNullable<t.TemplatesDeleteData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<void>
  /**
   * Retrieve a template.
   *
   * Requires the scope `templates:read`.
   */
  get(idOrAlias: string, options?: NonNullable<t.TemplatesGetData['query']> & RequestOptions): Promise<t.Template>
  /**
   * List templates.
   *
   * Requires the scope `templates:read`.
   */
  list(options?: NonNullable<t.TemplatesListData['query']> & RequestOptions): Listing<t.TemplateList>
  /**
   * Render a template without sending it.
   *
   * Requires the scope `templates:read`.
   */
  render(idOrAlias: string, body?: NonNullable<t.TemplatesRenderData['body']>, options?: NonNullable<t.TemplatesRenderData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Rendered>
  /**
   * Render a template that is not saved.
   *
   * Renders a draft for editors and tests. Syntax problems have a line and a column, and nothing is stored.
   *
   * Requires the scope `templates:read`.
   */
  renderDraft(body?: NonNullable<t.TemplatesRenderDraftData['body']>, options?: NonNullable<t.TemplatesRenderDraftData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Rendered>
  /**
   * Replace a template.
   *
   * Replaces all fields. Omitted fields become empty, except for `sample_model`. Messages that were accepted earlier are not affected.
   *
   * Requires the scope `templates:write`.
   */
  replace(idOrAlias: string, body: NonNullable<t.TemplatesReplaceData['body']>, options?: NonNullable<t.TemplatesReplaceData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<t.Template>
}

export interface TemplatesVersionsCalls {
  /**
   * Retrieve a version of a template.
   *
   * Requires the scope `templates:read`.
   */
  get(idOrAlias: string, version: string, options?: NonNullable<t.TemplatesVersionsGetData['query']> & RequestOptions): Promise<t.TemplateVersion>
  /**
   * List the versions of a template.
   *
   * Requires the scope `templates:read`.
   */
  list(idOrAlias: string, options?: NonNullable<t.TemplatesVersionsListData['query']> & RequestOptions): Listing<t.VersionList>
  /**
   * Restore a version of a template.
   *
   * Saves the content of the version as the newest version.
   *
   * Requires the scope `templates:write`.
   */
  restore(idOrAlias: string, version: string, options?: NonNullable<t.TemplatesVersionsRestoreData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Template>
}

export interface VerificationsCalls {
  /**
   * Cancel an address list.
   *
   * Verified addresses keep their results. The other addresses take no credits.
   *
   * Requires the scope `verifications:check`.
   */
  cancel(verificationId: string, options?: RequestOptions & { readonly idempotencyKey?: string }): Promise<t.VerificationList>
  /**
   * Verify many addresses.
   *
   * Accepts a JSON array of addresses, `text/csv` (separated by commas, semicolons or tabs) or the first sheet of an XLSX workbook. A table contains a column named `email` or similar, or only addresses. The other columns, at most 499, are kept and included in the result files; a row with more cells than the first line makes the list invalid. Each address is verified once, and takes one credit when it is verified. Without credits the list is paused until the account has credits.
   *
   * Requires the scope `verifications:check`.
   */
  create(body: NonNullable<t.VerificationsCreateData['body']> | FileBody, options?: NonNullable<t.VerificationsCreateData['query']> & RequestOptions & { readonly idempotencyKey?: string } & { readonly contentType?: 'text/csv' | 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }): Promise<t.VerificationListAccepted>
  /**
   * Retrieve the progress of an address list.
   *
   * Requires the scope `verifications:read`.
   */
  get(verificationId: string, options?: NonNullable<t.VerificationsGetData['query']> & RequestOptions): Promise<t.VerificationList>
  /**
   * Retrieve the results of an address list.
   *
   * Returns the available results in the order of the list, as JSON pages or as one CSV or XLSX file.
   *
   * Requires the scope `verifications:read`.
   */
  getResults(verificationId: string, options: { readonly format: 'csv' } & NonNullable<t.VerificationsGetResultsData['query']> & RequestOptions): Promise<string>
  getResults(verificationId: string, options: { readonly format: 'xlsx' } & NonNullable<t.VerificationsGetResultsData['query']> & RequestOptions): Promise<Uint8Array>
  getResults(verificationId: string, options?: NonNullable<t.VerificationsGetResultsData['query']> & RequestOptions): Listing<t.VerificationResults>
  /**
   * Verify an address.
   *
   * Takes one verification credit for any result; `X-Verification-Credits-Remaining` contains the remaining credits. An invalid address is a result, not an error. Web pages call this with a public key (`public_…`) from the origins of the key; the network of a visitor has 20 requests a minute.
   *
   * Requires the scope `verifications:check`.
   */
  verifyEmail(options: NonNullable<t.VerificationsVerifyEmailData['query']> & RequestOptions): Promise<t.Verification>
  /**
   * Verify an address with details.
   *
   * Takes one verification credit for any result; `X-Verification-Credits-Remaining` contains the remaining credits. An invalid address is a result, not an error.
   *
   * Requires the scope `verifications:check`.
   */
  verifyEmailDetailed(options: NonNullable<t.VerificationsVerifyEmailDetailedData['query']> & RequestOptions): Promise<t.DetailedVerification>
}

export interface WebhooksCalls {
  readonly deliveries: WebhooksDeliveriesCalls
  /**
   * Create a webhook.
   *
   * Creates a webhook, which receives new events from now on. Only this response contains the secret. A key without the scope `content:read` creates only webhooks without `received` events.
   *
   * Requires the scope `webhooks:write`.
   */
  create(body: NonNullable<t.WebhooksCreateData['body']>, options?: NonNullable<t.WebhooksCreateData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.WebhookWithSecret>
  /**
   * Delete a webhook.
   *
   * Requires the scope `webhooks:write`.
   */
  delete(webhookId: string, options?: NonNullable<t.WebhooksDeleteData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<void>
  /**
   * Retrieve a webhook.
   *
   * Requires the scope `webhooks:read`.
   */
  get(webhookId: string, options?: NonNullable<t.WebhooksGetData['query']> & RequestOptions): Promise<t.Webhook>
  /**
   * List webhooks.
   *
   * Requires the scope `webhooks:read`.
   */
  list(options?: NonNullable<t.WebhooksListData['query']> & RequestOptions): Listing<t.WebhookList>
  /**
   * Replay the events of a time range to a webhook.
   *
   * Delivers the events again with the same IDs and in order, in addition to new events.
   *
   * Requires the scope `webhooks:write`.
   */
  replay(webhookId: string, body: NonNullable<t.WebhooksReplayData['body']>, options?: NonNullable<t.WebhooksReplayData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.Webhook>
  /**
   * Rotate the secret of a webhook.
   *
   * Creates a new secret, which only this response contains. For some time, requests are also signed with the previous secret.
   *
   * Requires the scope `webhooks:write`.
   */
  rotateSecret(webhookId: string, body?: NonNullable<t.WebhooksRotateSecretData['body']>, options?: NonNullable<t.WebhooksRotateSecretData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.WebhookWithSecret>
  /**
   * Test a webhook.
   *
   * Sends a sample event immediately and returns the outcome. The event is not retried.
   *
   * Requires the scope `webhooks:write`.
   */
  test(webhookId: string, body?: NonNullable<t.WebhooksTestData['body']>, options?: NonNullable<t.WebhooksTestData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.WebhookDelivery>
  /**
   * Change a webhook.
   *
   * Changes the given fields; omitted fields stay unchanged.
   *
   * Requires the scope `webhooks:write`.
   */
  update(webhookId: string, body: NonNullable<t.WebhooksUpdateData['body']>, options?: NonNullable<t.WebhooksUpdateData['query']> & RequestOptions & { readonly ifMatch?: string }): Promise<t.Webhook>
}

export interface WebhooksDeliveriesCalls {
  /**
   * Retrieve a delivery of a webhook with its request.
   *
   * Requires the scope `webhooks:read`.
   */
  get(webhookId: string, deliveryId: string, options?: NonNullable<t.WebhooksDeliveriesGetData['query']> & RequestOptions): Promise<t.WebhookDeliveryDetails>
  /**
   * List the deliveries of a webhook.
   *
   * Requires the scope `webhooks:read`.
   */
  list(webhookId: string, options?: NonNullable<t.WebhooksDeliveriesListData['query']> & RequestOptions): Listing<t.WebhookDeliveryList>
  /**
   * Retry a delivery of a webhook.
   *
   * Makes the delivery due at once with the same ID, regardless of its earlier result.
   *
   * Requires the scope `webhooks:write`.
   */
  retry(webhookId: string, deliveryId: string, options?: NonNullable<t.WebhooksDeliveriesRetryData['query']> & RequestOptions & { readonly idempotencyKey?: string }): Promise<t.WebhookDelivery>
}

/** The nouns of the API. */
export abstract class Nouns {
  declare readonly account: AccountCalls
  declare readonly accountEvents: AccountEventsCalls
  declare readonly accountWebhooks: AccountWebhooksCalls
  declare readonly accounts: AccountsCalls
  declare readonly audit: AuditCalls
  declare readonly authentication: AuthenticationCalls
  declare readonly bulk: BulkCalls
  declare readonly credits: CreditsCalls
  declare readonly deliverability: DeliverabilityCalls
  declare readonly domains: DomainsCalls
  declare readonly erasures: ErasuresCalls
  declare readonly events: EventsCalls
  declare readonly explain: ExplainCalls
  declare readonly inbound: InboundCalls
  declare readonly inboxes: InboxesCalls
  declare readonly incidents: IncidentsCalls
  declare readonly invitations: InvitationsCalls
  declare readonly key: KeyCalls
  declare readonly keys: KeysCalls
  declare readonly layouts: LayoutsCalls
  declare readonly messages: MessagesCalls
  declare readonly operator: OperatorCalls
  declare readonly people: PeopleCalls
  declare readonly reports: ReportsCalls
  declare readonly requests: RequestsCalls
  declare readonly requirements: RequirementsCalls
  declare readonly smtpCredentials: SmtpCredentialsCalls
  declare readonly stats: StatsCalls
  declare readonly streams: StreamsCalls
  declare readonly suppressions: SuppressionsCalls
  declare readonly templates: TemplatesCalls
  declare readonly verifications: VerificationsCalls
  declare readonly webhooks: WebhooksCalls
}

/** All operations by ID. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'account.addSuppressions': { method: 'POST', url: '/v1/account-suppressions', body: ['application/json'] },
  'account.deleteSuppression': { method: 'DELETE', url: '/v1/account-suppressions/{email}' },
  'account.get': { method: 'GET', url: '/v1/account' },
  'account.getUsage': { method: 'GET', url: '/v1/account/usage' },
  'account.listSuppressions': { method: 'GET', url: '/v1/account-suppressions', answer: 'list' },
  'account.removeSuppressions': { method: 'POST', url: '/v1/account-suppressions/remove', body: ['application/json'] },
  'account.update': { method: 'PATCH', url: '/v1/account', body: ['application/json'] },
  'accountEvents.list': { method: 'GET', url: '/v1/account-events', answer: 'list' },
  'accountEvents.stream': { method: 'GET', url: '/v1/account-events/stream', answer: 'events' },
  'accountWebhooks.create': { method: 'POST', url: '/v1/account-webhooks', body: ['application/json'] },
  'accountWebhooks.delete': { method: 'DELETE', url: '/v1/account-webhooks/{webhook_id}' },
  'accountWebhooks.deliveries.get': { method: 'GET', url: '/v1/account-webhooks/{webhook_id}/deliveries/{delivery_id}' },
  'accountWebhooks.deliveries.list': { method: 'GET', url: '/v1/account-webhooks/{webhook_id}/deliveries', answer: 'list' },
  'accountWebhooks.deliveries.retry': { method: 'POST', url: '/v1/account-webhooks/{webhook_id}/deliveries/{delivery_id}/retry' },
  'accountWebhooks.get': { method: 'GET', url: '/v1/account-webhooks/{webhook_id}' },
  'accountWebhooks.list': { method: 'GET', url: '/v1/account-webhooks', answer: 'list' },
  'accountWebhooks.replay': { method: 'POST', url: '/v1/account-webhooks/{webhook_id}/replay', body: ['application/json'] },
  'accountWebhooks.rotateSecret': { method: 'POST', url: '/v1/account-webhooks/{webhook_id}/rotate-secret', body: ['application/json'] },
  'accountWebhooks.test': { method: 'POST', url: '/v1/account-webhooks/{webhook_id}/test', body: ['application/json'] },
  'accountWebhooks.update': { method: 'PATCH', url: '/v1/account-webhooks/{webhook_id}', body: ['application/json'] },
  'accounts.create': { method: 'POST', url: '/v1/accounts', body: ['application/json'] },
  'accounts.createKey': { method: 'POST', url: '/v1/accounts/{account_id}/keys', body: ['application/json'] },
  'accounts.delete': { method: 'DELETE', url: '/v1/accounts/{account_id}' },
  'accounts.get': { method: 'GET', url: '/v1/accounts/{account_id}' },
  'accounts.getUsage': { method: 'GET', url: '/v1/accounts/{account_id}/usage' },
  'accounts.grantCredits': { method: 'POST', url: '/v1/accounts/{account_id}/credits', body: ['application/json'] },
  'accounts.list': { method: 'GET', url: '/v1/accounts', answer: 'list' },
  'accounts.update': { method: 'PATCH', url: '/v1/accounts/{account_id}', body: ['application/json'] },
  'audit.list': { method: 'GET', url: '/v1/audit', answer: 'list' },
  'authentication.get': { method: 'GET', url: '/v1/authentication', answer: 'list', ofDomain: true },
  'authentication.nameSource': { method: 'PUT', url: '/v1/authentication/sources/{source_id}', body: ['application/json'], ofDomain: true },
  'bulk.cancel': { method: 'POST', url: '/v1/bulk/{bulk_id}/cancel', ofDomain: true },
  'bulk.create': { method: 'POST', url: '/v1/bulk', body: ['application/x-ndjson','text/csv','application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'], ofDomain: true },
  'bulk.get': { method: 'GET', url: '/v1/bulk/{bulk_id}', ofDomain: true },
  'bulk.list': { method: 'GET', url: '/v1/bulk', answer: 'list', ofDomain: true },
  'bulk.rows.list': { method: 'GET', url: '/v1/bulk/{bulk_id}/rows', answer: 'list', ofDomain: true },
  'credits.get': { method: 'GET', url: '/v1/credits' },
  'deliverability.get': { method: 'GET', url: '/v1/deliverability', answer: 'list', ofDomain: true },
  'domains.create': { method: 'POST', url: '/v1/domains', body: ['application/json'] },
  'domains.delete': { method: 'DELETE', url: '/v1/domains/{domain}' },
  'domains.dkim.discard': { method: 'POST', url: '/v1/domains/{domain}/dkim/discard' },
  'domains.dkim.retire': { method: 'POST', url: '/v1/domains/{domain}/dkim/retire' },
  'domains.dkim.rotate': { method: 'POST', url: '/v1/domains/{domain}/dkim/rotate' },
  'domains.dkim.switch': { method: 'POST', url: '/v1/domains/{domain}/dkim/switch' },
  'domains.dnsHosting.get': { method: 'GET', url: '/v1/domains/{domain}/dns-hosting' },
  'domains.get': { method: 'GET', url: '/v1/domains/{domain}' },
  'domains.list': { method: 'GET', url: '/v1/domains', answer: 'list' },
  'domains.pause': { method: 'POST', url: '/v1/domains/{domain}/pause' },
  'domains.recordLinks.create': { method: 'POST', url: '/v1/domains/{domain}/record-links' },
  'domains.recordLinks.delete': { method: 'DELETE', url: '/v1/domains/{domain}/record-links' },
  'domains.records.list': { method: 'GET', url: '/v1/domains/{domain}/records', answer: 'list' },
  'domains.resume': { method: 'POST', url: '/v1/domains/{domain}/resume' },
  'domains.update': { method: 'PATCH', url: '/v1/domains/{domain}', body: ['application/json'] },
  'domains.verify': { method: 'POST', url: '/v1/domains/{domain}/verify' },
  'domains.zone.get': { method: 'GET', url: '/v1/domains/{domain}/zone' },
  'erasures.create': { method: 'POST', url: '/v1/erasures', body: ['application/json'], ofDomain: true },
  'events.list': { method: 'GET', url: '/v1/events', answer: 'list', ofDomain: true },
  'events.stream': { method: 'GET', url: '/v1/events/stream', answer: 'events', ofDomain: true },
  'explain.get': { method: 'GET', url: '/v1/explain', ofDomain: true },
  'inbound.get': { method: 'GET', url: '/v1/inbound/{inbound_id}', ofDomain: true },
  'inbound.getRaw': { method: 'GET', url: '/v1/inbound/{inbound_id}/raw', ofDomain: true },
  'inbound.list': { method: 'GET', url: '/v1/inbound', answer: 'list', ofDomain: true },
  'inboxes.create': { method: 'POST', url: '/v1/inboxes', body: ['application/json'] },
  'inboxes.delete': { method: 'DELETE', url: '/v1/inboxes/{inbox_id}' },
  'inboxes.get': { method: 'GET', url: '/v1/inboxes/{inbox_id}' },
  'inboxes.list': { method: 'GET', url: '/v1/inboxes', answer: 'list' },
  'inboxes.messages.clear': { method: 'DELETE', url: '/v1/inboxes/{inbox_id}/messages' },
  'inboxes.messages.delete': { method: 'DELETE', url: '/v1/inboxes/{inbox_id}/messages/{mail_id}' },
  'inboxes.messages.get': { method: 'GET', url: '/v1/inboxes/{inbox_id}/messages/{mail_id}' },
  'inboxes.messages.getAttachment': { method: 'GET', url: '/v1/inboxes/{inbox_id}/messages/{mail_id}/attachments/{number}' },
  'inboxes.messages.getRaw': { method: 'GET', url: '/v1/inboxes/{inbox_id}/messages/{mail_id}/raw' },
  'inboxes.messages.list': { method: 'GET', url: '/v1/inboxes/{inbox_id}/messages', answer: 'list' },
  'inboxes.update': { method: 'PATCH', url: '/v1/inboxes/{inbox_id}', body: ['application/json'] },
  'inboxes.wait': { method: 'GET', url: '/v1/inboxes/{inbox_id}/wait', answer: 'list' },
  'incidents.get': { method: 'GET', url: '/v1/incidents/{incident_id}' },
  'incidents.list': { method: 'GET', url: '/v1/incidents', answer: 'list', ofDomain: true },
  'incidents.mute': { method: 'POST', url: '/v1/incidents/{incident_id}/mute', body: ['application/json'] },
  'invitations.create': { method: 'POST', url: '/v1/invitations', body: ['application/json'] },
  'invitations.delete': { method: 'DELETE', url: '/v1/invitations/{invitation_id}' },
  'invitations.list': { method: 'GET', url: '/v1/invitations', answer: 'list' },
  'key.get': { method: 'GET', url: '/v1/key' },
  'keys.create': { method: 'POST', url: '/v1/keys', body: ['application/json'] },
  'keys.delete': { method: 'DELETE', url: '/v1/keys/{key_id}' },
  'keys.get': { method: 'GET', url: '/v1/keys/{key_id}' },
  'keys.list': { method: 'GET', url: '/v1/keys', answer: 'list', ofDomain: true },
  'keys.rotate': { method: 'POST', url: '/v1/keys/{key_id}/rotate', body: ['application/json'] },
  'keys.update': { method: 'PATCH', url: '/v1/keys/{key_id}', body: ['application/json'] },
  'layouts.create': { method: 'POST', url: '/v1/layouts', body: ['application/json'], ofDomain: true },
  'layouts.delete': { method: 'DELETE', url: '/v1/layouts/{id_or_alias}', ofDomain: true },
  'layouts.get': { method: 'GET', url: '/v1/layouts/{id_or_alias}', ofDomain: true },
  'layouts.list': { method: 'GET', url: '/v1/layouts', answer: 'list', ofDomain: true },
  'layouts.replace': { method: 'PUT', url: '/v1/layouts/{id_or_alias}', body: ['application/json'], ofDomain: true },
  'layouts.versions.get': { method: 'GET', url: '/v1/layouts/{id_or_alias}/versions/{version}', ofDomain: true },
  'layouts.versions.list': { method: 'GET', url: '/v1/layouts/{id_or_alias}/versions', answer: 'list', ofDomain: true },
  'layouts.versions.restore': { method: 'POST', url: '/v1/layouts/{id_or_alias}/versions/{version}/restore', ofDomain: true },
  'messages.cancel': { method: 'POST', url: '/v1/messages/{message_id}/cancel', ofDomain: true },
  'messages.check': { method: 'POST', url: '/v1/check', body: ['application/json'], ofDomain: true },
  'messages.get': { method: 'GET', url: '/v1/messages/{message_id}', ofDomain: true },
  'messages.getRaw': { method: 'GET', url: '/v1/messages/{message_id}/raw', ofDomain: true },
  'messages.list': { method: 'GET', url: '/v1/messages', answer: 'list', ofDomain: true },
  'messages.retry': { method: 'POST', url: '/v1/messages/{message_id}/retry', ofDomain: true },
  'messages.send': { method: 'POST', url: '/v1/messages', body: ['application/json'], ofDomain: true },
  'messages.sendBatch': { method: 'POST', url: '/v1/messages/batch', body: ['application/json'], ofDomain: true },
  'messages.sendRaw': { method: 'POST', url: '/v1/messages/raw', body: ['message/rfc822'], ofDomain: true },
  'messages.update': { method: 'PATCH', url: '/v1/messages/{message_id}', body: ['application/json'], ofDomain: true },
  'operator.listings.list': { method: 'GET', url: '/v1/operator/listings', answer: 'list' },
  'operator.queue.cancel': { method: 'POST', url: '/v1/operator/queue/cancel', body: ['application/json'] },
  'operator.queue.getMessage': { method: 'GET', url: '/v1/operator/queue/messages/{message_id}' },
  'operator.queue.list': { method: 'GET', url: '/v1/operator/queue', answer: 'list' },
  'operator.queue.listRecipients': { method: 'GET', url: '/v1/operator/queue/recipients', answer: 'list', ofDomain: true },
  'operator.queue.pause': { method: 'POST', url: '/v1/operator/queue/pause', body: ['application/json'] },
  'operator.queue.resume': { method: 'POST', url: '/v1/operator/queue/resume', body: ['application/json'] },
  'operator.queue.retry': { method: 'POST', url: '/v1/operator/queue/retry', body: ['application/json'] },
  'operator.settings.list': { method: 'GET', url: '/v1/operator/settings', answer: 'list' },
  'people.delete': { method: 'DELETE', url: '/v1/people/{user_id}' },
  'people.list': { method: 'GET', url: '/v1/people', answer: 'list' },
  'people.update': { method: 'PATCH', url: '/v1/people/{user_id}', body: ['application/json'] },
  'reports.get': { method: 'GET', url: '/v1/reports/{report_id}', ofDomain: true },
  'reports.getRaw': { method: 'GET', url: '/v1/reports/{report_id}/raw', ofDomain: true },
  'reports.list': { method: 'GET', url: '/v1/reports', answer: 'list', ofDomain: true },
  'reports.upload': { method: 'POST', url: '/v1/reports', body: ['application/xml','application/gzip','application/zip','application/tlsrpt+json','message/rfc822'], ofDomain: true },
  'requests.list': { method: 'GET', url: '/v1/requests', answer: 'list' },
  'requirements.list': { method: 'GET', url: '/v1/requirements', answer: 'list', ofDomain: true },
  'smtpCredentials.create': { method: 'POST', url: '/v1/smtp-credentials', body: ['application/json'] },
  'smtpCredentials.delete': { method: 'DELETE', url: '/v1/smtp-credentials/{username}' },
  'smtpCredentials.get': { method: 'GET', url: '/v1/smtp-credentials/{username}' },
  'smtpCredentials.list': { method: 'GET', url: '/v1/smtp-credentials', answer: 'list', ofDomain: true },
  'smtpCredentials.rotate': { method: 'POST', url: '/v1/smtp-credentials/{username}/rotate', body: ['application/json'] },
  'smtpCredentials.update': { method: 'PATCH', url: '/v1/smtp-credentials/{username}', body: ['application/json'] },
  'stats.get': { method: 'GET', url: '/v1/stats', ofDomain: true },
  'streams.create': { method: 'POST', url: '/v1/streams', body: ['application/json'], ofDomain: true },
  'streams.delete': { method: 'DELETE', url: '/v1/streams/{alias}', ofDomain: true },
  'streams.get': { method: 'GET', url: '/v1/streams/{alias}', ofDomain: true },
  'streams.list': { method: 'GET', url: '/v1/streams', answer: 'list', ofDomain: true },
  'streams.update': { method: 'PATCH', url: '/v1/streams/{alias}', body: ['application/json'], ofDomain: true },
  'suppressions.add': { method: 'POST', url: '/v1/suppressions', body: ['application/json','text/csv','application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'], ofDomain: true },
  'suppressions.delete': { method: 'DELETE', url: '/v1/suppressions/{email}', ofDomain: true },
  'suppressions.list': { method: 'GET', url: '/v1/suppressions', answer: 'list', ofDomain: true },
  'suppressions.removeMany': { method: 'POST', url: '/v1/suppressions/remove', body: ['application/json','text/csv','application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'], ofDomain: true },
  'templates.create': { method: 'POST', url: '/v1/templates', body: ['application/json'], ofDomain: true },
  'templates.delete': { method: 'DELETE', url: '/v1/templates/{id_or_alias}', ofDomain: true },
  'templates.get': { method: 'GET', url: '/v1/templates/{id_or_alias}', ofDomain: true },
  'templates.list': { method: 'GET', url: '/v1/templates', answer: 'list', ofDomain: true },
  'templates.render': { method: 'POST', url: '/v1/templates/{id_or_alias}/render', body: ['application/json'], ofDomain: true },
  'templates.renderDraft': { method: 'POST', url: '/v1/render', body: ['application/json'], ofDomain: true },
  'templates.replace': { method: 'PUT', url: '/v1/templates/{id_or_alias}', body: ['application/json'], ofDomain: true },
  'templates.versions.get': { method: 'GET', url: '/v1/templates/{id_or_alias}/versions/{version}', ofDomain: true },
  'templates.versions.list': { method: 'GET', url: '/v1/templates/{id_or_alias}/versions', answer: 'list', ofDomain: true },
  'templates.versions.restore': { method: 'POST', url: '/v1/templates/{id_or_alias}/versions/{version}/restore', ofDomain: true },
  'verifications.cancel': { method: 'POST', url: '/v1/verifications/{verification_id}/cancel' },
  'verifications.create': { method: 'POST', url: '/v1/verifications', body: ['application/json','text/csv','application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'] },
  'verifications.get': { method: 'GET', url: '/v1/verifications/{verification_id}' },
  'verifications.getResults': { method: 'GET', url: '/v1/verifications/{verification_id}/results', answer: 'list' },
  'verifications.verifyEmail': { method: 'GET', url: '/v1/verifyEmail' },
  'verifications.verifyEmailDetailed': { method: 'GET', url: '/v1/verifyEmailDetailed' },
  'webhooks.create': { method: 'POST', url: '/v1/webhooks', body: ['application/json'], ofDomain: true },
  'webhooks.delete': { method: 'DELETE', url: '/v1/webhooks/{webhook_id}', ofDomain: true },
  'webhooks.deliveries.get': { method: 'GET', url: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}', ofDomain: true },
  'webhooks.deliveries.list': { method: 'GET', url: '/v1/webhooks/{webhook_id}/deliveries', answer: 'list', ofDomain: true },
  'webhooks.deliveries.retry': { method: 'POST', url: '/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry', ofDomain: true },
  'webhooks.get': { method: 'GET', url: '/v1/webhooks/{webhook_id}', ofDomain: true },
  'webhooks.list': { method: 'GET', url: '/v1/webhooks', answer: 'list', ofDomain: true },
  'webhooks.replay': { method: 'POST', url: '/v1/webhooks/{webhook_id}/replay', body: ['application/json'], ofDomain: true },
  'webhooks.rotateSecret': { method: 'POST', url: '/v1/webhooks/{webhook_id}/rotate-secret', body: ['application/json'], ofDomain: true },
  'webhooks.test': { method: 'POST', url: '/v1/webhooks/{webhook_id}/test', body: ['application/json'], ofDomain: true },
  'webhooks.update': { method: 'PATCH', url: '/v1/webhooks/{webhook_id}', body: ['application/json'], ofDomain: true },
}
