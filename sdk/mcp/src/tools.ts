// The table of all tools: the operations that a tool calls, the arguments that it offers, and what it changes. Scopes,
// and the schemas of arguments and results, come from the OpenAPI document by the IDs of the operations.

import type { Postrider } from '../../typescript/src/index.ts'
import { foundAbout } from './docs-search.ts'

/** Names for `--allow`, each of which permits some changes. */
export const ALLOWABLE = ['verify', 'suppressions', 'messages', 'webhooks', 'send'] as const
export type Allowable = (typeof ALLOWABLE)[number]

/** Arguments of a call; the server has checked them against the schema. */
// biome-ignore lint/suspicious/noExplicitAny: the schema of each tool decides
export type Arguments = any

/** Services that a call may use. */
interface Call {
  readonly postrider: Postrider
  /** Address of the service. */
  readonly url: string
  readonly signal: AbortSignal
}

/** Effect of a tool on the service, as in the annotations of MCP. */
interface Hints {
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** IDs of the operations that the tool calls; empty for a tool that reads public pages. */
  readonly operations: readonly string[]
  /** Names of the offered arguments: parameters of the first operation, or fields of its body. */
  readonly offers: readonly string[]
  /** Own arguments with their schemas. */
  readonly own?: Readonly<Record<string, object>>
  /** Schema of the result, if not the response of the only operation. */
  readonly result?: object
  /** Name under which the tool must be allowed; absent for a tool that only reads. */
  readonly allow?: Allowable
  /** Absent for a tool that only reads. */
  readonly changes?: Hints
  /** Question to the user before the call, if the client can ask. */
  asks?(given: Arguments): string
  call(call: Call, given: Arguments): Promise<object>
}

/** Result of a change without a document. */
const DONE = {
  type: 'object',
  required: ['done'],
  properties: { done: { type: 'boolean', description: 'True: the change was made' } },
}

const PAGE = ['limit', 'cursor', 'domain'] as const

/** Maximum number of rows of a result. */
export const MAX_ROWS = 25

