// Mail content in results: left out, or fenced with a nonce, so that an agent can tell text of strangers from the result.

const MAX_CONTENT = 20_000

/** Returns a message without its content. */
export function withoutContent(message: Readonly<Record<string, unknown>>): object {
  const { html: _, text: __, headers: ___, raw_url: ____, ...rest } = message
  return rest
}

/** Returns a message with its content fenced; links and images of the content are removed or broken. */
export function withFencedContent(message: Readonly<Record<string, unknown>>, nonce: string): object {
  const { html, text, headers } = message as {
    html?: string | null
    text?: string | null
    headers?: readonly Field[]
  }
  const fence = (value: string): string =>
    [`<untrusted ${nonce}>`, defused(value).slice(0, MAX_CONTENT), `</untrusted ${nonce}>`].join('\n')
  return {
    ...withoutContent(message),
    ...(typeof html === 'string' ? { html: fence(textOf(html)) } : {}),
    ...(typeof text === 'string' ? { text: fence(text) } : {}),
    ...(headers === undefined
      ? {}
      : { headers: headers.map(({ name, value }) => ({ name, value: defused(value).slice(0, 2_000) })) }),
  }
}

/** Fields whose text comes from strangers, in any result. */
const FOREIGN = new Set([
  'subject',
  'from_name',
  'name',
  'smtp_response',
  'response',
  'text',
  'summary',
  'user_agent',
])

/** Returns a result in which no text of strangers has the address of a page or a link in Markdown. */
export function withDefusedText<T>(result: T, field = ''): T {
  if (typeof result === 'string') return (FOREIGN.has(field) ? defused(result) : result) as T
  if (typeof result !== 'object' || result === null) return result
  if (Array.isArray(result)) return result.map((one) => withDefusedText(one, field)) as T
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [name, withDefusedText(value, name)]),
  ) as T
}

interface Field {
  readonly name: string
  readonly value: string
}

/** Breaks addresses of pages, so that no client makes a link of them or loads them. */
const defused = (text: string): string =>
  text
    .replace(/\b(https?|ftp|data|javascript|file):/gi, (_, name: string) => `${name[0]}_${name.slice(1)}:`)
    .replaceAll('](', '] (')

/** Returns the words of HTML without elements, so without links, images and hidden attributes. */
const textOf = (html: string): string =>
  html
    .replace(/<(style|script|head|template)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<(br|\/p|\/div|\/tr|\/li|\/h\d)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim()
