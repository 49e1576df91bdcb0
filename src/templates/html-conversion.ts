// Work on rendered HTML by libraries: CSS into style attributes, and the text of HTML that has none. Runs in worker
// threads.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { withHiddenMarked, withoutFilling } from './hidden-html.ts'
import { isDeeperThan, MAX_HTML_DEPTH } from './html-depth.ts'
import { withInlinedStyles } from './inlined-styles.ts'

/** HTML and the conversions wanted of it. */
interface Conversion {
  readonly html: string
  /** Put CSS of style elements into style attributes. */
  readonly inlineCss: boolean
  /** Make text of it. */
  readonly makeText: boolean
}

interface Converted {
  readonly html: string
  readonly text: string | null
}

/** Works on some HTML. Throws `CannotConvert`; any other error leaves the thread in an unknown state. */
export type Convert = (conversion: Conversion) => Converted

/** HTML that the libraries are not given, or could not do in time. */
export class CannotConvert extends Error {}

const LINE_WIDTH = 78
/** Of 64 KiB: a rule for many elements may make a thousand times as much HTML as there was. */
const MAX_INLINER_PAGES = 1_536

/** Of rules that are left, in characters: of a style sheet for many templates most match nothing in one. */
const MAX_STYLE = 8_192

/** True if there is more in style elements than a mail should carry. */
function isLongStyle(html: string): boolean {
  let length = 0
  for (const [element] of html.matchAll(/<style\b[^<]*/gi)) length += element.length
  return length > MAX_STYLE
}

type Change = (html: string) => string

/** Loads the libraries. */
export async function loadConversion(): Promise<Convert> {
  const [inline, makeTextOf] = await Promise.all([loadInliner(), loadTextMaker()])
  return ({ html, inlineCss, makeText }) => {
    if (isDeeperThan(html, MAX_HTML_DEPTH)) {
      throw new CannotConvert(`its elements stand more than ${MAX_HTML_DEPTH} deep within each other`)
    }
    const shown = inlineCss ? inline(html) : html
    // Empty text at the beginning leaves its line breaks.
    return { html: shown, text: makeText ? makeTextOf(html).trim() : null }
  }
}

/** WebAssembly without any import of ours: it reaches neither files nor the network. */
async function loadInliner(): Promise<Change> {
  const { initWasm, inline } = await import('@css-inline/css-inline-wasm')
  // The module's own memory has no bound, and that of a thread does not count it.
  setFlagsFromString(`--wasm-max-mem-pages=${MAX_INLINER_PAGES}`)
  const file = import.meta.resolve('@css-inline/css-inline-wasm/index_bg.wasm')
  await initWasm({ module_or_path: readFileSync(fileURLToPath(file)) } as never)
  const options = { loadRemoteStylesheets: false, keepAtRules: true, keepLinkTags: true }
  // What no attribute can say stays in its element: states (:hover), and what mail programs add around the body.
  const wholly: Change = (html) =>
    inline(html, { ...options, keepStyleTags: true, removeInlinedSelectors: true })
  const inlined = (html: string, how: Change): string => withInlinedStyles(html, how) ?? how(html)
  return (html) => {
    const whole = inlined(html, wholly)
    return isLongStyle(whole) ? inlined(html, (one) => inline(one, options)) : whole
  }
}

async function loadTextMaker(): Promise<Change> {
  const { compile } = await import('html-to-text')
  const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
  const textOf = compile({
    wordwrap: LINE_WIDTH,
    limits: { maxDepth: MAX_HTML_DEPTH },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      { selector: 'img', format: 'alternative' },
      ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
      // Most tables of mail are there for their looks: a row is a line, with any columns.
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
      { selector: '[hidden]', format: 'skip' },
    ],
    formatters: {
      alternative(element, _walk, builder) {
        if (element.attribs.alt) builder.addInline(element.attribs.alt)
      },
      cell(element, walk, builder) {
        walk(element.children, builder)
        builder.addInline(' ')
      },
    },
  })
  return (html) => withoutFilling(textOf(withHiddenMarked(html)))
}
