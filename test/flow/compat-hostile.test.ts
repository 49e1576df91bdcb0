// Hostile requests in the form of other services: values of wrong kinds in every field, strange names in paths, cut and
// oversized bodies. Each one is refused in the form of the service, and none is a fault of this service.
// thorough: 6 CPU s: every call with values of each wrong kind

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { VENDORS } from '../../src/compat/compatible-apis.ts'
import type { VendorCall } from '../../src/compat/declaration.ts'
import type { CompatibleService } from '../../src/lib/setting-kinds.ts'
import { TestApp } from '../support/app.ts'
import { managementKey } from '../support/keys.ts'
import { usualDatabase } from '../support/store.ts'
import { createTenant } from '../support/tenant.ts'

const FROM = 'shop@example.test'
const TO = 'ann@receiver.example'
const DEEP = 900

/** Values that no field expects; each is sent in every place on SQLite. */
const HOSTILE: readonly unknown[] = [
  ...[
    null,
    true,
    -1,
    1e308,
    '',
    '\0',
    '\ud800',
    '\r\nBcc: x@receiver.example',
    'x'.repeat(5_000),
    '__proto__',
  ],
  ...[[], {}, [[[1]]], [null], { a: { b: [] } }, '{{#if}}', '%recipient%'],
  JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1}}'),
]

/** The values that are sent: on PostgreSQL texts and numbers, because only a column may treat these differently. */
const SENT =
  usualDatabase() === 'postgres' ? HOSTILE.filter((one) => /string|number/.test(typeof one)) : HOSTILE

/** A message with every field that the call takes, in the form of each service. */
const MESSAGES: Readonly<Record<CompatibleService, { readonly path: string; readonly body: object }>> = {
  postmark: {
    path: '/email',
    body: {
      ...{ From: FROM, To: TO, Cc: 'c@receiver.example', Bcc: 'b@receiver.example', ReplyTo: FROM },
      ...{ Subject: 's', HtmlBody: '<p>h</p>', TextBody: 't', Tag: 'tag', TrackOpens: true },
      ...{ TrackLinks: 'HtmlOnly', MessageStream: 'outbound', Metadata: { key: 'value' } },
      Headers: [{ Name: 'X-Own', Value: 'yes' }],
      Attachments: [{ Name: 'a.txt', Content: 'YQ==', ContentType: 'text/plain', ContentID: 'cid:a' }],
    },
  },
  resend: {
    path: '/emails',
    body: {
      ...{ from: FROM, to: [TO], cc: ['c@receiver.example'], bcc: 'b@receiver.example', reply_to: FROM },
      ...{
        subject: 's',
        html: '<p>h</p>',
        text: 't',
        headers: { 'X-Own': 'yes' },
        scheduled_at: 'in 1 hour',
      },
      tags: [{ name: 'key', value: 'value' }],
      attachments: [{ filename: 'a.txt', content: 'YQ==', content_type: 'text/plain', content_id: 'a' }],
    },
  },
  sendgrid: {
    path: '/v3/mail/send',
    body: {
      personalizations: [
        {
          ...{ to: [{ email: TO, name: 'Ann' }], cc: [{ email: 'c@receiver.example' }] },
          ...{ bcc: [{ email: 'b@receiver.example' }], subject: 's', headers: { 'X-Own': 'yes' } },
          ...{ substitutions: { '-a-': 'b' }, custom_args: { key: 'value' }, send_at: 4_000_000_000 },
        },
      ],
      ...{ from: { email: FROM, name: 'Shop' }, reply_to: { email: FROM }, subject: 's -a-' },
      content: [
        { type: 'text/plain', value: 't -a-' },
        { type: 'text/html', value: '<p>-b-</p>' },
      ],
      attachments: [
        { content: 'YQ==', type: 'text/plain', filename: 'a.txt', disposition: 'inline', content_id: 'a' },
      ],
      ...{
        sections: { '-b-': 'c' },
        headers: { 'X-All': 'yes' },
        categories: ['tag'],
        custom_args: { k: 'v' },
      },
      ...{ send_at: 4_000_000_000, batch_id: 'batch', asm: { group_id: 1 }, template_id: 'd-1' },
      mail_settings: { footer: { enable: true, text: 'f', html: 'f' }, sandbox_mode: { enable: true } },
      tracking_settings: { click_tracking: { enable: true }, open_tracking: { enable: true } },
    },
  },
  mailgun: {
    path: '/v3/example.test/messages',
    body: {
      ...{ from: FROM, to: TO, cc: 'c@receiver.example', bcc: 'b@receiver.example', subject: 's' },
      ...{ text: 't', html: '<p>h</p>', 'amp-html': '<html></html>', 'o:tag': 'tag', 'o:testmode': 'yes' },
      ...{ 'o:deliverytime': 'Fri, 25 Dec 2026 09:00:00 +0000', 'o:tracking': 'yes', 'o:dkim': 'yes' },
      ...{ 'h:X-Own': 'yes', 'h:Reply-To': FROM, 'v:key': 'value', 'recipient-variables': '{}' },
      ...{ 't:variables': '{}', 'h:List-Unsubscribe': '<https://x.example/>', 'h:X-Mailgun-Variables': '{}' },
    },
  },
  postal: {
    path: '/api/v1/send/message',
    body: {
      ...{ from: FROM, to: [TO], cc: 'c@receiver.example', bcc: ['b@receiver.example'], reply_to: FROM },
      ...{ subject: 's', tag: 'tag', plain_body: 't', html_body: '<p>h</p>', headers: { 'X-Own': 'yes' } },
      attachments: [{ name: 'a.txt', content_type: 'text/plain', data: 'YQ==' }],
    },
  },
  usesend: {
    path: '/api/v1/emails',
    body: {
      ...{ from: FROM, to: [TO], cc: 'c@receiver.example', bcc: ['b@receiver.example'], replyTo: FROM },
      ...{ subject: 's', text: 't', html: '<p>h</p>', headers: { 'X-Own': 'yes' }, inReplyToId: 'msg_1' },
      ...{ templateId: 'none', variables: { key: 'value' }, scheduledAt: '2026-12-25T09:00:00Z' },
      attachments: [{ filename: 'a.txt', content: 'YQ==' }],
    },
  },
}

