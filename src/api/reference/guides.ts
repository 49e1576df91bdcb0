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
    `<p>Post a message with a Sending API key. The response is sent when the message is on stable storage. The service then
delivers the message, or shows why it could not be delivered.</p>
<p>Requests and responses are JSON in UTF-8. Times are RFC 3339 in UTC. Unknown fields are refused, never ignored, so that
you notice a typing error at once.</p>
<p>The base URL is <code>${escaped(baseUrl)}/v1</code>. A machine-readable form of this reference is the
<a href="v1/openapi.json">OpenAPI 3.1 document</a>.</p>`,
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
  `<p>${sentence('Send your API key with each request: `Authorization: Bearer <API_KEY>`.')}</p>
<dl class="fields">
<div><dt><code>send_…</code></dt><dd>A Sending key belongs to one domain; the key sends from this domain and reads its messages.</dd></div>
<div><dt><code>verify_…</code></dt><dd>A Verification key belongs to the account. The key verifies addresses and cannot send.</dd></div>
<div><dt><code>manage_…</code></dt><dd>A management key belongs to the account. The key may do what its scopes allow, on all domains or on the domains that it lists. A user creates it in the dashboard, or the operator with <code>postrider key create --kind management</code>.</dd></div>
</dl>
<p>A key is shown only once, when it is created. A revoked key is refused immediately. Do not put keys into browsers and
apps.</p>`,
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
  `<p>${sentence('A connection may break after a message was accepted and before the response arrives. Send an `Idempotency-Key` of your choice with the request, for example the ID of an order, and repeat the request with the same key: for 24 hours, a repeated request gets the first response again, and nothing is sent twice.')}</p>
<p>${sentence('Every `POST` that changes something accepts an `Idempotency-Key`: a webhook, a template or an address list is also created only once, and a repeated request gets the first response with its secrets. The stored response is encrypted with the API key of the request, which the store does not contain.')}</p>
<p>${sentence('A request with the same key and another body, or to another endpoint, is refused with `validation_failed`. While the first request is running, a repeated request is refused with `conflict`. A repeated request completes a request that was interrupted, for example by a restart of the service; completed steps are not repeated. After the crash of one of several nodes, the completion may be delayed by up to 15 seconds. A refused request does not use up its key.')}</p>`,
  codeBlock('Header', 'Idempotency-Key: order-1234-receipt', 'sh'),
)

const STATES = section(
  `<p>Each recipient of a message has its own state and a history of events:</p>
<dl class="fields">
<div><dt><code>scheduled</code></dt><dd>${sentence('The message waits for its `send_at`.')}</dd></div>
<div><dt><code>queued</code></dt><dd>The recipient waits for the first attempt.</dd></div>
<div><dt><code>sending</code></dt><dd>An attempt is running.</dd></div>
<div><dt><code>deferred</code></dt><dd>The last attempt failed temporarily. The next attempt follows the retry schedule.</dd></div>
<div><dt><code>delivered</code></dt><dd>The receiving host accepted the message.</dd></div>
<div><dt><code>bounced</code></dt><dd>The receiving host rejected the message permanently, during the attempt or later with a DSN.</dd></div>
<div><dt><code>suppressed</code></dt><dd>The address is on the suppression list, so no attempt was made.</dd></div>
<div><dt><code>failed</code></dt><dd>The queue lifetime ended (two days), or the message could not be composed.</dd></div>
<div><dt><code>cancelled</code></dt><dd>You or the operator cancelled the recipient.</dd></div>
</dl>
<p>${sentence('A message is `sending` until all recipients are final. Then the message is `delivered` (all recipients), `partially_delivered` (some recipients), or has the most frequent state of its recipients.')}</p>`,
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
  `<p>${sentence('Lists are returned in pages, newest first, with `data` and `next_cursor`. Request the next page with `?cursor=`, until `next_cursor` is null. `?limit=` is 50 by default and at most 200.')}</p>`,
  codeBlock(
    'A page',
    JSON.stringify({ data: [], next_cursor: 'msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF' }, null, 2),
    'json',
  ),
)

const RATE_LIMITS = section(
  `<p>${sentence('Each key has a rate limit. Every response contains the remaining rate. Requests beyond the limit are refused with `rate_limit_exceeded` and `Retry-After`. Each message of a batch counts.')}</p>`,
  codeBlock('Headers', 'RateLimit-Policy: "key";q=1000;w=1\nRateLimit: "key";r=998;t=1', 'sh'),
)

const SMTP = section(
  `<p>${sentence('SMTP clients use port 587 (2587 in the playground) with STARTTLS, and an SMTP credential as user name and password. A message that was submitted by SMTP has the same ID and states, and can be read over REST. The reply after the data contains the ID.')}</p>
<p>${sentence('Header fields such as `X-Tag`, `X-Metadata-<key>`, `X-Stream` and `X-Template-Alias` have the effect of the corresponding JSON fields, and are removed before delivery.')} <a href="docs/pages/sending#fields-side-by-side">All fields of REST and SMTP side by side</a>.</p>`,
  codeBlock('After the data', '250 2.0.0 Ok: queued as msg_01KAJ7QW3V9Z4T8N2R5M6XCDEF', 'sh'),
)

function problemExample(code: keyof typeof PROBLEMS, detail: string): object {
  const { status, title } = PROBLEMS[code]
  return { type: problemType(code), title, status, code, detail, request_id: 'req_01KAJ7QW0D…' }
}

/**
 * Returns the chapter about problems, with an anchor for each problem code. The `Link` header of a refusal leads to the
 * anchor of its code.
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
    `<p>${sentence('A refused request gets a problem document (RFC 9457, `application/problem+json`). `code` is for programs, `detail` is for people, and the `Link` header with `rel="help"` leads to this chapter. `errors` contains all invalid fields at once. A refused request changes nothing and costs nothing.')}</p>
<dl class="fields problems">
${rows.join('\n')}
</dl>`,
    codeBlock('422 Unprocessable Content', JSON.stringify(example, null, 2), 'json'),
  )
}
