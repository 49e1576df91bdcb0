// Unsubscribe page, the target of the unsubscribe link in a broadcast, as plain HTML without scripts.

import { createHash } from 'node:crypto'
import { type Brand, logoOf, textOn } from '../../model/brand.ts'
import type { LinkedStream } from '../../store/workspace/unsubscribe.ts'
import { type Language, WORDS } from './words.ts'

/** State of the unsubscribe page. */
export type PageState =
  | {
      readonly kind: 'ask' | 'left' | 'back' | 'chosen'
      readonly linked: LinkedStream
      /** All broadcast streams of the sender that have sent mail to the recipient, including the linked stream. */
      readonly streams: readonly LinkedStream[]
    }
  | { readonly kind: 'unknown' }

/** Unsubscribe page, and a Content-Security-Policy that allows only the parts of this page. */
export interface UnsubscribePage {
  readonly html: string
  readonly policy: string
}

const COLOR = '#14539a'

const styleOf = (color: string): string => `
:root{color-scheme:light dark}
body{max-width:32rem;margin:10vh auto;padding:0 1.5rem;font:1.0625rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
header{display:flex;align-items:center;gap:.75rem;min-height:3rem;font-weight:600;border-bottom:3px solid ${color};padding-bottom:.75rem}
header img{max-height:3rem;max-width:10rem}
h1{font-size:1.375rem;line-height:1.3}
h2{font-size:1.0625rem;margin-top:2.5rem}
label{display:flex;align-items:baseline;gap:.625rem;min-height:2.25rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.25rem;border-radius:.375rem;border:2px solid;cursor:pointer}
button.main{background:${color};color:${textOn(color)};border-color:${color}}
button:focus-visible,input:focus-visible{outline:3px solid #d9730d;outline-offset:3px}
`

/** Returns the unsubscribe page as an HTML document. */
export function unsubscribePage(language: Language, state: PageState): UnsubscribePage {
  const words = WORDS[language]
  const linked = state.kind === 'unknown' ? undefined : state.linked
  const brand = linked?.brand ?? undefined
  const style = styleOf(brand?.color ?? COLOR)
  const title = state.kind === 'left' ? words.left : state.kind === 'chosen' ? words.saved : words.title
  const logo = brand?.logo_url == null ? undefined : logoOf(brand.logo_url)
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
${linked === undefined ? '' : header(linked, logo)}<main>
<h1>${title}</h1>
${main(language, state)}
</main>
</body>
</html>
`
  return { html, policy: policyOf(style, logo) }
}

/** Returns the Content-Security-Policy, which allows the style of the page, forms to the page itself, and the logo. */
const policyOf = (style: string, logo: URL | undefined): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    ...(logo === undefined ? [] : [`img-src ${logo.origin}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

function header(linked: LinkedStream, logo: URL | undefined): string {
  const image = logo === undefined ? '' : `<img src="${escaped(logo.href)}" alt="">`
  return `<header>${image}${isolated(senderOf(linked))}</header>\n`
}

const senderOf = ({
  brand,
  domainName,
}: {
  readonly brand: Brand | null
  readonly domainName: string
}): string => brand?.name ?? domainName

function main(language: Language, state: PageState): string {
  const words = WORDS[language]
  if (state.kind === 'unknown') return `<p>${words.unknown}</p>`
  const { linked } = state
  const sentence = (text: string): string => `<p role="status">${filled(text, linked)}</p>`
  const choice = state.streams.length > 1 ? choiceOf(language, linked, state.streams) : ''
  switch (state.kind) {
    case 'ask':
      return `<p>${filled(words.question, linked)}</p>\n${form('unsubscribe', words.button, true)}${choice}`
    case 'left':
      return (
        (linked.canReturn
          ? `${sentence(words.done)}\n<p>${words.mistake}</p>\n${form('undo', words.undo, false)}`
          : sentence(words.done)) + choice
      )
    case 'back':
      return `${sentence(words.undone)}\n${form('unsubscribe', words.button, false)}${choice}`
    case 'chosen':
      return `<p role="status">${words.saved}</p>${choice}`
  }
}

/**
 * Returns the checkboxes of all streams. A hidden field next to each checkbox contains the name of the stream, because
 * browsers do not send unchecked checkboxes. Streams to which the recipient cannot resubscribe are disabled.
 */
function choiceOf(language: Language, linked: LinkedStream, streams: readonly LinkedStream[]): string {
  const words = WORDS[language]
  const boxes = streams.map(({ stream, streamName, suppressed, canReturn }) => {
    const checked = suppressed ? '' : ' checked'
    const closed = suppressed && !canReturn ? ' disabled' : ''
    const shown = `<input type="hidden" name="shown" value="${escaped(stream)}">`
    return `${shown}<label><input type="checkbox" name="keep" value="${escaped(stream)}"${checked}${closed}> ${isolated(streamName)}</label>`
  })
  return `
<h2>${filled(words.choice, linked)}</h2>
<form method="post">
${boxes.join('\n')}
<p><button name="action" value="choose">${words.save}</button></p>
</form>`
}

/** Returns a form that posts to the page itself, whose URL contains the token. */
const form = (action: string, label: string, main: boolean): string =>
  `<form method="post"><button name="action" value="${action}"${main ? ' class="main"' : ''}>${label}</button></form>`

const filled = (text: string, linked: LinkedStream): string =>
  text.replace(/\{(address|stream|domain)\}/g, (_, name: string) =>
    isolated(
      name === 'address' ? masked(linked.email) : name === 'stream' ? linked.streamName : senderOf(linked),
    ),
  )

/** Returns a name as HTML with its own writing direction, so that the name does not reorder the surrounding words. */
const isolated = (name: string): string => `<bdi>${escaped(name)}</bdi>`

/**
 * Masks an address, so that the owner recognises the address, and other readers of a forwarded mail do not learn it.
 */
function masked(email: string): string {
  const at = email.lastIndexOf('@')
  const local = [...email.slice(0, at)]
  return `${local.slice(0, local.length > 3 ? 2 : 1).join('')}•••${email.slice(at)}`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