/** Names of fields of all other calls. */
const NAMES = [
  ...[
    'Name',
    'ID',
    'Alias',
    'Subject',
    'HtmlBody',
    'TemplateType',
    'LayoutTemplate',
    'TestRenderModel',
    'Url',
  ],
  ...[
    'Suppressions',
    'HttpAuth',
    'HttpHeaders',
    'Triggers',
    'MessageStream',
    'MessageStreamType',
    'Messages',
  ],
  ...[
    'SourceServerID',
    'DestinationServerID',
    'PerformChanges',
    'RequestedBy',
    'RequestedFor',
    'ReturnPathDomain',
  ],
  ...['SubscriptionManagementConfiguration', 'TemplateModel', 'From', 'To', 'name', 'alias', 'html', 'text'],
  ...[
    'subject',
    'variables',
    'emails',
    'email',
    'ids',
    'endpoint',
    'events',
    'status',
    'permission',
    'scopes',
  ],
  ...[
    'domain_id',
    'domain',
    'region',
    'tls',
    'open_tracking',
    'click_tracking',
    'scheduled_at',
    'generation',
  ],
  ...[
    'active',
    'html_content',
    'plain_content',
    'test_data',
    'batch_id',
    'recipient_emails',
    'email_addresses',
  ],
  ...[
    'description',
    'is_default',
    'url',
    'enabled',
    'delivered',
    'friendly_name',
    'source',
    'delete_all',
    'id',
  ],
  ...[
    'address',
    'code',
    'error',
    'tags',
    'tag',
    'template',
    'comment',
    'headers',
    'token',
    'web_scheme',
    'file',
  ],
  ...['params', '_expansions', 'mail_from', 'rcpt_to', 'data', 'scheduledAt', 'to', 'message', 'spam_action'],
]

/** Names in paths. */
const IN_PATHS = ['%00', '..%2F..', '%F0%9F%99%82', '1e309', '-1', '9'.repeat(400), '%', '{{x}}', '__proto__']

