// Converts rendered HTML with libraries: CSS into style attributes, and HTML into text. Runs in worker threads.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { withHiddenMarked, withoutFilling } from './hidden-html.ts'
import { isDeeperThan, MAX_HTML_DEPTH } from './html-depth.ts'
import { withInlinedStyles } from './inlined-styles.ts'

/** HTML and the requested conversions. */
interface Conversion {
  readonly html: string
  /** True to move CSS of style elements into style attributes. */
  readonly inlineCss: boolean
  /** True to make a text from the HTML. */
  readonly makeText: boolean
}

interface Converted {
  readonly html: string
  readonly text: string | null
}

/** Converts HTML. Throws `CannotConvert`; any other error leaves the thread in an unknown state. */
export type Convert = (conversion: Conversion) => Converted

/** Error for HTML that is too deep for the libraries, and for a job that failed or took too long in its thread. */
export class CannotConvert extends Error {}

const LINE_WIDTH = 78
/** Memory limit of the inliner in pages of 64 KiB: a rule for many elements may enlarge HTML a thousand times. */
const MAX_INLINER_PAGES = 1_536

/**
 * Maximum number of characters that style elements may have after inlining; most rules of a style sheet for many
 * templates match nothing in a single template.
 */
const MAX_STYLE = 8_192

/** True if the style elements are longer than a mail should contain. */
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
      throw new CannotConvert(`its elements are nested more than ${MAX_HTML_DEPTH} deep`)
    }
    const shown = inlineCss ? inline(html) : html
    // Empty elements at the beginning leave line breaks in the text, which `trim` removes.
    return { html: shown, text: makeText ? makeTextOf(html).trim() : null }
  }
}

/**
 * Loads the inliner, a WebAssembly module that reaches neither files nor the network, because it imports nothing from
 * this program.
 */
async function loadInliner(): Promise<Change> {
  const { initWasm, inline } = await import('@css-inline/css-inline-wasm')
  // The memory of the WebAssembly module needs this limit, because the heap limit of the thread does not include the
  // memory of modules.
  setFlagsFromString(`--wasm-max-mem-pages=${MAX_INLINER_PAGES}`)
  const file = import.meta.resolve('@css-inline/css-inline-wasm/index_bg.wasm')
  await initWasm({ module_or_path: readFileSync(fileURLToPath(file)) } as never)
  const options = { loadRemoteStylesheets: false, keepAtRules: true, keepLinkTags: true }
  // Rules that no attribute can express stay in the style element: rules for states (:hover), and rules for elements
  // that mail programs add around the body.
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
      // Most tables in mail are used for layout, so each row becomes one line, regardless of its columns.
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
