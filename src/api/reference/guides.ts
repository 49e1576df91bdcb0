// Guides before the endpoints in the reference: the first steps, and rules that apply to all endpoints.

import { ALL_SCOPES, roleOf, SCOPES } from '../../access/scopes.ts'
import { problemType } from '../../http/problem-document.ts'
import { PROBLEMS } from '../../model/problem.ts'
import { codeIn } from './endpoint-section.ts'
import { codeBlock, escaped, sentence } from './html.ts'

/** Chapter of the reference, with its anchor, its title and its content as HTML. */
export interface Guide {
  readonly anchor: string
  readonly title: string
  readonly html: string
}

export function guides(baseUrl: string): readonly Guide[] {
  return [
    { anchor: 'start', title: 'Your first message', html: start(baseUrl) },
    { anchor: 'authentication', title: 'Authentication', html: AUTHENTICATION },
    { anchor: 'scopes', title: 'Scopes', html: SCOPE_TABLE },
    { anchor: 'idempotency', title: 'Idempotency', html: IDEMPOTENCY },
    { anchor: 'states', title: 'Message states', html: STATES },
    { anchor: 'lists', title: 'Lists', html: LISTS },
    { anchor: 'rate-limits', title: 'Rate limits', html: RATE_LIMITS },
    { anchor: 'smtp', title: 'Sending by SMTP', html: SMTP },
  ]
}

const section = (html: string, shown: string): string =>
  `<div class="section">\n${html}\n</div>\n<div class="shown">${shown}</div>`

const FIRST = {
  from: 'shop@example.com',
  to: [{ email: 'ann@example.net', name: 'Ann' }],
  subject: 'Your receipt',
  html: '<p>Thank you, Ann.</p>',
  text: 'Thank you, Ann.',
}

const start = (baseUrl: string): string =>
  section(
    `<p>Post a message with a Sending API key. The answer comes when the message is on stable storage: from then on it is
delivered, or you can see why not.</p>
<p>Everything is JSON in UTF-8. Times are RFC 3339 in UTC. A field that an endpoint does not know is refused, never
dropped: a typing error shows at once.</p>
<p>The base address is <code>${escaped(baseUrl)}/v1</code>. The same as a machine reads it:
<a href="v1/openapi.json">OpenAPI 3.1</a>.</p>`,
    codeIn({
      method: 'POST',
      url: `${baseUrl}/v1/messages`,
      secret: 'API_KEY',
      body: { mediaType: 'application/json', json: FIRST },
      answer: 'json',
    }) +
      codeBlock(
        '202 Accepted',
        JSON.stringify({ message_id: 'msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF', status: 'queued' }, null, 2),
        'json',
      ),
  )

const AUTHENTICATION = section(
  `<p>${sentence('Each request carries a key: `Authorization: Bearer <API_KEY>`.')}</p>
<dl class="fields">
<div><dt><code>send_…</code></dt><dd>A Sending key belongs to one domain: it sends from there, and reads that domain's messages.</dd></div>
<div><dt><code>verify_…</code></dt><dd>A Verification key belongs to the account: it checks addresses and cannot send.</dd></div>
<div><dt><code>manage_…</code></dt><dd>A management key belongs to the account: it does what its scopes allow, on all domains or on those that it lists. A user creates it in the dashboard, or the operator with <code>postrider key create --kind management</code>.</dd></div>
</dl>
<p>A key is shown once, when it is created. A revoked key is refused at once. Keep keys out of browsers and apps.</p>`,
  codeBlock(
    '401 Unauthorized',
    JSON.stringify(problemExample('authentication_failed', 'Send a valid API key.'), null, 2),
    'json',
  ),
)

const OF_ROLES = {
  viewer: 'viewers and above',
  developer: 'developers and above',
  admin: 'admins and owners',
  owner: 'owners',
  operator: 'owners of the operating account',
} as const

const scopeRow = (scope: (typeof ALL_SCOPES)[number]): string => {
  const { allows, usual } = SCOPES[scope]
  const kinds = usual.length === 0 ? '' : ` Usual for: ${usual.join(', ')}.`
  return `<div><dt><code>${scope}</code></dt><dd>${escaped(`${allows}.${kinds} Users: ${OF_ROLES[roleOf(scope)]}.`)}</dd></div>`
}

const SCOPE_TABLE = section(
  `<p>${sentence('Every endpoint requires one scope, which its description names. A key has its scopes from its creation on; `GET /v1/key` shows them. A key never gives away more than it has.')}</p>
<p>${sentence('A management key of several domains reads all of them, and each object names its `domain`. A change names the domain with `?domain=`; for mail the address of the sender does.')}</p>
<dl class="fields">
${ALL_SCOPES.map(scopeRow).join('\n')}
</dl>`,
  codeBlock(
    '403 Forbidden',
    JSON.stringify(problemExample('scope_not_permitted', 'This needs the scope domains:write.'), null, 2),
    'json',
  ),
)

