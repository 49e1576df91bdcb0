// Writes an example request as code: as a command line with curl, as TypeScript, and as Python.

import type { RequestExample } from './request-example.ts'

/** Languages of the examples, in the order of their tabs. */
export const LANGUAGES = [
  { name: 'curl', title: 'curl', code: curlOf },
  { name: 'typescript', title: 'TypeScript', code: typescriptOf },
  { name: 'python', title: 'Python', code: pythonOf },
] as const

/** Returns a command line for a POSIX shell. */
function curlOf({ method, url, secret, body, answer }: RequestExample): string {
  const isUsual = method === 'GET' || (method === 'POST' && body !== undefined)
  // A shell has no other way to write CRLF.
  const hasCrlf = body !== undefined && 'rows' in body && body.lineEnd === '\r\n'
  const input = hasCrlf ? [`printf '%b' ${shellText(body.rows.join('\\r\\n'))} |`] : []
  return [
    ...input,
    `curl ${answer === 'stream' ? '-N ' : ''}${/[?&]/.test(url) ? shellText(url) : url}`,
    ...(isUsual ? [] : [`-X ${method}`]),
    `-H "Authorization: Bearer $${secret}"`,
    ...(body === undefined ? [] : [`-H ${shellText(`Content-Type: ${body.mediaType}`)}`]),
    ...(body === undefined
      ? []
      : 'json' in body
        ? [`-d ${shellText(JSON.stringify(body.json, null, 2))}`]
        : [`--data-binary ${hasCrlf ? '@-' : shellText(body.rows.join(body.lineEnd))}`]),
  ].join(' \\\n  ')
}

const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Returns a TypeScript program for Node that needs no package. */
function typescriptOf({ method, url, secret, body, answer }: RequestExample): string {
  const headers = [
    `Authorization: \`Bearer \${process.env.${secret}}\`,`,
    ...(body === undefined ? [] : [`'Content-Type': ${typescriptText(body.mediaType)},`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length === 1
      ? [`headers: { ${headers.join('').slice(0, -1)} },`]
      : ['headers: {', ...indented(headers), '},']),
    ...(body === undefined
      ? []
      : 'json' in body
        ? [`body: JSON.stringify(${typescriptValue(body.json)}),`]
        : [
            'body: [',
            ...indented(body.rows.map((row) => `${typescriptText(row)},`)),
            `].join(${typescriptText(body.lineEnd)}),`,
          ]),
  ]
  return [
    `const answer = await fetch(${typescriptText(url)}, {`,
    ...indented(options),
    '})',
    {
      json: 'console.log(answer.status, await answer.json())',
      text: 'console.log(answer.status, await answer.text())',
      stream:
        'for await (const events of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) console.log(events)',
      none: 'console.log(answer.status)',
    }[answer],
  ].join('\n')
}

const indented = (lines: readonly string[], by = '  '): string[] =>
  lines.flatMap((line) => line.split('\n')).map((line) => `${by}${line}`)

const typescriptText = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** Returns a JSON value as a literal of TypeScript. */
const typescriptValue = (value: unknown): string =>
  literal(value, {
    text: typescriptText,
    name: (name) => (/^[a-z_]\w*$/i.test(name) ? name : typescriptText(name)),
    words: { true: 'true', false: 'false', null: 'null' },
    by: '  ',
  })

/** Returns a Python program that uses only the standard library. */
function pythonOf({ method, url, secret, body, answer }: RequestExample): string {
  const by = '    '
  const options = [
    `${pythonText(url)},`,
    ...(method === 'GET' ? [] : [`method="${method}",`]),
    'headers={',
    `${by}"Authorization": f"Bearer {os.environ['${secret}']}",`,
    ...(body === undefined ? [] : [`${by}"Content-Type": ${pythonText(body.mediaType)},`]),
    '},',
    ...(body === undefined
      ? []
      : 'json' in body
        ? [`data=json.dumps(${pythonValue(body.json)}).encode(),`]
        : [
            `data=${pythonText(body.lineEnd)}.join([`,
            ...indented(
              body.rows.map((row) => `${pythonText(row)},`),
              by,
            ),
            ']).encode(),',
          ]),
  ]
  const needsJson = answer === 'json' || (body !== undefined && 'json' in body)
  return [
    `import ${needsJson ? 'json, ' : ''}os`,
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    ...indented(options, by),
    ')',
    'with urlopen(request) as answer:',
    ...indented(
      {
        json: ['print(answer.status, json.load(answer))'],
        text: ['print(answer.status, answer.read().decode())'],
        stream: ['for line in answer:', `${by}print(line.decode(), end="")`],
        none: ['print(answer.status)'],
      }[answer],
      by,
    ),
  ].join('\n')
}

/** Returns a text as a Python literal. Python knows all escapes of JSON in texts without surrogates. */
const pythonText = (text: string): string => JSON.stringify(text)

const pythonValue = (value: unknown): string =>
  literal(value, {
    text: pythonText,
    name: pythonText,
    words: { true: 'True', false: 'False', null: 'None' },
    by: '    ',
  })

/** Rules for writing JSON values in a language. */
interface Notation {
  readonly text: (text: string) => string
  readonly name: (name: string) => string
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>
  /** Indentation of one level. */
  readonly by: string
}

/** Maximum length of an object or a list on one line. */
const LINE = 60

/** Returns a JSON value as a literal; short objects and lists are on one line. */
function literal(value: unknown, notation: Notation): string {
  const { text, name, words, by } = notation
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) {
    const word = String(value)
    return Object.hasOwn(words, word) ? words[word as keyof typeof words] : word
  }
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((one) => literal(one, notation))
    : Object.entries(value).map(([key, one]) => `${name(key)}: ${literal(one, notation)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return `${open}${close}`
  const blank = isList ? '' : ' '
  const line = `${open}${blank}${parts.join(', ')}${blank}${close}`
  if (line.length <= LINE && !line.includes('\n')) return line
  return [
    open,
    ...indented(
      parts.map((part) => `${part},`),
      by,
    ),
    close,
  ].join('\n')
}
