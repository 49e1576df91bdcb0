// Writes HTML: escapes content, and renders the small subset of Markdown that descriptions use.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Returns text escaped for HTML content and for quoted attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one)

/** Returns a sentence as HTML; text between backticks becomes code. */
export const sentence = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`') && part.length > 1 ? `<code>${escaped(part.slice(1, -1))}</code>` : escaped(part),
    )
    .join('')

/** Returns a text as HTML paragraphs; empty lines separate the paragraphs. */
export const paragraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .map((one) => `<p>${sentence(one)}</p>`)
    .join('\n')

/** Returns a block of code with its title. */
export const codeBlock = (title: string, code: string, language: 'sh' | 'json'): string =>
  `<figure class="code"><figcaption>${escaped(title)}</figcaption><pre tabindex="0"><code>${
    language === 'json' ? coloured(code) : escaped(code)
  }</code></pre></figure>`

/**
 * Returns an example in several languages. The page shows one language: the first language, until the reader chooses
 * another.
 */
export const codeTabs = (
  title: string,
  languages: readonly { readonly name: string; readonly title: string; readonly code: string }[],
): string =>
  `<figure class="code"><figcaption>${escaped(title)}</figcaption>${languages
    .map(
      (one, index) =>
        `<pre tabindex="0" data-language="${one.name}" data-title="${one.title}"${index === 0 ? '' : ' hidden'}><code>${escaped(one.code)}</code></pre>`,
    )
    .join('')}</figure>`

/** Returns JSON as HTML, with different elements for names, strings and other values. */
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