const IDEMPOTENCY = section(
  `<p>${sentence('The connection may break after the message was accepted and before the answer arrives. Send an `Idempotency-Key` of your own with the request, the ID of the order say, and repeat the request with the same key: within 24 hours it gets the first answer again, and nothing is sent twice.')}</p>
<p>${sentence('Every `POST` that changes something takes a key: a webhook, a template, an address list is made once too, and the repeat gets the first answer with its secrets. They are sealed by the API key of the request, which the store does not hold.')}</p>
<p>${sentence('The same key with another body or at another endpoint is `validation_failed`; while the first request is under way it is `conflict`. A request that was cut, as the service was restarted say, is completed by its repetition: what was done is not done again. After the crash of a node that others share a database with, that may take 15 seconds. A request that was refused does not use its key up.')}</p>`,
  codeBlock('Header', 'Idempotency-Key: order-1234-receipt', 'sh'),
)

const STATES = section(
  `<p>Each recipient of a message has a state of its own, and a history of events:</p>
<dl class="fields">
<div><dt><code>scheduled</code></dt><dd>${sentence('Waiting for its `send_at`.')}</dd></div>
<div><dt><code>queued</code></dt><dd>Waiting for its first attempt.</dd></div>
<div><dt><code>sending</code></dt><dd>An attempt is under way.</dd></div>
<div><dt><code>deferred</code></dt><dd>The receiving host deferred it (a temporary failure); it is retried by the schedule.</dd></div>
<div><dt><code>delivered</code></dt><dd>The receiving host accepted it.</dd></div>
<div><dt><code>bounced</code></dt><dd>The receiving side rejected it permanently, in the attempt or by a later DSN.</dd></div>
<div><dt><code>suppressed</code></dt><dd>The address is on the suppression list; it was not attempted.</dd></div>
<div><dt><code>failed</code></dt><dd>The queue lifetime ended (two days), or the message could not be composed.</dd></div>
<div><dt><code>cancelled</code></dt><dd>Cancelled by you or the operator.</dd></div>
</dl>
<p>${sentence('The message is `sending` until all are final; then it is `delivered` (all), `partially_delivered` (some), or what most of them are.')}</p>`,
  codeBlock(
    'A recipient',
    JSON.stringify(
      {
        email: 'ann@example.net',
        name: 'Ann',
        status: 'deferred',
        last_event_at: '2026-11-21T09:30:04.125Z',
        smtp_code: 451,
        smtp_response: '4.7.1 Greylisted, please try again later',
        mx: 'mx.example.net',
      },
      null,
      2,
    ),
    'json',
  ),
)

const LISTS = section(
  `<p>${sentence('Lists come in pages, newest first: `data` and `next_cursor`. Ask for the next page with `?cursor=`, until `next_cursor` is null. `?limit=` is 50 unless given, at most 200.')}</p>`,
  codeBlock(
    'A page',
    JSON.stringify({ data: [], next_cursor: 'msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF' }, null, 2),
    'json',
  ),
)

const RATE_LIMITS = section(
  `<p>${sentence('Each key has a rate. Every answer says how much is left; beyond it requests get `rate_limit_exceeded` with `Retry-After`. Each message of a batch counts.')}</p>`,
  codeBlock('Headers', 'RateLimit-Policy: "key";q=1000;w=1\nRateLimit: "key";r=998;t=1', 'sh'),
)

const SMTP = section(
  `<p>${sentence('Programs that speak SMTP use port 587 (2587 in the playground) with STARTTLS, and an SMTP credential as user name and password. The message is the same: same ID, same states, readable over REST. The reply after the data names the ID.')}</p>
<p>${sentence('Header fields such as `X-Tag`, `X-Metadata-<key>`, `X-Stream` and `X-Template-Alias` do what the JSON fields do, and are removed.')} <a href="docs/pages/sending#fields-side-by-side">All fields of REST and SMTP side by side</a>.</p>`,
  codeBlock('After the data', '250 2.0.0 Ok: queued as msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF', 'sh'),
)

function problemExample(code: keyof typeof PROBLEMS, detail: string): object {
  const { status, title } = PROBLEMS[code]
  return { type: problemType(code), title, status, code, detail, request_id: 'req_01KAJ7QW0D…' }
}

/**
 * Returns the chapter about problems, with an anchor for each problem code; the `Link` header of a refusal leads to
 * this anchor.
 */
export function problemChapter(): string {
  const rows = Object.entries(PROBLEMS).map(
    ([code, { status, title, meaning }]) =>
      `<div id="${code}"><dt><a href="#${code}"><code>${code}</code></a> <span class="type">${status} ${escaped(title)}</span></dt><dd>${sentence(meaning)}</dd></div>`,
  )
  const example = {
    ...problemExample('validation_failed', 'to[3].email: This is not an email address: it has no @.'),
    errors: [
      { path: 'to[3].email', code: 'invalid_email', message: 'This is not an email address: it has no @.' },
    ],
  }
  return section(
    `<p>${sentence('A refusal is a problem document (RFC 9457, `application/problem+json`). `code` is for programs, `detail` for people, and the header `Link` with `rel="help"` leads here; `errors` names every field at fault, all at once. A refused request changes nothing and costs nothing.')}</p>
<dl class="fields problems">
${rows.join('\n')}
</dl>`,
    codeBlock('422 Unprocessable Content', JSON.stringify(example, null, 2), 'json'),
  )
}
