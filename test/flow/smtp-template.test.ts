// A message that is submitted by SMTP with X-Template-Alias gets the content of the template and keeps its other parts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { findContent, findMessage } from '../../src/store/messages/messages.ts'
import { listMessages } from '../../src/store/search/message-search.ts'
import { openSubmissionListener, type SubmissionDoor } from '../support/submission-listener.ts'
import { createTenant, type Tenant } from '../support/tenant.ts'

let door: SubmissionDoor
let tenant: Tenant

before(async () => {
  door = await openSubmissionListener()
  tenant = await createTenant(door.store)
  const editor = { ...tenant.owner, savedBy: 'key_1' }
  const base = { alias: 'base', name: 'Base', html: '<i>{{{ @content }}}</i>', text: '{{{ @content }}}!' }
  await door.workspaces.editLayouts.create(editor, base)
  await door.workspaces.editTemplates.create(editor, {
    alias: 'welcome',
    name: 'Welcome',
    subject: 'Hi {{name}}',
    html: '<p>{{name}}</p>',
    text: 'Hi {{name}}',
    layout: 'base',
    required: ['name'],
  })
})
after(() => door.close())

const send = (headers: Record<string, string>, more: SendMailOptions = {}): Promise<{ response: string }> =>
  createTransport({
    host: '127.0.0.1',
    port: door.port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth: { user: tenant.smtp.username, pass: tenant.smtp.password },
  }).sendMail({
    from: `Jörg <app@${tenant.domain.name}>`,
    to: 'Ann <ann@example.net>',
    text: ' ',
    headers,
    ...more,
  })

/** Returns JSON with 2,000 nested levels. */
const nested = (open: string, close: string): string => `${open.repeat(2_000)}1${close.repeat(2_000)}`

/** Returns the newest message and its stored content. */
async function newest() {
  const { messages } = await listMessages(door.store.read, tenant.owner, {}, 1, undefined)
  const [first] = messages
  const found = await findMessage(door.store.read, tenant.owner, first!.message.id)
  const content = await findContent(door.store.read, tenant.owner, first!.message.id)
  return { ...found!, format: content!.format, request: JSON.parse(content!.content.toString()) }
}

test('the content is the template’s; recipients, files and other fields are the message’s', async () => {
  const { response } = await send(
    {
      'X-Template-Alias': 'welcome',
      'X-Template-Model': JSON.stringify({ name: 'Žofie <&>', more: 'x'.repeat(2_000) }),
      'X-Tag': 'w',
      'X-Metadata-order': '7',
      'X-Kept': 'grüß',
      'In-Reply-To': '<1@example.net>',
    },
    {
      cc: 'carl@example.org',
      bcc: 'dora@example.org',
      replyTo: 'Help <help@example.org>',
      html: '<p>not this</p>',
      attachments: [
        { filename: 'räk.bin', content: Buffer.from([0, 1, 255]) },
        { filename: 'a.csv', content: 'a', contentType: 'text/csv; charset=iso-8859-1; header=present' },
        { filename: 'logo.png', content: Buffer.from('png'), cid: 'logo', contentDisposition: 'inline' },
      ],
    },
  )
  const { message, recipients, format, request } = await newest()
  assert.equal(response, `250 2.0.0 Ok: queued as ${message.id}`)
  assert.deepEqual(
    [format, message.subject, message.from_name, message.tag],
    ['json', 'Hi Žofie <&>', 'Jörg', 'w'],
  )
  assert.deepEqual(JSON.parse(message.metadata!), { order: '7' })
  const { template_id, ...names } = JSON.parse(message.origin!)
  assert.match(template_id, /^tpl_/)
  const reply_to = [{ email: 'help@example.org', name: 'Help' }]
  assert.deepEqual(names, { template_alias: 'welcome', layout: 'base', reply_to })
  assert.deepEqual(
    recipients.map(({ role, email, name }) => [role, email, name]),
    [
      ['to', 'ann@example.net', 'Ann'],
      ['cc', 'carl@example.org', null],
      ['bcc', 'dora@example.org', null],
    ],
  )
  assert.equal(request.html, '<i><p>Žofie &lt;&amp;&gt;</p></i>')
  assert.equal(request.text, 'Hi Žofie <&>!')
  assert.deepEqual(request.reply_to, [{ email: 'help@example.org', name: 'Help' }])
  assert.deepEqual(request.headers, { 'X-Kept': 'grüß', 'In-Reply-To': '<1@example.net>' })
  type File = { filename: string; content: string; content_type: string; content_id?: string }
  const files = request.attachments.map((one: File) => [
    one.filename,
    one.content,
    one.content_type,
    one.content_id,
  ])
  assert.deepEqual(files, [
    ['logo.png', Buffer.from('png').toString('base64'), 'image/png', 'logo'],
    ['räk.bin', 'AAH/', 'application/octet-stream', undefined],
    ['a.csv', 'YQ==', 'text/csv; charset=iso-8859-1; header=present', undefined],
  ])
})

