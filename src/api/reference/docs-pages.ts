// Renders the Markdown pages of the documentation, which the node serves next to the reference.

import { readdir, readFile } from 'node:fs/promises'
import { Marked, type Token } from 'marked'
import { escaped } from './html.ts'

/** Page of the documentation. */
export interface DocsPage {
  /** Name in the address, such as `sending` for `docs/sending.md`. */
  readonly name: string
  readonly title: string
  readonly html: string
  /** Source of the page, with links to the sources of the other pages. */
  readonly markdown: string
  readonly sections: readonly DocsSection[]
}

/** Heading of a page with the text up to the next heading. */
interface DocsSection {
  readonly anchor: string
  readonly title: string
  readonly text: string
}

const ROOT = new URL('../../../', import.meta.url)
/** Page outside of the documentation directory to which the other pages link. */
const README = 'readme'

/** Returns all pages by title; none if this installation has no documentation. */
export async function docsPages(): Promise<readonly DocsPage[]> {
  const files = await readdir(new URL('docs/', ROOT)).catch(() => [])
  const found: (readonly [name: string, path: string])[] = files
    .filter((file) => file.endsWith('.md'))
    .map((file) => [file.slice(0, -'.md'.length), `docs/${file}`])
  if (found.length > 0) found.unshift([README, 'README.md'])
  const names = new Set(found.map(([name]) => name))
  const pages = await Promise.all(
    found.map(async ([name, path]) => {
      const text = await readFile(new URL(path, ROOT), 'utf8').catch(() => undefined)
      return text === undefined ? undefined : pageOf(name, text, names)
    }),
  )
  return pages
    .filter((page) => page !== undefined)
    .toSorted((one, other) => one.title.localeCompare(other.title))
}

function pageOf(name: string, markdown: string, names: ReadonlySet<string>): DocsPage {
  const anchors = new Anchors()
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchors.of(text)
        const title = this.parser.parseInline(tokens)
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${title}</a></h${depth}>\n`
      },
      code: ({ text }) =>
        `<figure class="code"><figcaption></figcaption><pre tabindex="0"><code>${escaped(text)}</code></pre></figure>\n`,
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens)
        const address = addressOf(href, names)
        return address === undefined ? content : `<a href="${escaped(address)}">${content}</a>`
      },
      // A header cell without text would be announced as a header.
      tablecell({ tokens, header }) {
        const name = header && tokens.length > 0 ? 'th' : 'td'
        return `<${name}>${this.parser.parseInline(tokens)}</${name}>\n`
      },
      // The node does not serve the pictures of the documentation.
      image: () => '',
      html: ({ text }) => escaped(text),
    },
  })
  const sections = sectionsOf(marked.lexer(markdown))
  const [first] = sections
  return {
    name,
    title: name === README ? 'Getting started' : (first?.title ?? name),
    html: marked.parse(markdown, { async: false }),
    markdown: sourceOf(markdown, names),
    sections,
  }
}

/** Returns a page in Markdown, whose links lead to other pages in Markdown; without the pictures. */
const sourceOf = (markdown: string, names: ReadonlySet<string>): string =>
  markdown.replace(/(!?)\[([^\][]*)\]\(([^()\s]+)\)/g, (_link, picture, text, href) => {
    if (picture !== '') return ''
    const address = addressOf(href, names)
    if (address === undefined) return text
    const [, page, anchor = ''] = /^([\w-]+)(#.*)?$/.exec(address) ?? []
    return `[${text}](${page === undefined ? address : `${page}.md${anchor}`})`
  })

/** Returns the address of a link relative to the other pages; undefined for a file that the node does not serve. */
function addressOf(href: string, names: ReadonlySet<string>): string | undefined {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [, path = '', anchor = ''] = /^(?:\.\.\/|docs\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  const name = path.toLowerCase()
  return names.has(name) ? `${name}${anchor}` : undefined
}

function sectionsOf(tokens: readonly Token[]): DocsSection[] {
  const anchors = new Anchors()
  const sections: { anchor: string; title: string; prose: string; code: string }[] = []
  for (const token of tokens) {
    const last = sections.at(-1)
    if (token.type === 'heading') {
      sections.push({ anchor: anchors.of(token.text), title: plain(token.text), prose: '', code: '' })
    } else if (last !== undefined) {
      last[token.type === 'code' ? 'code' : 'prose'] += ` ${plain(token.raw)}`
    }
  }
  // The prose precedes the code, because the search shows the first occurrence of a word, and a sentence explains more
  // than code.
  return sections.map(({ anchor, title, prose, code }) => ({
    anchor,
    title,
    text: `${prose} ${code}`.trim(),
  }))
}

/** Returns Markdown as text, without the markup of links, tables, code and emphasis. */
const plain = (markdown: string): string =>
  markdown
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/^[|\s:-]+$/gm, '')
    .replace(/`{3,}\w*|[`*|]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Anchors of the headings of a page, generated like the anchors on GitHub. */
class Anchors {
  readonly #counts = new Map<string, number>()

  of(heading: string): string {
    const base = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    const count = this.#counts.get(base) ?? 0
    this.#counts.set(base, count + 1)
    return count === 0 ? base : `${base}-${count}`
  }
}
