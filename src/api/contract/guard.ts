// Shapes of the check of messages: the guard in settings, and findings.

import { Type } from 'typebox'
import { FINDING_CODES, GUARDS, SEVERITIES } from '../../model/finding.ts'

const EFFECT =
  '`off`: messages are not checked. `warn`: a message is accepted, and the response and the `accepted` events have `warnings`. `refuse`: a message with an error is refused with `content_refused`'

const codes = (description: string) =>
  Type.Array(Type.Enum([...FINDING_CODES]), { maxItems: FINDING_CODES.length, description })

const ignore = Type.Optional(
  Type.Union([codes(''), Type.Null()], {
    description: 'an array of codes of findings that are not reported, or null for none',
  }),
)

const guardOrNull = (otherwise: string) =>
  Type.Union([Type.Enum([...GUARDS]), Type.Null()], {
    description: `an effect of the check of messages before they are accepted, or null for ${otherwise}. ${EFFECT}`,
  })

/** Fields of a stream in a request; omitted fields stay unchanged. */
export const guardFields = { guard: Type.Optional(guardOrNull('the guard of the domain')), ignore }

/** Fields of a stream in a response. */
export const guardView = {
  guard: guardOrNull('the guard of the domain'),
  ignore: codes('Codes of findings that are not reported, in addition to those of the domain'),
}

/** Fields of a domain in a request; omitted fields stay unchanged. */
export const domainGuardFields = { guard: Type.Optional(guardOrNull('`off`')), ignore }

/** Fields of a domain in a response. */
export const domainGuardView = {
  guard: Type.Enum([...GUARDS], { description: `Effect of the check of messages. ${EFFECT}` }),
  ignore: codes('Codes of findings that are not reported'),
}

/** Guard of one message. */
export const guardOfMessage = Type.Optional(
  Type.Enum([...GUARDS], {
    description: `Effect of the check of this message; by default the stream or the domain decides. ${EFFECT}`,
  }),
)

const place = {
  line: Type.Optional(Type.Integer({ description: 'Line within the part, from 1' })),
  column: Type.Optional(Type.Integer({ description: 'Column within the line, from 1' })),
}

const head = {
  code: Type.Enum([...FINDING_CODES]),
  severity: Type.Enum([...SEVERITIES]),
  path: Type.String({
    description: 'Part of the message: `html`, `text`, `subject`, or a path such as `to[0].email`',
  }),
  ...place,
}

export const WarningView = Type.Object(
  { ...head, message: Type.String() },
  { description: 'Finding of the check of a message that was accepted' },
)

export const FindingView = Type.Object({
  ...head,
  excerpt: Type.Optional(Type.String({ description: 'Beginning of the place; a secret is masked' })),
  message: Type.String(),
  what_to_do: Type.String(),
  clients: Type.Optional(
    Type.Array(Type.String(), { description: 'Mail programs that the finding concerns' }),
  ),
  recipient: Type.Optional(Type.String({ description: 'Address that the finding concerns' })),
})

const bytes = (what: string) => Type.Integer({ description: `Bytes of ${what}` })

export const CheckView = Type.Object({
  verdict: Type.Enum(['pass', 'warn', 'fail'], {
    description: '`fail` with an error, `warn` with a warning, otherwise `pass`',
  }),
  took_ms: Type.Integer(),
  sizes: Type.Object({
    html: bytes('the HTML part'),
    text: bytes('the text part'),
    message: bytes('the composed message; 0 without sender and recipients'),
    images: bytes('the attached images'),
  }),
  findings: Type.Array(FindingView, { description: 'Errors first' }),
  spam: Type.Union(
    [
      Type.Object({
        filter: Type.Enum(['rspamd', 'spamassassin']),
        score: Type.Number(),
        required: Type.Number({ description: 'Score from which the filter takes a message for spam' }),
        rules: Type.Array(
          Type.Object({ name: Type.String(), score: Type.Number(), description: Type.String() }),
        ),
      }),
      Type.Null(),
    ],
    { description: 'Answer of the spam filter, or null' },
  ),
  not_checked: Type.Array(Type.Enum(['links', 'spam']), {
    description:
      'Requested parts that were not checked to the end: links that work only once, hosts that do not answer in time, and a spam filter that is away, slow or not configured',
  }),
})

/** Fields of a check in addition to those of a send request. */
export const checkFields = {
  raw: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Complete message (RFC 5322), instead of all fields of the content',
    }),
  ),
  links: Type.Optional(
    Type.Enum(['parse', 'fetch'], {
      description:
        '`fetch` asks the hosts of the links whether the pages exist (HEAD); links that may work only once are not requested. Default: parse',
    }),
  ),
  spam: Type.Optional(
    Type.Boolean({ description: 'True to ask the spam filter of the installation for its rules' }),
  ),
  clients: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
      minItems: 1,
      maxItems: 60,
      description:
        'Mail programs by the names of "Can I email", such as `outlook.windows`. Default: Gmail, Apple Mail, Outlook, Yahoo, Samsung and Thunderbird',
    }),
  ),
  unrendered: Type.Optional(
    Type.Boolean({
      description:
        'True if html, text and subject are the source of a template: expressions such as {{name}} stand for any text, and places are those of the source',
    }),
  ),
}
