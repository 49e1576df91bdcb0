// The thread that works on HTML: it puts CSS into style attributes and makes the text of HTML that has none.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parentPort } from 'node:worker_threads'
import type { Conversion, Converted } from './html-conversion.ts'

type Convert = (html: string) => string

let inliner: Promise<Convert> | undefined
let textMaker: Promise<Convert> | undefined

/** WebAssembly without any import of ours: it reaches neither files nor the network. */
async function loadInliner(): Promise<Convert> {
  const { initWasm, inline } = await import('@css-inline/css-inline-wasm')
  const file = import.meta.resolve('@css-inline/css-inline-wasm/index_bg.wasm')
  await initWasm({ module_or_path: readFileSync(fileURLToPath(file)) } as never)
  const options = { loadRemoteStylesheets: false, keepAtRules: true, keepLinkTags: true }
  return (html) => inline(html, options)
}

const LINE_WIDTH = 78
const DEEPEST = 200

async function loadTextMaker(): Promise<Convert> {
  const { compile } = await import('html-to-text')
  const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
  return compile({
    wordwrap: LINE_WIDTH,
    limits: { maxDepth: DEEPEST },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
      { selector: 'img', format: 'alternative' },
      ...headings.map((selector) => ({ selector, options: { uppercase: false } })),
      // Most tables of mail are there for their looks: a row is a line, whatever the columns.
      { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'td', format: 'cell' },
      { selector: 'th', format: 'cell' },
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
}

async function convert({ html, inlineCss, makeText }: Conversion): Promise<Converted> {
  let shown = html
  if (inlineCss) {
    inliner ??= loadInliner()
    shown = (await inliner)(html)
  }
  if (!makeText) return { html: shown, text: null }
  textMaker ??= loadTextMaker()
  // What is empty at the beginning leaves its line breaks.
  return { html: shown, text: (await textMaker)(html).trim() }
}

parentPort?.on('message', (conversion: Conversion) => {
  convert(conversion).then(
    (converted) => parentPort?.postMessage(converted),
    (error: unknown) => parentPort?.postMessage({ failed: String(error) }),
  )
})
