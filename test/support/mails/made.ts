// Messages that are generated from a seed: well-formed messages, messages with the faults of mail programs, and hostile
// messages.

/** Returns a generator of numbers from 0 to 1; the same seed gives the same numbers (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const TEXTS = [
  'Hello,\n\nthe order has not arrived yet.\n\nJo\n',
  'Grüße aus Köln, das Päckchen ist da — danke!\n',
  'こんにちは。注文番号は 17 です。\n',
  'A line that is rather long and goes on and on, '.repeat(30),
  '.\n..\n.a line with a dot\n=3D is no escape here = \nFrom the start\n',
  'Ответ: всё работает.\n\nС уважением,\nИван\n',
  'emoji 🎉 and a tab\there\n',
  'x\n',
]
const SUBJECTS = [
  'Hello',
  'Re: Your order 17',
  'Grüße',
  'こんにちは、世界',
  'A very long subject, '.repeat(12),
  '🎉 done',
]
const NAMES = ['', 'Jo Doe', 'Doe, Jo', 'Jörg Müller', '山田太郎', 'O"Brien']
const FILES = [
  'a.csv',
  'Rechnung März.pdf',
  '見積.xlsx',
  'no extension',
  'a "quoted" name.txt',
  'x'.repeat(80),
]
const TYPES = ['text/csv', 'application/pdf', 'image/png', 'application/zip']

export type Random = () => number

/** Returns a random element of a list. */
export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T

const base64Lines = (bytes: Buffer): string =>
  bytes.toString('base64').replace(/.{76}/g, '$&\r\n').replace(/\r\n$/, '')

function quotedPrintable(bytes: Buffer): string {
  const lines = bytes
    .toString('latin1')
    .split('\r\n')
    .map((line) => {
      const encoded = line
        .replace(/[^ -<>-~\t]/g, (one) => `=${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
        .replace(/[ \t]$/, (one) => (one === ' ' ? '=20' : '=09'))
      return encoded.match(/(?:=[0-9A-F]{2}|[^=]){1,72}/g)?.join('=\r\n') ?? ''
    })
  return lines.join('\r\n')
}

/** Returns a phrase of a header field: plain text, a quoted string, or encoded-words in Q or B encoding. */
function phrase(random: Random, text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return /[",]/.test(text) ? `"${text.replace(/(["\\])/g, '\\$1')}"` : text
  const words = text.match(/.{1,12}/gu) ?? []
  const isBase64 = random() < 0.5
  return words
    .map((word) => {
      const bytes = Buffer.from(word)
      if (isBase64) return `=?UTF-8?B?${bytes.toString('base64')}?=`
      return `=?utf-8?q?${bytes.toString('latin1').replace(/[^A-Za-z0-9]/g, (one) => `=${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)}?=`
    })
    .join('\r\n ')
}

function fileName(random: Random, name: string): string {
  const isPlain = /^[\x00-\x7f]*$/.test(name)
  if (isPlain) return `filename="${name.replace(/(["\\])/g, '\\$1')}"`
  if (random() < 0.5) return `filename*=utf-8''${encodeURIComponent(name)}`
  return `filename="${phrase(() => 0, name).replace(/\r\n /g, ' ')}"`
}

/** Returns a text part with its header fields and body. */
function textPart(random: Random, type: 'plain' | 'html', text: string): string {
  const isLatin = /^[\0-\xff]*$/.test(text)
  const charset = isLatin && random() < 0.3 ? 'iso-8859-1' : random() < 0.8 ? 'utf-8' : 'UTF-8'
  const bytes = Buffer.from(text.replaceAll('\n', '\r\n'), charset === 'iso-8859-1' ? 'latin1' : 'utf8')
  const encoding = pick(random, ['quoted-printable', 'base64', '8bit'])
  const body =
    encoding === 'base64'
      ? base64Lines(bytes)
      : encoding === 'quoted-printable'
        ? quotedPrintable(bytes)
        : bytes.toString('latin1')
  const quote = random() < 0.5 ? '"' : ''
  return `Content-Type: text/${type}; charset=${quote}${charset}${quote}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}\r\n`
}