test('a Subject overrides the template’s, X-Template-Layout its layout', async () => {
  await send(
    { 'X-Template-Alias': 'welcome', 'X-Template-Model': '{"name":"A"}', 'X-Template-Layout': 'none' },
    { subject: 'Mine' },
  )
  const { message, request } = await newest()
  assert.deepEqual([message.subject, request.html, request.text], ['Mine', '<p>A</p>', 'Hi A'])
})

test('554 for a template that cannot be rendered, and nothing is stored', async () => {
  const before = (await newest()).message.id
  const alias = 'welcome'
  const refused: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ 'X-Template-Alias': 'nowhere' }, /554 5\.6\.0 .*template_alias: There is no template "nowhere"/],
    [{ 'X-Template-Alias': alias }, /554 5\.6\.0 .*template_model\.name/],
    [{ 'X-Template-Alias': alias, 'X-Template-Model': '{' }, /554 5\.6\.0 .*not JSON/],
    [{ 'X-Template-Alias': alias, 'X-Template-Model': nested('{"a":', '}') }, /554 5\.6\.0 .*1000 levels/],
    [{ 'X-Template-Alias': alias, 'X-Template-Model': `{"a":${nested('[', ']')}}` }, /554 5\.6\.0 .*levels/],
    [{ 'X-Template-Alias': alias, 'X-Template-Model': '[]' }, /554 5\.6\.0 .*not a JSON object/],
    [{ 'X-Template-Layout': 'none' }, /554 5\.6\.0 .*X-Template-Alias is missing/],
    [{ 'X-Template-Model': '{' }, /554 5\.6\.0 .*not JSON/],
    [{ 'X-Template-Alias': alias, 'X-Template-Model': '{"name":"a\\nb"}' }, /554 5\.6\.0 .*subject/],
    [{ 'X-Template-Alias': alias, 'X-Template-Layout': 'nowhere' }, /554 5\.6\.0 .*layout/],
  ]
  for (const [headers, reply] of refused) await assert.rejects(send(headers), reply)
  assert.equal((await newest()).message.id, before)
})

test('554 for a signed message, whose signature would no longer match', async () => {
  const raw = [
    `From: app@${tenant.domain.name}`,
    'To: ann@example.net',
    'X-Template-Alias: welcome',
    'Content-Type: multipart/signed; boundary=b; protocol="application/pkcs7-signature"',
    '',
    '--b',
    '',
    'x',
    '--b--',
    '',
  ].join('\r\n')
  const envelope = { from: `app@${tenant.domain.name}`, to: ['ann@example.net'] }
  await assert.rejects(send({}, { raw, envelope }), /554 5\.6\.0 .*signed or encrypted/)
})

test('X-Template-Model without a template has no effect, like template_model in a send request', async () => {
  const { response } = await send({ 'X-Template-Model': '{"name":"A"}' }, { subject: 'Without' })
  const { messages } = await listMessages(door.store.read, tenant.owner, {}, 1, undefined)
  const { id, subject } = messages[0]!.message
  assert.ok(response.endsWith(id), response)
  assert.equal(subject, 'Without')
  const content = await findContent(door.store.read, tenant.owner, id)
  assert.doesNotMatch(content!.content.toString(), /X-Template|"A"/)
})