const READS: readonly Tool[] = [
  {
    name: 'explain_message',
    title: 'Explain why mail arrived or not',
    description:
      'Tells what happened to mail for an address: the verdict, the facts in order of weight, and the next step. The best first tool for "Where is my mail?".',
    operations: ['explain.get'],
    offers: ['email', 'message_id', 'subject', 'after', 'domain'],
    call: ({ postrider, signal }, given) => postrider.explain.get({ ...given, signal }),
  },
  {
    name: 'find_person',
    title: 'Find everything about an address',
    description: 'Returns the newest messages to an address, and the suppressions of the address.',
    operations: ['messages.list', 'suppressions.list'],
    offers: [],
    own: {
      email: { type: 'string', minLength: 3, maxLength: 400, description: 'Complete address' },
      domain: { type: 'string', maxLength: 300, description: 'Sending domain, by name or ID' },
    },
    async call({ postrider, signal }, { email, domain }) {
      const query = { domain, limit: MAX_ROWS, signal }
      const [messages, suppressions] = await Promise.all([
        postrider.messages.list({ recipient: email, ...query }),
        postrider.suppressions.list({ email, ...query }),
      ])
      return { messages, suppressions }
    },
  },
  {
    name: 'search_messages',
    title: 'Search messages',
    description:
      'Lists messages, newest first, by recipient, status, words of the subject, tag, stream and time.',
    operations: ['messages.list'],
    offers: [
      'recipient',
      'subject',
      'status',
      'recipient_status',
      'tag',
      'stream',
      'after',
      'before',
      ...PAGE,
    ],
    call: ({ postrider, signal }, given) => page(postrider.messages.list({ ...given, signal })),
  },
  {
    name: 'get_message',
    title: 'Read a message',
    description:
      'Returns a message with the status of each recipient, the reply of each mail host, and its events; the content only if the server was started with --content.',
    operations: ['messages.get'],
    offers: ['message_id', 'domain'],
    call: ({ postrider, signal }, { message_id, ...query }) =>
      postrider.messages.get(message_id, { ...query, signal }),
  },
  {
    name: 'list_events',
    title: 'List events',
    description:
      'Lists events (delivered, bounced, opened, …), newest first, by message, recipient, type, tag and time.',
    operations: ['events.list'],
    offers: ['type', 'message_id', 'recipient', 'stream', 'tag', 'after', 'before', ...PAGE],
    call: ({ postrider, signal }, given) => page(postrider.events.list({ ...given, signal })),
  },
  {
    name: 'get_stats',
    title: 'Read statistics',
    description: 'Returns counts of accepted, delivered, bounced and other messages by hour or day.',
    operations: ['stats.get'],
    offers: ['from', 'to', 'by', 'utc_offset', 'stream', 'tag', 'provider', 'group_by', 'domain'],
    call: ({ postrider, signal }, given) => postrider.stats.get({ ...given, signal }),
  },
  {
    name: 'get_usage',
    title: 'Read usage and limits',
    description: 'Returns what the account has used by day or month, its limits, and what is left.',
    operations: ['account.getUsage'],
    offers: ['from', 'to', 'by', 'group'],
    call: ({ postrider, signal }, given) => postrider.account.getUsage({ ...given, signal }),
  },
  {
    name: 'list_domains',
    title: 'List domains',
    description: 'Lists the sending domains of the account with their status.',
    operations: ['domains.list'],
    offers: ['name', 'status', 'limit', 'cursor'],
    call: ({ postrider, signal }, given) => page(postrider.domains.list({ ...given, signal })),
  },
  {
    name: 'check_domain',
    title: 'Check a domain',
    description:
      'Returns a sending domain with its DNS records as expected and as last found, and whether it may send.',
    operations: ['domains.get'],
    offers: ['domain'],
    call: ({ postrider, signal }, { domain }) => postrider.domains.get(domain, { signal }),
  },
  {
    name: 'list_suppressions',
    title: 'List suppressions',
    description: 'Lists addresses that get no mail any more, by address, stream, reason and time.',
    operations: ['suppressions.list'],
    offers: ['email', 'stream', 'reason', 'origin', 'after', 'before', ...PAGE],
    call: ({ postrider, signal }, given) => page(postrider.suppressions.list({ ...given, signal })),
  },
  {
    name: 'list_templates',
    title: 'List templates',
    description: 'Lists the templates of a domain.',
    operations: ['templates.list'],
    offers: [...PAGE],
    call: ({ postrider, signal }, given) => page(postrider.templates.list({ ...given, signal })),
  },
  {
    name: 'render_template',
    title: 'Render a template',
    description: 'Renders a template with a model, and sends nothing.',
    operations: ['templates.render'],
    offers: ['id_or_alias', 'template_model', 'domain'],
    call: ({ postrider, signal }, { id_or_alias, domain, ...body }) =>
      postrider.templates.render(id_or_alias, body, { domain, signal }),
  },
  {
    name: 'list_webhooks',
    title: 'List webhooks',
    description: 'Lists the webhooks of a domain, whose deliveries webhook_deliveries shows.',
    operations: ['webhooks.list'],
    offers: [...PAGE],
    call: ({ postrider, signal }, given) => page(postrider.webhooks.list({ ...given, signal })),
  },
  {
    name: 'webhook_deliveries',
    title: 'List deliveries of a webhook',
    description: 'Lists requests to a webhook with their attempts, by status, message and recipient.',
    operations: ['webhooks.deliveries.list'],
    offers: ['webhook_id', 'status', 'message_id', 'recipient', ...PAGE],
    call: ({ postrider, signal }, { webhook_id, ...query }) =>
      page(postrider.webhooks.deliveries.list(webhook_id, { ...query, signal })),
  },
  {
    name: 'search_docs',
    title: 'Search the documentation',
    description: 'Searches the pages and the API reference of this installation, and returns passages.',
    operations: [],
    offers: [],
    own: { query: { type: 'string', minLength: 2, maxLength: 200, description: 'Words to find' } },
    result: {
      type: 'object',
      required: ['data'],
      properties: {
        data: {
          type: 'array',
          items: {
            type: 'object',
            required: ['title', 'place', 'url', 'text'],
            properties: {
              ...{ title: { type: 'string' }, place: { type: 'string' } },
              ...{ url: { type: 'string' }, text: { type: 'string' } },
            },
          },
        },
      },
    },
    call: (call, { query }) => foundAbout(call, query),
  },
]

