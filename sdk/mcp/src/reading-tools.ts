// The tools that only read.

import { foundAbout } from './docs-search.ts'
import { MAX_ROWS, PAGE, page, type Tool } from './tool.ts'

/** The tools that only read. */
export const READING_TOOLS: readonly Tool[] = [
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
    name: 'get_template',
    title: 'Read a template',
    description: 'Returns a template with all of its parts and the number of its version.',
    operations: ['templates.get'],
    offers: ['id_or_alias', 'domain'],
    call: ({ postrider, signal }, { id_or_alias, domain }) =>
      postrider.templates.get(id_or_alias, { domain, signal }),
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
    name: 'queue_state',
    title: 'Read the queue',
    description:
      'Lists the queue of the whole installation by destination, the longest queue first: waiting and held recipients, the last reply of the mail host, and pauses.',
    operations: ['operator.queue.list'],
    offers: ['limit', 'cursor'],
    call: ({ admin, signal }, given) => page(admin.operator.queue.list({ ...given, signal })),
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
