// HTML as text: escaping, and the few marks that descriptions use.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text, safe as content and in a quoted attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one)

/** A sentence in which `code` is marked by backticks. */
export const sentence = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1 ? `<code>${escaped(part.slice(1, -1))}</code>` : escaped(part),
    )
    .join('')

/** Paragraphs, separated by empty lines. */
export const paragraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((one) => `<p>${sentence(one)}</p>`)
    .join('\n')

/** A block of code with its title. */
export const codeBlock = (title: string, code: string, language: 'sh' | 'json'): string =>
  `<figure class="code"><figcaption>${escaped(title)}</figcaption><pre tabindex="0"><code>${
    language === 'json' ? coloured(code) : escaped(code)
  }</code></pre></figure>`

/** JSON with its names, strings and other values told apart. */
function coloured(json: string): string {
  return json
    .split(/("(?:[^"\\]|\\.)*")(\s*:)?/)
    .map((part, index) => {
      if (part === undefined) return ''
      if (index % 3 !== 1) return escaped(part).replace(/\b(true|false|null|-?\d+(?:\.\d+)?)\b/g, '<i>$1</i>')
      return part
    })
    .map((part, index, parts) => {
      if (index % 3 !== 1) return part
      const isName = parts[index + 1] !== ''
      return isName ? `<b>${escaped(part)}</b>` : `<s>${escaped(part)}</s>`
    })
    .join('')
}