function filePart(random: Random): string {
  const bytes = Buffer.from(
    Array.from({ length: Math.floor(random() * 400) }, () => Math.floor(random() * 256)),
  )
  return (
    `Content-Type: ${pick(random, TYPES)}\r\nContent-Disposition: attachment;\r\n ${fileName(random, pick(random, FILES))}\r\n` +
    `Content-Transfer-Encoding: base64\r\n\r\n${base64Lines(bytes)}\r\n`
  )
}

let boundaries = 0
function multipart(kind: string, parts: readonly string[], preamble = ''): string {
  const boundary = `=_${kind}_${++boundaries}`
  const body = parts.map((part) => `--${boundary}\r\n${part}`).join('\r\n')
  return `Content-Type: multipart/${kind};\r\n boundary="${boundary}"\r\n\r\n${preamble}${body}\r\n--${boundary}--\r\n`
}

const mailbox = (random: Random, index: number): string => {
  const name = phrase(random, pick(random, NAMES))
  const address = `person${index}@${pick(random, ['author.example', 'sub.other.example'])}`
  return name === '' ? address : `${name} <${address}>`
}

/** Returns a well-formed message as transmitted bytes. */
export function usualMail(random: Random): Buffer {
  const text = pick(random, TEXTS)
  const html = `<p>${pick(random, TEXTS).replaceAll('\n', '<br>\n')}</p>`
  const texts =
    random() < 0.4
      ? textPart(random, 'plain', text)
      : random() < 0.3
        ? textPart(random, 'html', html)
        : multipart('alternative', [textPart(random, 'plain', text), textPart(random, 'html', html)])
  const files = Array.from({ length: random() < 0.5 ? 0 : 1 + Math.floor(random() * 3) }, () =>
    filePart(random),
  )
  const body =
    files.length === 0
      ? texts
      : multipart('mixed', [texts, ...files], random() < 0.3 ? 'This is MIME.\r\n' : '')
  const many = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) => mailbox(random, index))
  const fields = [
    `Received: from a.example (a.example [192.0.2.1])\r\n\tby b.example with ESMTPS; Fri, 20 Nov 2026 09:00:00 +0000`,
    `From: ${mailbox(random, 90)}`,
    `${pick(random, ['To', 'TO', 'to'])}: ${many.join(random() < 0.5 ? ', ' : ',\r\n\t')}`,
    ...(random() < 0.3 ? [`Cc: ${mailbox(random, 91)}`] : []),
    ...(random() < 0.2 ? [`Reply-To: ${mailbox(random, 92)}`] : []),
    `Subject: ${phrase(random, pick(random, SUBJECTS)).replace(/^"|"$/g, '')}`,
    `Date: ${pick(random, ['Fri, 20 Nov 2026 10:00:00 +0100', '20 Nov 2026 09:00:00 GMT', 'Fri, 20 Nov 2026 09:00:00 +0000 (UTC)'])}`,
    `Message-ID: <${Math.floor(random() * 1e9)}@author.example>`,
    ...(random() < 0.4
      ? ['In-Reply-To: <before@example.test>', 'References: <first@example.test>\r\n <before@example.test>']
      : []),
    'MIME-Version: 1.0',
  ]
  return Buffer.from(`${fields.join('\r\n')}\r\n${body}`, 'latin1')
}

