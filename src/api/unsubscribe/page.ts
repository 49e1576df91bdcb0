// The unsubscribe page: plain HTML without scripts, behind the link in a broadcast.

import { createHash } from 'node:crypto'
import type { LinkedStream } from '../../store/workspace/unsubscribe.ts'
import { type Language, WORDS } from './words.ts'

/** State of the page. */
export type PageState =
  | { readonly kind: 'ask' | 'left' | 'back'; readonly linked: LinkedStream }
  | { readonly kind: 'unknown' }

const STYLE = `
:root{color-scheme:light dark}
body{max-width:32rem;margin:12vh auto;padding:0 1.5rem;font:1.0625rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.375rem;line-height:1.3}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.25rem;border-radius:.375rem;border:2px solid;cursor:pointer}
button.main{background:#14539a;color:#fff;border-color:#14539a}
button:focus-visible{outline:3px solid #d9730d;outline-offset:3px}
`

/** For the header of every answer: this style and a form to the page itself, nothing else. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The whole page. */
export function unsubscribePage(language: Language, state: PageState): string {
  const words = WORDS[language]
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${words.title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${words.title}</h1>
${main(language, state)}
</main>
</body>
</html>
`
}

function main(language: Language, state: PageState): string {
  const words = WORDS[language]
  if (state.kind === 'unknown') return `<p>${words.unknown}</p>`
  const sentence = (text: string): string => `<p role="status">${filled(text, state.linked)}</p>`
  switch (state.kind) {
    case 'ask':
      return `<p>${filled(words.question, state.linked)}</p>\n${form('unsubscribe', words.button, true)}`
    case 'left':
      return state.linked.canReturn
        ? `${sentence(words.done)}\n<p>${words.mistake}</p>\n${form('undo', words.undo, false)}`
        : sentence(words.done)
    case 'back':
      return `${sentence(words.undone)}\n${form('unsubscribe', words.button, false)}`
  }
}

/** To where the page is: the token is in its address. */
const form = (action: string, label: string, main: boolean): string =>
  `<form method="post"><button name="action" value="${action}"${main ? ' class="main"' : ''}>${label}</button></form>`

const filled = (text: string, { email, streamName, domainName }: LinkedStream): string =>
  text.replace(/\{(address|stream|domain)\}/g, (_, name: string) =>
    escaped(name === 'address' ? masked(email) : name === 'stream' ? streamName : domainName),
  )

/** Masks an address: a reader of a forwarded mail sees less of it than its owner needs to know it. */
function masked(email: string): string {
  const at = email.lastIndexOf('@')
  const local = [...email.slice(0, at)]
  return `${local.slice(0, local.length > 3 ? 2 : 1).join('')}•••${email.slice(at)}`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
