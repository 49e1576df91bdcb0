// Example programs that send a template with its model, for copying.

import type { Snippet } from '../keys/http-snippets.ts'

export interface SendAccess {
  /** Base URL of the API, which ends with `/v1`. */
  readonly baseUrl: string
  /** Submission host for SMTP; undefined if this installation has no submission listener. */
  readonly smtp: { readonly host: string; readonly port: number; readonly self_signed: boolean } | undefined
  readonly from: string
  readonly to: string
  /** Alias of the template, or its ID if it has no alias. */
  readonly template: string
  readonly isAlias: boolean
  /** Subject for a template without a subject. */
  readonly subject: string | undefined
  /** Alias of the stream; undefined for the default stream. */
  readonly stream: string | undefined
  readonly model: object
}

export const sendSnippets = (access: SendAccess): readonly Snippet[] => [
  { name: 'curl', code: curl(access) },
  { name: 'Node', code: node(access) },
  { name: 'Python', code: python(access) },
  ...(access.smtp === undefined || !access.isAlias
    ? []
    : [{ name: 'SMTP', code: smtp(access, access.smtp) }]),
]

function bodyOf({ from, to, template, isAlias, subject, stream, model }: SendAccess): object {
  return {
    from,
    to: [{ email: to }],
    ...(stream === undefined ? {} : { stream }),
    ...(subject === undefined ? {} : { subject }),
    ...(isAlias ? { template_alias: template } : { template_id: template }),
    template_model: model,
  }
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

const curl = (access: SendAccess): string => `curl '${access.baseUrl}/messages' \\
  -H 'Authorization: Bearer YOUR_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '${json(bodyOf(access)).replaceAll("'", "'\\''")}'`

const node = (access: SendAccess): string => `// send.mjs
const response = await fetch('${access.baseUrl}/messages', {
  method: 'POST',
  headers: {
    authorization: 'Bearer YOUR_KEY',
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indented(json(bodyOf(access)), '  ')}),
})
console.log(response.status, await response.json())`

/**
 * Returns a Python program with the message as JSON text for `json.loads`, because Python has other words for true,
 * false and null.
 */
const python = (access: SendAccess): string => `import json
import urllib.request

message = json.loads(r'''
${json(bodyOf(access)).replaceAll("'", '\\u0027')}
''')
request = urllib.request.Request(
    "${access.baseUrl}/messages",
    headers={
        "Authorization": "Bearer YOUR_KEY",
        "Content-Type": "application/json",
    },
    data=json.dumps(message).encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`

const smtp = (
  { from, to, template, subject, stream, model }: SendAccess,
  { host, port, self_signed }: NonNullable<SendAccess['smtp']>,
): string => `// send.mjs
import nodemailer from 'nodemailer'

const transport = nodemailer.createTransport({
  host: '${host}',
  port: ${port},
  requireTLS: true,
  auth: { user: 'YOUR_USER_NAME', pass: 'YOUR_PASSWORD' },${self_signed ? '\n  tls: { rejectUnauthorized: false }, // the certificate is self-signed' : ''}
})
const model = ${json(model)}
const { response } = await transport.sendMail({
  from: ${JSON.stringify(from)},
  to: ${JSON.stringify(to)},${subject === undefined ? '' : `\n  subject: ${JSON.stringify(subject)},`}
  text: '-', // the template replaces this text
  headers: {
    'X-Template-Alias': ${JSON.stringify(template)},
    'X-Template-Model': asciiJson(model),${stream === undefined ? '' : `\n    'X-Stream': ${JSON.stringify(stream)},`}
  },
})
console.log(response)

/** Writes non-ASCII characters as JSON escapes, because a header field may contain only ASCII. */
function asciiJson(value) {
  return JSON.stringify(value).replace(
    /[^\\x20-\\x7e]/g,
    (one) => '\\\\u' + one.charCodeAt(0).toString(16).padStart(4, '0'),
  )
}`