/** Faults of mail programs by description; each function adds the fault to a message. */
const FAULTS: Readonly<Record<string, (mail: string, random: Random) => string>> = {
  'lines that end in LF alone': (mail) => mail.replaceAll('\r\n', '\n'),
  'a body that is cut': (mail, random) => {
    const body = mail.indexOf('\r\n\r\n') + 4
    const cut = mail.slice(0, body + Math.floor(random() * (mail.length - body)))
    // Half a boundary delimiter may still count as a delimiter.
    return cut.replace(/\r\n--[^\r\n]*$/, '')
  },
  'no MIME-Version': (mail) => mail.replace('MIME-Version: 1.0\r\n', ''),
  'two subjects': (mail) => `Subject: first\r\n${mail}`,
  'two From fields': (mail) => `From: other@author.example\r\n${mail}`,
  'two content types': (mail) => `Content-Type: text/html\r\n${mail}`,
  'a charset that nobody knows': (mail) => mail.replace(/charset="?utf-8"?/gi, 'charset=x-none'),
  'an encoding that nobody knows': (mail) =>
    mail.replace(/Transfer-Encoding: [\w-]+/g, 'Transfer-Encoding: x-none'),
  'multiparts without their end': (mail) => mail.replace(/--=_\w+--\r\n/g, ''),
  'names and types in capitals': (mail) =>
    mail.replace(/^Content-Type/gm, 'CONTENT-TYPE').replaceAll('text/plain', 'TEXT/PLAIN'),
  'within another one': (mail) =>
    `From: f@author.example\r\nSubject: Fwd\r\nContent-Type: multipart/mixed; boundary=outer\r\n\r\n--outer\r\n\r\n` +
    `see below\r\n--outer\r\nContent-Type: message/rfc822\r\n\r\n${mail}\r\n--outer--\r\n`,
  'the only part of another one': (mail) =>
    `From: f@author.example\r\nSubject: Fwd\r\nContent-Type: message/rfc822\r\n\r\n${mail}`,
  'a line that is no field': (mail) => `no colon here\r\n${mail}`,
  'the first line of an mbox': (mail) => `From jo Fri Nov 20 10:00:00 2026\r\n${mail}`,
  'a subject of eight bits': (mail) =>
    mail.replace(
      /^Subject: .*(\r\n[ \t].*)*/m,
      `Subject: ${Buffer.from('Grüße aus Köln').toString('latin1')}`,
    ),
  'a NUL': (mail) => mail.replace('\r\n\r\n', '\r\n\r\na\0b'),
  'characters that are no base64': (mail) => mail.replace(/^([A-Za-z0-9+/]{40})/gm, '$1!?'),
  'a long line': (mail) => mail.replace('\r\n\r\n', `\r\n\r\n${'y'.repeat(5_000)}`),
  'a field that begins on its second line': (mail) => mail.replace(/^(To|TO|to): /m, '$1:\r\n '),
  'quoted-printable that is none': (mail) =>
    mail.replace(/=[0-9A-F]{2}/g, (code, at: number) => (at % 3 === 0 ? '=ZZ' : code)),
  'white space behind a boundary': (mail) => mail.replace(/boundary="([^"]+)"/g, 'boundary="$1 "'),
  'a comment before an address': (mail) => mail.replace(/^From: /m, 'From: (a comment) '),
  'empty lines before the body': (mail) => mail.replace('\r\n\r\n', '\r\n\r\n\r\n\r\n'),
}

/** Returns a message with a fault, and the description of the fault. */
function faultyMail(random: Random): { readonly raw: Buffer; readonly fault: string } {
  const [fault, spoil] = pick(random, Object.entries(FAULTS))
  return { raw: Buffer.from(spoil(usualMail(random).toString('latin1'), random), 'latin1'), fault }
}

/** Returns the message of a seed; messages of even seeds have a fault. */
export const mailOfSeed = (seed: number): { readonly raw: Buffer; readonly fault: string } =>
  seed % 2 === 0 ? faultyMail(randomOf(seed)) : { raw: usualMail(randomOf(seed)), fault: 'none' }

const HEAD = 'From: a@b.example\r\nTo: c@d.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n'