describe('hostile requests in the form of other services', () => {
  let app: TestApp
  let key: string
  before(async () => {
    app = await TestApp.start({
      env: {
        POSTRIDER_ROLES: 'api',
        POSTRIDER_SENDING_RATE: '1000000/s',
        POSTRIDER_VERIFICATION_RATE: '1000000/s',
      },
    })
    key = await managementKey(app)
  })
  after(() => app.stop())

  const headersOf = (vendor: CompatibleService, secret: string): Record<string, string> => {
    if (vendor === 'postmark') return { 'x-postmark-server-token': secret }
    if (vendor === 'postal') return { 'x-server-api-key': secret }
    return { authorization: vendor === 'mailgun' ? `Basic ${btoa(`api:${secret}`)}` : `Bearer ${secret}` }
  }

  /** Makes a request, and returns the status and the text of the response. */
  async function ask(
    vendor: CompatibleService,
    { method = 'POST', path }: { readonly method?: string; readonly path: string },
    body?: string | FormData | Buffer | object,
    secret = app.playground.sending_key,
  ): Promise<{ status: number; text: string }> {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body) || body instanceof FormData
    const sent = body === undefined || isRaw ? body : JSON.stringify(body)
    const isForm = body instanceof FormData
    const answer = await fetch(`${app.app.url}/compat/${vendor}${path}`, {
      method,
      headers: { ...headersOf(vendor, secret), ...(isForm ? {} : { 'content-type': 'application/json' }) },
      ...(sent === undefined ? {} : { body: sent as never }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  const formOf = (fields: object): FormData => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        form.append(name, typeof one === 'string' ? one.toWellFormed() : (JSON.stringify(one) ?? ''))
      }
    }
    return form
  }
  const inFormOf = (vendor: CompatibleService, body: object): object =>
    vendor === 'mailgun' ? formOf(body) : body

  /** True for an answer that is neither a fault nor one of Postal's answers that call a fault a success. */
  const isSound = ({ status, text }: { status: number; text: string }): boolean =>
    (status < 500 || status === 501) && !/internal|TypeError|undefined is not/i.test(text)

  test('a wrong value in any place of a message is no fault', async () => {
    const wrong: string[] = []
    for (const [vendor, { path, body }] of Object.entries(MESSAGES) as [
      CompatibleService,
      { path: string; body: object },
    ][]) {
      for (const value of SENT) {
        for (const changed of variants(body, value)) {
          const answer = await ask(vendor, { path }, inFormOf(vendor, changed))
          if (!isSound(answer))
            wrong.push(
              `${vendor} ${JSON.stringify(changed).slice(0, 300)}: ${answer.status} ${answer.text.slice(0, 200)}`,
            )
        }
      }
    }
    assert.deepEqual(wrong, [])
  })

  test('a wrong value in any field of any other call is no fault', async () => {
    const wrong: string[] = []
    const calls = VENDORS.flatMap((vendor) => vendor.calls.map((call) => ({ vendor: vendor.name, call })))
    for (const { vendor, call } of calls) {
      // The domain itself stays.
      if (call.state === 'refused' || /^(?:GET|DELETE)$/.test(call.method)) continue
      const path = call.path.replaceAll(/:domain\b/g, 'example.test').replaceAll(/:\w+/g, '1')
      for (const value of SENT) {
        const fields = Object.fromEntries(NAMES.map((name) => [name, value]))
        const answer = await ask(vendor, { ...call, path }, bodyOf(vendor, call, fields), key)
        if (!isSound(answer))
          wrong.push(
            `${vendor} ${call.method} ${path} ${JSON.stringify(value)?.slice(0, 50)}: ${answer.status} ${answer.text.slice(0, 200)}`,
          )
      }
    }
    assert.deepEqual(wrong, [])
  })

  const bodyOf = (vendor: CompatibleService, { takesArray }: VendorCall, fields: object): object =>
    takesArray ? [fields] : inFormOf(vendor, fields)

  test('a strange name in a path, and a strange value in a query, is no fault', async () => {
    const wrong: string[] = []
    for (const vendor of VENDORS) {
      for (const call of vendor.calls) {
        if (call.state === 'refused' || (call.method !== 'GET' && !call.path.includes(':'))) continue
        for (const name of IN_PATHS) {
          const path = call.path.replaceAll(/:\w+/g, name)
          const query = NAMES.concat(QUERIES)
            .map((one) => `${one}=${name}`)
            .join('&')
          const hasBody = call.method !== 'GET' && call.method !== 'DELETE'
          const answer = await ask(
            vendor.name,
            { ...call, path: call.method === 'GET' ? `${path}?${query}` : path },
            hasBody ? '{}' : undefined,
            key,
          )
          if (!isSound(answer))
            wrong.push(`${vendor.name} ${call.method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })

  const QUERIES = [
    ...[
      'count',
      'offset',
      'limit',
      'after',
      'before',
      'page',
      'fromdate',
      'todate',
      'type',
      'recipient',
      'event',
    ],
    ...[
      'begin',
      'end',
      'ascending',
      'start',
      'resolution',
      'duration',
      'start_date',
      'end_date',
      'start_time',
    ],
    ...['aggregated_by', 'generations', 'page_size', 'page_token', 'metadata_x', 'emailFilter', 'term', 'p'],
  ]

  test('cut, deep and oversized bodies are refused in the form of the service, and nothing is sent', async () => {
    const before = await app.store.read.selectFrom('messages').select('id').execute()
    const deep = `${'['.repeat(DEEP * 2)}${']'.repeat(DEEP * 2)}`
    for (const [vendor, { path, body }] of Object.entries(MESSAGES) as [
      CompatibleService,
      { path: string; body: object },
    ][]) {
      const text = JSON.stringify(body)
      for (const given of [
        text.slice(0, -5),
        `{"to":${deep}}`,
        '\0',
        '[]',
        '"x"',
        Buffer.from([0xc3, 0x28]),
      ]) {
        const answer = await ask(vendor, { path }, given)
        const isRefused =
          vendor === 'postal' ? /"status":"(?:parameter-)?error"/.test(answer.text) : answer.status >= 400
        assert.ok(isRefused && isSound(answer), `${vendor}: ${answer.status} ${answer.text.slice(0, 300)}`)
      }
      const large =
        vendor === 'mailgun'
          ? formOf({ ...body, html: 'x'.repeat(40 * 1_048_576) })
          : JSON.stringify({ ...body, html: 'x'.repeat(41 * 1_048_576) })
      const answer = await ask(vendor, { path }, large)
      const isRefused =
        vendor === 'postal' ? /"status":"(?:parameter-)?error"/.test(answer.text) : answer.status === 413
      assert.ok(isRefused, `${vendor}: ${answer.status} ${answer.text.slice(0, 300)}`)
    }
    assert.equal((await app.store.read.selectFrom('messages').select('id').execute()).length, before.length)
  })

  test('a template of another domain is unknown, and an attachment cut in the middle is refused', async () => {
    const tenant = await createTenant(app.store)
    const template = { alias: 'theirs', name: 'Theirs', subject: 's', text: 't' }
    const made = await app.call('POST', '/v1/templates', template, {
      authorization: `Bearer ${tenant.sendingKey}`,
    })
    const { template_id: id } = made.body
    const own = { From: FROM, To: TO, TemplateModel: {} }
    const cases: [CompatibleService, string, object, RegExp][] = [
      ['postmark', '/email/withTemplate', { ...own, TemplateAlias: 'theirs' }, /"ErrorCode":1101/],
      ['resend', '/emails', { from: FROM, to: TO, template: { id: 'theirs' } }, /"not_found"/],
      ['usesend', '/api/v1/emails', { from: FROM, to: TO, templateId: id }, /templateId|template/],
      [
        'mailgun',
        '/v3/example.test/messages',
        formOf({ from: FROM, to: TO, template: 'theirs' }),
        /^\{"message":"template: /,
      ],
      [
        'sendgrid',
        '/v3/mail/send',
        { personalizations: [{ to: [{ email: TO }] }], from: { email: FROM }, template_id: id },
        /"field":"template_id"/,
      ],
      [
        'postmark',
        '/email',
        {
          ...own,
          Subject: 's',
          TextBody: 't',
          Attachments: [{ Name: 'a', Content: 'YWJjZ', ContentType: 'a/b' }],
        },
        /"ErrorCode":300.*Attachments/,
      ],
      [
        'usesend',
        '/api/v1/emails',
        { from: FROM, to: TO, subject: 's', text: 't', attachments: [{ filename: 'a', content: 'YWJjZ' }] },
        /attachments\[0\]\.content/,
      ],
      [
        'postal',
        '/api/v1/send/message',
        { from: FROM, to: [TO], plain_body: 't', attachments: [{ name: 'a', data: 'YWJjZ' }] },
        /parameter-error/,
      ],
    ]
    for (const [vendor, path, body, expected] of cases) {
      const answer = await ask(vendor, { path }, body)
      assert.ok(answer.status < 500, `${vendor}: ${answer.status} ${answer.text}`)
      assert.match(answer.text, expected, `${vendor}: ${answer.status}`)
    }
  })
})

/** Yields copies of a value, each with another part of the value replaced, and each with a field more. */
function* variants(
  value: object,
  by: unknown,
  path: readonly (string | number)[] = [],
  whole: object = value,
): Generator<object> {
  for (const [name, part] of Object.entries(value)) {
    const at = [...path, name]
    yield replaced(whole, at, by)
    if (typeof part === 'object' && part !== null) yield* variants(part, by, at, whole)
  }
}

function replaced(value: unknown, [name, ...rest]: readonly (string | number)[], by: unknown): object {
  const copy: Record<string | number, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as object) }
  if (name !== undefined) copy[name] = rest.length === 0 ? by : replaced(copy[name], rest, by)
  return copy
}
