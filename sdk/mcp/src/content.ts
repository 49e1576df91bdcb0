// Mail content in results: left out, or fenced with a nonce, so that an agent can tell text of strangers from the result.

/** Fields of a message that contain its content. */
const CONTENT = ['html', 'text', 'headers'] as const
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

interface Field {
  readonly name: string
  readonly value: string
}

/** True if an object has content. */
export const hasContent = (object: object): boolean => CONTENT.some((name) => name in object)

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