const CHANGES: readonly Tool[] = [
  {
    name: 'verify_address',
    title: 'Verify an address',
    description: 'Determines whether a mailbox exists, without sending mail. Takes a verification credit.',
    operations: ['verifications.verifyEmailDetailed'],
    offers: ['email'],
    allow: 'verify',
    changes: { destructive: false, idempotent: false, openWorld: true },
    call: ({ postrider, signal }, { email }) =>
      postrider.verifications.verifyEmailDetailed({ email, signal }),
  },
  {
    name: 'add_suppression',
    title: 'Suppress an address',
    description:
      'Adds an address to the suppression list of a stream, so that the stream sends it no more mail.',
    operations: ['suppressions.add'],
    offers: [],
    own: {
      email: { type: 'string', minLength: 3, maxLength: 400 },
      stream: { type: 'string', maxLength: 100, description: 'Alias of the stream' },
      domain: { type: 'string', maxLength: 300, description: 'Sending domain, by name or ID' },
    },
    result: DONE,
    allow: 'suppressions',
    changes: { destructive: false, idempotent: true, openWorld: false },
    async call({ postrider, signal }, { domain, ...one }) {
      await postrider.suppressions.add(one, { domain, signal })
      return { done: true }
    },
  },
  {
    name: 'remove_suppression',
    title: 'Remove a suppression',
    description:
      'Removes an address from the suppression list of a stream, so that the stream may send to it again.',
    operations: ['suppressions.delete'],
    offers: ['email', 'stream', 'domain'],
    result: DONE,
    allow: 'suppressions',
    changes: { destructive: true, idempotent: true, openWorld: false },
    async call({ postrider, signal }, { email, ...query }) {
      await postrider.suppressions.delete(email, { ...query, signal })
      return { done: true }
    },
  },
  {
    name: 'cancel_message',
    title: 'Cancel a message',
    description: 'Cancels all recipients of a message that are still waiting.',
    operations: ['messages.cancel'],
    offers: ['message_id', 'domain'],
    allow: 'messages',
    changes: { destructive: true, idempotent: true, openWorld: false },
    call: ({ postrider, signal }, { message_id, ...query }) =>
      postrider.messages.cancel(message_id, { ...query, signal }),
  },
  {
    name: 'replay_webhook',
    title: 'Repeat events to a webhook',
    description: 'Sends the events of a time range to a webhook once more.',
    operations: ['webhooks.replay'],
    offers: ['webhook_id', 'from', 'until', 'domain'],
    allow: 'webhooks',
    changes: { destructive: false, idempotent: false, openWorld: true },
    call: ({ postrider, signal }, { webhook_id, domain, ...body }) =>
      postrider.webhooks.replay(webhook_id, body, { domain, signal }),
  },
  {
    name: 'send_message',
    title: 'Send a message',
    description:
      'Sends a message to the recipients that the key permits. The same message is sent once within a day, even if the call is repeated.',
    operations: ['messages.send'],
    // No bcc: the user sees each recipient.
    offers: [
      ...[
        'from',
        'from_name',
        'to',
        'cc',
        'reply_to',
        'subject',
        'html',
        'text',
        'stream',
        'tags',
        'send_at',
      ],
      ...['template_id', 'template_alias', 'template_model'],
    ],
    allow: 'send',
    changes: { destructive: false, idempotent: true, openWorld: true },
    asks: ({ to = [], cc = [], subject }) => {
      const all = [...to, ...cc].map(({ email }: { readonly email: string }) => email)
      return `Send "${subject ?? 'a template'}" to ${all.join(', ')}?`
    },
    async call({ postrider, signal }, body) {
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canonical(body)))
      const idempotencyKey = `mcp-${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
      return postrider.messages.send(body, { idempotencyKey, signal })
    },
  },
]

/** All tools. */
export const TOOLS: readonly Tool[] = [...READS, ...CHANGES]

/** Requests a page of a list, which is an object without `format`. */
const page = async (list: PromiseLike<object | string>): Promise<object> => (await list) as object

/** Returns JSON with the fields of all objects in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([first], [second]) => (first < second ? -1 : 1)))
      : one,
  )
