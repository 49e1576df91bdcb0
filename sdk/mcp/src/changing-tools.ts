// The tools that change something, each of which `--allow` has to name.

import type { Tool } from './tool.ts'

/** Result of a change without a document. */
const DONE = {
  type: 'object',
  required: ['done'],
  properties: { done: { type: 'boolean', description: 'True: the change was made' } },
}

/** The tools that change something. */
export const CHANGING_TOOLS: readonly Tool[] = [
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
    name: 'retry_message',
    title: 'Retry a message now',
    description:
      'Makes the recipients of a message that wait for a further attempt due at once. Held and scheduled recipients stay as they are.',
    operations: ['messages.retry'],
    offers: ['message_id', 'domain'],
    allow: 'messages',
    changes: { destructive: false, idempotent: false, openWorld: true },
    call: ({ postrider, signal }, { message_id, ...query }) =>
      postrider.messages.retry(message_id, { ...query, signal }),
  },
  {
    name: 'update_template',
    title: 'Change a template',
    description:
      'Saves a new version of a template, which mail uses at once. Fields that are not given stay; null empties a field. The versions before stay, and a user can restore them.',
    operations: ['templates.replace'],
    besides: ['templates.get'],
    offers: ['id_or_alias', 'subject', 'html', 'text', 'layout', 'required', 'inline_css', 'domain'],
    own: {
      replaces_version: {
        type: 'integer',
        minimum: 1,
        description: 'Version that get_template has returned; a template with a newer version is not changed',
      },
    },
    allow: 'templates',
    changes: { destructive: true, idempotent: true, openWorld: false },
    asks: ({ id_or_alias, replaces_version }) =>
      `Replace version ${replaces_version} of the template "${id_or_alias}"?`,
    async call({ postrider, signal }, { id_or_alias, domain, ...changes }) {
      const { alias, name, subject, html, text, layout, required, inline_css } =
        await postrider.templates.get(id_or_alias, { domain, signal })
      const present = { alias, name, subject, html, text, layout, required, inline_css }
      return postrider.templates.replace(id_or_alias, { ...present, ...changes }, { domain, signal })
    },
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

/** Returns JSON with the fields of all objects in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([first], [second]) => (first < second ? -1 : 1)))
      : one,
  )