/** Hostile messages by description. */
export const HOSTILE_MAILS: Readonly<Record<string, () => Buffer>> = {
  'nothing at all': () => Buffer.alloc(0),
  'a line end alone': () => Buffer.from('\r\n'),
  'no header': () => Buffer.from('\r\nonly a body\r\n'),
  'no body': () => Buffer.from('From: a@b.example\r\n'),
  'ten thousand parts': () =>
    Buffer.from(
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(10_000)}--b--\r\n`,
    ),
  'a thousand levels': () =>
    Buffer.from(
      `${HEAD}${Array.from({ length: 1_000 }, (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`).join('')}Content-Type: text/plain\r\n\r\nx\r\n`,
    ),
  'messages in messages': () => Buffer.from(`${HEAD}Content-Type: message/rfc822\r\n\r\n`.repeat(2_000)),
  'a header of 200 KB in one line': () => Buffer.from(`X: ${'y'.repeat(200_000)}\r\n${HEAD}\r\nx\r\n`),
  'ten thousand fields': () => Buffer.from(`${'X-Y: z\r\n'.repeat(10_000)}${HEAD}\r\nx\r\n`),
  'a line of 20 MB': () => Buffer.concat([Buffer.from(`${HEAD}\r\n`), Buffer.alloc(20_000_000, 'a')]),
  'a million empty lines': () => Buffer.from(`${HEAD}\r\n${'\r\n'.repeat(1_000_000)}`),
  'a boundary that never comes': () =>
    Buffer.from(`${HEAD}Content-Type: multipart/mixed; boundary=q\r\n\r\nx\r\n`),
  'a boundary that never ends': () =>
    Buffer.from(`${HEAD}Content-Type: multipart/mixed; boundary=q\r\n\r\n--q\r\n\r\nx\r\n`),
  'a boundary that is the beginning of another': () =>
    Buffer.from(
      `${HEAD}Content-Type: multipart/mixed; boundary=q\r\n\r\n--qq\r\n\r\nx\r\n--q\r\n\r\ny\r\n--q--\r\n`,
    ),
  'base64 that is none': () =>
    Buffer.from(`${HEAD}Content-Transfer-Encoding: base64\r\n\r\n!!!!\r\n=====\r\nAAA\r\n`),
  'a charset that is none': () =>
    Buffer.from(`${HEAD}Content-Type: text/plain; charset="../../etc/passwd"\r\n\r\nx\r\n`),
  'fifty thousand recipients': () =>
    Buffer.from(`To: ${'a@b.example, '.repeat(15_000)}c@d.example\r\nSubject: x\r\n\r\nx\r\n`),
  'groups in groups': () => Buffer.from(`To: ${'a:'.repeat(20_000)}\r\nSubject: x\r\n\r\nx\r\n`),
  'quotation without end': () => Buffer.from(`To: "${'\\"'.repeat(50_000)}\r\nSubject: x\r\n\r\nx\r\n`),
  'comments without end': () =>
    Buffer.from(`Date: ${'('.repeat(90)}\r\nTo: ${'('.repeat(50_000)}\r\n\r\nx\r\n`),
  'encoded words without end': () =>
    Buffer.from(`Subject: ${'=?utf-8?q?=41?= '.repeat(10_000)}\r\n\r\nx\r\n`),
  'tags without end': () => Buffer.from(`${HEAD}Content-Type: text/html\r\n\r\n${'<a '.repeat(1_000_000)}`),
  'quotations without end': () =>
    Buffer.from(`${HEAD}\r\n${'> '.repeat(400_000)}\r\nOn x wrote:\r\n`.repeat(4)),
  'a reply that a pattern may choke on': () =>
    Buffer.from(`${HEAD}\r\n${`On ${'a '.repeat(20_000)}\r\n`.repeat(10)}wrote\r\n`),
  'bytes of all values': () =>
    Buffer.concat([
      Buffer.from(HEAD),
      Buffer.from('\r\n'),
      Buffer.from(Array.from({ length: 65_536 }, (_, at) => (at * 7) % 256)),
    ]),
  'file names of folders': () =>
    Buffer.from(
      `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Disposition: attachment; filename="../../../etc/passwd\u202egpj.exe"\r\n\r\nx\r\n--b--\r\n`,
    ),
  'encoded NULs and halves of surrogate pairs': () =>
    Buffer.from(
      'From: =?utf-8?q?a=00b?= <a@b.example>\r\nSubject: =?utf-8?q?x=00y?= =?utf-16be?b?2AA=?=\r\nMessage-ID: <a\0b@c>\r\n\r\nx\r\n',
    ),
  'names of prototypes': () =>
    Buffer.from('__proto__: x\r\nconstructor: y\r\ntoString: z\r\nhasOwnProperty: w\r\n\r\nx\r\n'),
}
